// The rate of one route: a token bucket that halves its rate under pressure and recovers slowly (AIMD), because carriers say "too fast"
// before they refuse. The queue for places (queue.ts) takes its tokens. Time is an argument, in Unix ms. One for each route and process;
// how a carrier's rate is shared out between processes is decided by its channel.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Rate } from './queue.ts';

export interface ThrottleOptions {
  /** The rate that the carrier allows. */
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

export class Throttle implements Rate {
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

  take(now: number): { kind: 'taken' } | { kind: 'wait'; until: number } {
    this.#advance(now);
    // A hair under one is one: the wait that was asked for ended on a whole millisecond.
    if (this.#tokens < 1 - 1e-9)
      return { kind: 'wait', until: Math.ceil(now + (1 - this.#tokens) * (1000 / this.#rate)) };
    this.#tokens = Math.max(0, this.#tokens - 1);
    return { kind: 'taken' };
  }

  put(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1);
  }

  /** The carrier said "too fast": a whole window of such answers is one pressure and halves once. */
  pressed(now: number): void {
    this.#advance(now);
    if (now < this.#pressureUntil) return;
    this.#rate = Math.max(Math.min(this.#minRate, this.#limit), this.#rate / 2);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
    this.#pressureUntil = now + this.#pressureMs;
  }

  /** Sets this process's share of the carrier's rate; a lowered rate stays lowered, in proportion. */
  setLimit(ratePerSecond: number, now: number): void {
    if (ratePerSecond === this.#limit) return;
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
    if (now < this.#refilledAt) {
      // The clock was set back: it gives nothing for that, and counts on from here, or nothing would be sent until it is where it was.
      this.#refilledAt = now;
      this.#pressureUntil = Math.min(this.#pressureUntil, now + this.#pressureMs);
      return;
    }
    const calmMs = Math.max(0, now - Math.max(this.#refilledAt, this.#pressureUntil));
    this.#rate = Math.min(this.#limit, this.#rate + (calmMs / 1000) * this.#recovery * this.#limit);
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#refilledAt) / 1000) * this.#rate);
    this.#refilledAt = now;
  }
}

/**
 * Which refusals are pressure on the rate. A carrier also answers "queue full" for the queue of one phone, and then at any rate: a
 * destination that was refused before is a sign only where nothing is accepted, and the sign before was another destination's.
 */
export class Pressure {
  /** Destinations that were refused, and of which none was accepted since. */
  readonly #refused = new BoundedMap<string, true>(10_000);
  /** The destination of the last sign; null once anything was accepted since. */
  #last: string | null = null;

  accepted(to: string): void {
    this.#refused.delete(to);
    this.#last = null;
  }

  /** A message was refused as one too many. True where that is a sign of pressure. */
  refused(to: string): boolean {
    const isSign = !this.#refused.has(to) || (this.#last !== null && this.#last !== to);
    this.#refused.set(to, true);
    if (isSign) this.#last = to;
    return isSign;
  }
}
