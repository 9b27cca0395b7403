// The credit that this process holds of one budget: what was granted to it and is not spent yet. Credit ends with its window.

import { elapsedMs } from '../../time/wall-clock.ts';

/** How long unspent credit is kept, ms; what was spent within this time says how much credit is taken ahead. */
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

  /** The window of the credit: hours or days since 1970. */
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

  /** About what was spent within the last second: the sum of this second, and a part of that of the one before. */
  get spentOfLate(): bigint {
    this.#turn();
    const passed = Math.min(1_000, Math.max(0, this.#now() - this.#span * keptMs));
    return (this.#spentBefore * BigInt(1_000 - Math.floor((passed * 1_000) / keptMs))) / 1_000n + this.#spent;
  }

  /** Whether nothing was spent for `keptMs`. */
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
