// What is due later, each thing under the object it is about, so that it can be taken back, and all of it at a stop.

import type { Clock } from '../clock.ts';

export class Schedule {
  readonly #clock: Clock;
  readonly #due = new Map<object, () => void>();
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `action` after `delayMs`, in place of what was due about the same object. After a stop nothing runs any more. */
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
