// A clock that stands still until it is told to go on.
import type { Clock, Timer } from '../../../src/smpp/timers.ts';

interface Waiting {
  at: number;
  run(): void;
}

export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Waiting>();

  now(): number {
    return this.#now;
  }

  setTimer(run: () => void, ms: number): Timer {
    const waiting = { at: this.#now + ms, run };
    this.#timers.add(waiting);
    return { clear: () => this.#timers.delete(waiting) };
  }

  /** Runs what is due on the way, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.run();
    }
    this.#now = end;
  }

  /** Stands still for so long, as a frozen process does: what is due rings at the end, late. */
  freeze(ms: number): void {
    this.#now += ms;
    this.advance(0);
  }

  /** Ms until each running timer, in order. */
  get pending(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).toSorted((a, b) => a - b);
  }

  #next(end: number): Waiting | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  }
}
