// A connection to the sandbox's events that comes back after each cut.

import { doorEventNames } from './events.ts';
import type { DoorChange } from './state.ts';

/** A browser tries again by itself after a cut, and not after an answer such as 502. */
const againMs = 1_000;

/** Takes each change, for as long as the page or the worker lives that called it. */
export function follow(address: URL, take: (change: DoorChange) => void): void {
  const source = new EventSource(address);
  for (const name of doorEventNames) {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      take({ name, data: JSON.parse(data) } as DoorChange);
    });
  }
  source.addEventListener('error', () => {
    take({ name: 'lost' });
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(address, take), againMs);
  });
}
