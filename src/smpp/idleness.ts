// Waits for moments in which nothing is under way.

import type { Clock } from './timers.ts';

interface Wait {
  isOver(): boolean;
  end(): void;
}

export class Idleness {
  readonly #clock: Clock;
  readonly #waits = new Set<Wait>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when `isOver`, or after `timeoutMs`. */
  async until(isOver: () => boolean, timeoutMs: number): Promise<void> {
    if (isOver() || timeoutMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(resolve, timeoutMs);
    const wait = { isOver, end: resolve };
    this.#waits.add(wait);
    await promise;
    this.#waits.delete(wait);
    timer.clear();
  }

  /** Called wherever something that was under way may have ended. */
  look(): void {
    for (const { isOver, end } of this.#waits) if (isOver()) end();
  }
}
