// The live connection to the sandbox, and the hook by which components read it. Outside of React, because there is one for the page.

import { useSyncExternalStore } from 'react';
import { type DoorEvent, doorEventNames } from './events.ts';
import { changed, type DoorChange, type DoorState, nothingYet } from './state.ts';

type Listener = (before: DoorState, after: DoorState) => void;

let state = nothingYet;
const listeners = new Set<Listener>();

export function take(change: DoorChange): void {
  const before = state;
  state = changed(before, change);
  for (const listener of listeners) listener(before, state);
}

/** A browser tries again by itself after a cut, and not after an answer such as 502. */
const againMs = 1_000;

/** Connects, and stays connected until the page goes. */
export function connect(): void {
  const source = new EventSource(new URL('sandbox/events', document.baseURI));
  for (const name of doorEventNames) {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      take({ name, data: JSON.parse(data) } as DoorEvent);
    });
  }
  source.addEventListener('error', () => {
    take({ name: 'lost' });
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, againMs);
  });
}

/** Called at each change; returns what ends it. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useDoor = (): DoorState => useSyncExternalStore(listen, () => state);
