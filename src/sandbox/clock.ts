// Time for the sandbox as a value: everything that waits or stamps takes a Clock, so that tests need not wait.

import { alarm } from '../time/alarm.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `action` once after `delayMs`; the returned function takes it back. */
  after(delayMs: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, action) => alarm(action, delayMs).clear,
};
