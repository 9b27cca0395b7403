// Tokens of one bucket that this process has taken ahead, so that a send does not wait for a statement of its own. How many follows from how
// many were spent of late: where sends are rare none is taken ahead, and a bucket of one token a second is as exact as if each were asked for.

import { elapsedMs } from '../../time/wall-clock.ts';

/**
 * For how long a token that was taken may be spent, and of how many ms of the bucket's rate are taken ahead at most. All processes take
 * from one bucket, so within any time `t` no more is spent than the bucket gives in `t` and these.
 */
export const aheadMs = 250;
/** How long before its end a token no longer counts as held, ms, when it is decided whether more are taken. */
const soonMs = 100;

/** Tokens taken by one statement, which was sent at `takenAt`. */
interface Lot {
  count: number;
  takenAt: number;
}

export class TokensAhead {
  readonly #now: () => number;
  #lots: Lot[] = [];
  /** Too old to be spent: put back with the next statement. */
  #back = 0;
  /** Asked for within this span of `aheadMs` and the one before. */
  #span = 0;
  #asked = 0;
  #askedBefore = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts that a caller asks for a token. */
  note(): void {
    this.#turn();
    this.#asked += 1;
  }

  /** Tokens that may be spent now. */
  get here(): number {
    this.#dropOld();
    return this.#lots.reduce((sum, { count }) => sum + count, 0);
  }

  /** Spends one, if there is any. */
  spend(): boolean {
    this.#dropOld();
    const lot = this.#lots[0];
    if (!lot) return false;
    lot.count -= 1;
    if (lot.count === 0) this.#lots.shift();
    return true;
  }

  /** How many to take ahead now, at most `most`: 0 while what is here will do. */
  lacking(most: number): number {
    this.#turn();
    this.#dropOld();
    const passed = this.#now() / aheadMs - this.#span;
    const recent = Math.floor(this.#askedBefore * (1 - passed) + this.#asked);
    const target = Math.min(most, recent);
    const at = this.#now();
    const here = this.#lots.reduce((sum, lot) => sum + (at - lot.takenAt < aheadMs - soonMs ? lot.count : 0), 0);
    return here <= target / 3 ? target - here : 0;
  }

  /** One that was spent for nothing is put back. */
  giveUp(): void {
    this.#back += 1;
  }

  add(count: number, takenAt: number): void {
    if (count > 0) this.#lots.push({ count, takenAt });
  }

  /** Those that are put back with a statement that is about to be sent. */
  back(): number {
    this.#dropOld();
    const back = this.#back;
    this.#back = 0;
    return back;
  }

  #dropOld(): void {
    const at = this.#now();
    const isOld = ({ takenAt }: Lot) => elapsedMs(takenAt, at) > aheadMs;
    for (const lot of this.#lots) if (isOld(lot)) this.#back += lot.count;
    this.#lots = this.#lots.filter((lot) => !isOld(lot));
  }

  #turn(): void {
    const span = Math.floor(this.#now() / aheadMs);
    if (span === this.#span) return;
    this.#askedBefore = span === this.#span + 1 ? this.#asked : 0;
    this.#asked = 0;
    this.#span = span;
  }
}
