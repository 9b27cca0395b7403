// Waits for the moment in which nothing is under way.

import type { Clock } from './timers.ts';

export class Idleness {
  readonly #clock: Clock;
  readonly #isIdle: () => boolean;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, isIdle: () => boolean) {
    this.#clock = clock;
    this.#isIdle = isIdle;
  }

  /** Resolves when nothing is under way, or after `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (this.#isIdle() || timeoutMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(resolve, timeoutMs);
    this.#waiting.push(resolve);
    await promise;
    timer.clear();
  }

  /** Called wherever something that was under way may have ended. */
  look(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
