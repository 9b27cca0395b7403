// The times at which retries of this process are due: it claims them then, so that nobody asks the database whether there are any. Few are
// kept; the table has them all, and a process that knows too little of it finds them when it looks around.

import type { Wakeup } from '../../time/on-demand.ts';

/** Times this close to each other are one. */
const stepMs = 100;
const mostKept = 10_000;

export class DueTimes {
  readonly #wakeup: Wakeup;
  readonly #times = new Set<number>();
  #next: number | null = null;

  /** `wakeup` is set when something is due before everything that was known. */
  constructor(wakeup: Wakeup) {
    this.#wakeup = wakeup;
  }

  /** The earliest, Unix ms; null = none. */
  get next(): number | null {
    return this.#next;
  }

  add(at: number): void {
    const step = Math.ceil(at / stepMs) * stepMs;
    if (this.#times.size >= mostKept && !(this.#next !== null && step < this.#next)) return;
    this.#times.add(step);
    if (this.#next !== null && this.#next <= step) return;
    this.#next = step;
    this.#wakeup.set();
  }

  /** Something else than a retry is to be done at once. */
  wake(): void {
    this.#wakeup.set();
  }

  /** Forgets what is due at `now` or was before. */
  pass(now: number): void {
    if (this.#next === null || this.#next > now) return;
    let next: number | null = null;
    for (const at of this.#times) {
      if (at <= now) this.#times.delete(at);
      else if (next === null || at < next) next = at;
    }
    this.#next = next;
  }
}
