// The sandbox's time: a clock as a value, and a schedule of what is due later. Tests pass a clock of their own and never wait.

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

/** Actions that are due later, each under the object it is about, so that one can be taken back, and all of them at a stop. */
export class Schedule {
  readonly #clock: Clock;
  readonly #due = new Map<object, () => void>();
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `action` after `delayMs`, in place of an action due about the same object. After a stop nothing runs any more. */
  later(about: object, delayMs: number, action: () => void): void {
    this.forget(about);
    if (this.#stopped) return;
    const cancel = this.#clock.after(delayMs, () => {
      this.#due.delete(about);
      action();
    });
    this.#due.set(about, cancel);
  }

  forget(about: object): void {
    this.#due.get(about)?.();
    this.#due.delete(about);
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
  }
}
