// What is done once in a while, however often there is reason to: a line of the log, say, whose cause comes with every message that is sent.

import { isAhead } from './wall-clock.ts';

/** Things remembered; beyond that all are forgotten, and each is done once more. */
const mostThings = 1_000;

export class Seldom {
  readonly #now: () => number;
  /** Until when each thing rests, Unix ms. */
  readonly #restsUntil = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the thing is to be done now; then not again for `restMs`, the same for each use of a thing. */
  isDue(thing: string, restMs: number): boolean {
    const now = this.#now();
    if (isAhead(this.#restsUntil.get(thing) ?? now, now, restMs)) return false;
    if (this.#restsUntil.size >= mostThings) this.#restsUntil.clear();
    this.#restsUntil.set(thing, now + restMs);
    return true;
  }
}
