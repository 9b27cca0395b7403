// The credit that this process holds of one budget: what was granted to it and is not spent yet. Of a window that is over nothing is of use.

import { elapsedMs } from '../../time/wall-clock.ts';

/** For so long credit that is not spent is kept, and what was spent within it says how much is taken ahead. */
export const keptMs = 1_000;

export class Credit {
  readonly #now: () => number;
  #held = 0n;
  #window = -1;
  /** When that window ends, Unix ms by this process's clock. */
  #endsAt = 0;
  #span = 0;
  #spent = 0n;
  #spentBefore = 0n;
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What may be spent now. */
  get held(): bigint {
    if (this.#held > 0n && this.#now() >= this.#endsAt) this.#held = 0n;
    return this.#held;
  }

  /** Spends so much, where there is so much. */
  spend(amount: bigint): boolean {
    this.#turn();
    if (this.held < amount) return false;
    this.#usedAt = this.#now();
    this.#held -= amount;
    this.#spent += amount;
    return true;
  }

  /** Something was spent and is not needed after all. */
  unspend(amount: bigint): void {
    this.#held += amount;
    this.#spent = this.#spent > amount ? this.#spent - amount : 0n;
  }

  /** The window it is of: hours or days since 1970. */
  get window(): number {
    return this.#window;
  }

  /** @param endsAt the end of the window that it was granted in, by this process's clock. */
  add(amount: bigint, endsAt: number, window: number): void {
    // A grant of the next window ends the one before.
    if (window !== this.#window) this.#held = 0n;
    this.#window = window;
    this.#endsAt = endsAt;
    this.#held += amount;
  }

  /** Everything, to be given back. */
  takeAll(): bigint {
    const all = this.held;
    this.#held = 0n;
    return all;
  }

  /** Spent within the last second, as far as is known without remembering each. */
  get spentOfLate(): bigint {
    this.#turn();
    const passed = Math.min(1_000, Math.max(0, this.#now() - this.#span * keptMs));
    return (this.#spentBefore * BigInt(1_000 - Math.floor((passed * 1_000) / keptMs))) / 1_000n + this.#spent;
  }

  /** Nothing of it was spent for a while. */
  get isIdle(): boolean {
    return elapsedMs(this.#usedAt, this.#now()) >= keptMs;
  }

  #turn(): void {
    const span = Math.floor(this.#now() / keptMs);
    if (span === this.#span) return;
    this.#spentBefore = span === this.#span + 1 ? this.#spent : 0n;
    this.#spent = 0n;
    this.#span = span;
  }
}
