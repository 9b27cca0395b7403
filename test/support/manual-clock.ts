// The sandbox's time, standing still until a test moves it.
import type { Clock } from '../../src/sandbox/clock.ts';

/** What is due at the end of an advance runs then, once. */
export class ManualClock implements Clock {
  #now = 0;
  #due: { at: number; action: () => void }[] = [];
  now(): number {
    return this.#now;
  }
  after(delayMs: number, action: () => void): () => void {
    const entry = { at: this.#now + delayMs, action };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }
  advance(ms: number): void {
    this.#now += ms;
    const ripe = this.#due.filter(({ at }) => at <= this.#now);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { action } of ripe) action();
  }
}
