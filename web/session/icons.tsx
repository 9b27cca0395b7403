// The pane's pictograms, in one grid of 16 × 16 and the colour of their text.

const paths = {
  sms: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  whatsapp:
    'M3.1 12.9l.8-2.6a5.2 5.2 0 1 1 2 1.9zM6.2 5.9c-.3 1.900 1.9 4.100 3.900 3.900l.700-1-1.500-.800-.600.600c-.700-.300-1.200-.800-1.500-1.500l.600-.600-.700-1.500z',
  voice:
    'M4.600 2.500l1.700 3-1.300 1.300c.700 1.800 2.400 3.500 4.200 4.200l1.300-1.300 3 1.700c-.300 1.600-1.300 2.300-2.600 2.100C6.600 12.900 3.100 9.400 2.500 5.100c-.200-1.300.500-2.300 2.100-2.600z',
  check: 'M3 8.500l3.300 3.300L13 4.800',
  cross: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 2.500a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11M8 5v3.200l2.200 1.500',
  up: 'M8 13V3.500M4 7.200L8 3l4 4.200',
  dots: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
  sound: 'M2.500 6v4h2.500l3.500 3V3L5 6zM11 5.500c1.300 1.300 1.300 3.700 0 5',
  put_down:
    'M2.500 9.500c3.300-3.300 7.700-3.300 11 0l-1.500 1.800-2.300-.900V8.700c-1.200-.300-2.200-.300-3.400 0v1.700l-2.300.900z',
  key: 'M10.500 2.500a3 3 0 1 1-2.700 4.300L3 11.500v2h2v-1.500h1.500V10.500L8 9',
  question: 'M5.500 6a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .700-1 1.500M8 12.500h.01',
  again: 'M13 8a5 5 0 1 1-1.500-3.500M13 2.500v3h-3',
  skip: 'M3.500 4l5 4-5 4zM11.500 4v8',
  copy: 'M5.500 5.500h7v8h-7zM10.500 5.500v-3h-7v8h2',
  shield: 'M8 2l5 1.800v3.700c0 3-2 5.300-5 6.500-3-1.200-5-3.500-5-6.500V3.800zM5.700 7.900l1.700 1.700 3-3.200',
  shield_bad: 'M8 2l5 1.800v3.700c0 3-2 5.300-5 6.500-3-1.200-5-3.500-5-6.500V3.800zM8 5v3.500M8 10.800h.01',
  start: 'M8 5.500a2.500 2.500 0 1 0 0 5a2.500 2.500 0 1 0 0-5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" style={{ flex: 'none' }}>
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** The pictogram of a channel; of one that is not known, a bubble. */
export const channelIcon = (channel: string): IconName =>
  channel === 'whatsapp' || channel === 'voice' ? channel : 'sms';
