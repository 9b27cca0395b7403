// Small pictures drawn here, so that no package of icons is needed. All are decoration: words beside them, or a label, say the same.

import type { ReactNode } from 'react';

const strokes = {
  sms: 'M3.5 4.5h13a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 1.5H9l-4 3v-3H3.5A1.5 1.5 0 0 1 2 13V6a1.5 1.5 0 0 1 1.5-1.5zM6 8h8M6 11h5',
  phone:
    'M5.2 2.8 7.6 3l1.2 3.6-1.7 1.5a10 10 0 0 0 4.8 4.8l1.5-1.7 3.6 1.2.2 2.4c0 1.3-1 2.4-2.4 2.4C8.4 17 3 11.6 2.8 5.2 2.8 3.8 3.9 2.8 5.2 2.8z',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  cross: 'm5.5 5.5 9 9m0-9-9 9',
  clock: 'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zm0 3.5V10l2.5 2',
  copy: 'M7.5 7.5h8v8.5h-8zM12.5 7.5V4h-8v8.5h3',
  bell: 'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4-1.5 5.5-1.5 5.5h12s-1.5-1.5-1.5-5.5A4.5 4.5 0 0 0 10 3zM8.5 16a1.6 1.6 0 0 0 3 0',
  bin: 'M4 5.5h12M8 5.5V4h4v1.5M5.5 5.5 6.3 16.5h7.4l.8-11M8.5 8.5v5m3-5v5',
  search: 'M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zm3.7 8.7L16 16',
  arrow: 'M4 10h12m-4.5-4.5L16 10l-4.5 4.5',
  chevron: 'm6.5 8 3.5 3.5L13.5 8',
  back: 'M12 5.5 7.5 10l4.5 4.5',
  keypad: 'M5 5h.01M10 5h.01M15 5h.01M5 10h.01M10 10h.01M15 10h.01M5 15h.01M10 15h.01M15 15h.01',
  api: 'm7 6-4 4 4 4m6-8 4 4-4 4',
  plane: 'M17 3 9 11m8-8-5 14-3-6-6-3z',
  timeline: 'M3 5h7M6 10h8M11 15h6',
  person: 'M10 3.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM4 16.5c.5-3 2.9-4.5 6-4.5s5.5 1.5 6 4.5',
  sound: 'M3.5 8v4H6l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5m2-7.5a7 7 0 0 1 0 10',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  tape: 'M6 13a3 3 0 1 1 0-6 3 3 0 0 1 0 6zm8 0a3 3 0 1 1 0-6 3 3 0 0 1 0 6zm-8 0h8',
  gauge: 'M3.5 14a6.5 6.5 0 1 1 13 0M10 14l3-4.5',
} as const;

export type IconName = keyof typeof strokes | 'whatsapp' | 'play' | 'pause' | 'hangUp' | 'verified';

const solids: Partial<Record<IconName, ReactNode>> = {
  play: <path d="M6.5 4v12l9.5-6z" fill="currentColor" />,
  pause: <path d="M5.5 4h3v12h-3zM11.5 4h3v12h-3z" fill="currentColor" />,
  hangUp: (
    <path
      d="M10 7c-3.3 0-6.1 1-7.7 2.6-.7.7-.7 1.8-.1 2.5l1 1.2c.4.5 1.1.6 1.7.3l1.7-.9c.5-.3.8-.8.8-1.3V9.9c1.6-.5 3.6-.5 5.2 0v1.5c0 .5.3 1 .8 1.3l1.7.9c.6.3 1.3.2 1.7-.3l1-1.2c.6-.7.6-1.8-.1-2.5C16.1 8 13.3 7 10 7z"
      fill="currentColor"
    />
  ),
  whatsapp: (
    <>
      <path
        d="M10 2.5a7.4 7.4 0 0 0-6.4 11.1l-1 3.8 3.9-1A7.4 7.4 0 1 0 10 2.5z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      />
      <path
        d="M7.4 6.2c.3-.2.6-.2.8.1l.8 1.5c.1.3 0 .5-.1.7l-.5.6c.6 1.2 1.4 1.9 2.6 2.5l.6-.6c.2-.2.5-.2.7-.1l1.5.8c.3.2.3.5.2.8-.5 1-1.4 1.4-2.4 1.1-2.5-.7-4.3-2.5-5-4.9-.2-1 .1-1.9.8-2.5z"
        fill="currentColor"
      />
    </>
  ),
  verified: (
    <>
      <path
        d="m10 2 2 1.5 2.5-.1.7 2.4 2 1.5-.8 2.4.8 2.3-2 1.5-.7 2.4-2.5-.1-2 1.5-2-1.5-2.5.1-.7-2.4-2-1.5.8-2.3-.8-2.4 2-1.5.7-2.4 2.5.1z"
        fill="currentColor"
      />
      <path d="m6.8 9.9 2.2 2.2 4.2-4.5" fill="none" stroke="#fff" strokeWidth="1.6" />
    </>
  ),
};

interface IconProps {
  name: IconName;
  size?: number;
  /** It points along the line of text: turned round from right to left. */
  directed?: boolean;
}

export function Icon({ name, size = 18, directed = false }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      aria-hidden="true"
      focusable="false"
      data-directed={directed || undefined}
      style={{ flex: 'none' }}
    >
      {solids[name] ?? (
        <path
          d={strokes[name as keyof typeof strokes]}
          fill="none"
          stroke="currentColor"
          strokeWidth={name === 'keypad' || name === 'more' ? 2.6 : 1.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
    </svg>
  );
}

/** The sign of Ramz: the dots of a code, the last one found right. */
export function Sign({ size = 30 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false" style={{ flex: 'none' }}>
      <defs>
        <linearGradient id="sign" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stopColor="#1fb8a2" />
          <stop offset="1" stopColor="#0b5f58" />
        </linearGradient>
      </defs>
      <rect width="32" height="32" rx="9" fill="url(#sign)" />
      <circle cx="8" cy="16" r="2.4" fill="#fff" opacity=".75" />
      <circle cx="14.5" cy="16" r="2.4" fill="#fff" opacity=".75" />
      <path
        d="m19 16.2 3 3 5.2-6.2"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
