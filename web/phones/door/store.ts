// The live connection to the sandbox, and the hook by which components read it. Outside of React, because there is one for the page.

import { useSyncExternalStore } from 'react';
import { follow } from './connection.ts';
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

/** Connects, and stays connected until the page goes: where a browser has shared workers, by one connection for all its tabs. */
export function connect(): void {
  const alone = () => follow(new URL('sandbox/events', document.baseURI), take);
  const shared = sharedWorker();
  if (!shared) {
    alone();
    return;
  }
  shared.onerror = alone;
  shared.port.onmessage = ({ data }: MessageEvent<DoorChange>) => take(data);
}

/** null where the browser has none, or keeps no site data: Firefox throws then, Chromium has an error follow. */
function sharedWorker(): SharedWorker | null {
  if (!('SharedWorker' in window)) return null;
  try {
    return new SharedWorker(new URL('./shared.ts', import.meta.url), { type: 'module' });
  } catch {
    return null;
  }
}

/** Called at each change; returns what ends it. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useDoor = (): DoorState => useSyncExternalStore(listen, () => drawn);
