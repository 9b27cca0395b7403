// The live connection to the sandbox, and the hook by which components read it. Outside of React, because there is one for the page.

import { useSyncExternalStore } from 'react';
import { type DoorEvent, doorEventNames } from './events.ts';
import { changed, type DoorChange, type DoorState, nothingYet } from './state.ts';

type Listener = (before: DoorState, after: DoorState) => void;

/** Behind a load test thousands of events come in a second: the page is drawn a few times of them, with all that came meanwhile. */
const drawnEveryMs = 40;

let state = nothingYet;
let drawn = nothingYet;
let isDue = false;
const listeners = new Set<Listener>();

function take(change: DoorChange): void {
  state = changed(state, change);
  if (isDue) return;
  isDue = true;
  setTimeout(draw, drawnEveryMs);
}

function draw(): void {
  isDue = false;
  const before = drawn;
  drawn = state;
  for (const listener of listeners) listener(before, drawn);
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

export const useDoor = (): DoorState => useSyncExternalStore(listen, () => drawn);
