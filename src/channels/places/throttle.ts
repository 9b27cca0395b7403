// How fast an operator may be asked: a token bucket whose rate halves under pressure and recovers slowly (AIMD). Pure: the
// caller brings the time, in ms. One per operator and process; how the operator's rate is shared out is decided elsewhere.

export interface ThrottleOptions {
  /** What the operator allows. */
  ratePerSecond: number;
  /** The rate never falls below this; default 1, or the allowed rate where that is less. */
  minRatePerSecond?: number;
  /** Refusals within this time after a halving are of the same pressure and don't halve again. Default 1000 ms. */
  pressureMs?: number;
  /** Share of the allowed rate that comes back each second once the pressure is over. Default 0.05: 10 s from half to full. */
  recoveryPerSecond?: number;
}

/** Tokens kept for later: a tenth of a second's worth. More would let twice the rate through in one second. */
const BURST_SECONDS = 0.1;

export class Throttle {
  readonly #minRate: number;
  readonly #pressureMs: number;
  readonly #recovery: number;
  #limit: number;
  #rate: number;
  #tokens: number;
  #refilledAt: number;
  #pressureUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ThrottleOptions, now: number) {
    this.#limit = options.ratePerSecond;
    this.#minRate = options.minRatePerSecond ?? 1;
    this.#pressureMs = options.pressureMs ?? 1_000;
    this.#recovery = options.recoveryPerSecond ?? 0.05;
    this.#rate = this.#limit;
    this.#tokens = this.#capacity;
    this.#refilledAt = now;
  }

  /** Takes a token, or says when the next one will be there. */
  take(now: number): { kind: 'taken' } | { kind: 'wait'; until: number } {
    this.#advance(now);
    // A hair under one is one: the wait that was asked for ended on a whole millisecond.
    if (this.#tokens < 1 - 1e-9)
      return { kind: 'wait', until: Math.ceil(now + (1 - this.#tokens) * (1000 / this.#rate)) };
    this.#tokens = Math.max(0, this.#tokens - 1);
    return { kind: 'taken' };
  }

  /** Puts back a token that was taken and not used. */
  put(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1);
  }

  /** The operator said "too fast" (0x58, 0x14, 0x08): a whole window of such answers is one pressure and halves once. */
  pressed(now: number): void {
    this.#advance(now);
    if (now < this.#pressureUntil) return;
    this.#rate = Math.max(Math.min(this.#minRate, this.#limit), this.#rate / 2);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
    this.#pressureUntil = now + this.#pressureMs;
  }

  /** Another share of the operator's rate is ours now; what pressure there is stays, in proportion. */
  setLimit(ratePerSecond: number, now: number): void {
    this.#advance(now);
    this.#rate = Math.max(Math.min(this.#minRate, ratePerSecond), (this.#rate / this.#limit) * ratePerSecond);
    this.#limit = ratePerSecond;
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  /** Tokens a second at the moment. */
  ratePerSecond(now: number): number {
    this.#advance(now);
    return this.#rate;
  }

  get #capacity(): number {
    return Math.max(1, this.#rate * BURST_SECONDS);
  }

  #advance(now: number): void {
    if (now <= this.#refilledAt) return; // a clock that was set back gives nothing
    const calmMs = Math.max(0, now - Math.max(this.#refilledAt, this.#pressureUntil));
    this.#rate = Math.min(this.#limit, this.#rate + (calmMs / 1000) * this.#recovery * this.#limit);
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#refilledAt) / 1000) * this.#rate);
    this.#refilledAt = now;
  }
}
