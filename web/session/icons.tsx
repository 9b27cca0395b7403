// The pane's pictograms, in one grid of 16 × 16 and the colour of their text.

const paths = {
  sms: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  whatsapp:
    'M3.1 12.9l.8-2.6a5.2 5.2 0 1 1 2 1.9zM6.2 5.9c-.3 1.9 1.9 4.1 3.9 3.9l.7-1-1.5-.8-.6.6c-.7-.3-1.2-.8-1.5-1.5l.6-.6-.7-1.5z',
  voice:
    'M4.6 2.5l1.7 3-1.3 1.3c.7 1.8 2.4 3.5 4.2 4.2l1.3-1.3 3 1.7c-.3 1.6-1.3 2.3-2.6 2.1C6.6 12.9 3.1 9.4 2.5 5.1c-.2-1.3.5-2.3 2.1-2.6z',
  check: 'M3 8.5l3.3 3.3L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2.2 1.5',
  up: 'M8 13V3.5M4 7.2L8 3l4 4.2',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  sound: 'M2.5 6v4h2.5l3.5 3V3L5 6zM11 5.5c1.3 1.3 1.3 3.7 0 5',
  put_down: 'M2.5 9.5c3.3-3.3 7.7-3.3 11 0l-1.5 1.8-2.3-.9V8.7c-1.2-.3-2.2-.3-3.4 0v1.7l-2.3.9z',
  lock: 'M4 7.5h8v6H4zM5.8 7.5V5.3a2.2 2.2 0 0 1 4.4 0v2.2',
  question: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .7-1 1.5M8 12.5h.01',
  again: 'M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3',
  skip: 'M3.5 4l5 4-5 4zM11.5 4v8',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  shield: 'M8 2l5 1.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8zM5.7 7.9l1.7 1.7 3-3.2',
  shield_bad: 'M8 2l5 1.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8zM8 5v3.5M8 10.8h.01',
  start: 'M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5',
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
