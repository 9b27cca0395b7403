// The platform's two limits on sending: per business number, and per pair of business number and person.

import type { Clock } from '../clock.ts';

export interface SendLimits {
  /** Messages a second from one business number; documented default 80. */
  perSecond: number;
  /** To one person: this many at once (documented: 45) … */
  pairBurst: number;
  /** … and then one each time this has passed (documented: 6 s). Milliseconds. */
  pairIntervalMs: number;
}

export const documentedLimits: SendLimits = { perSecond: 80, pairBurst: 45, pairIntervalMs: 6_000 };

interface Bucket {
  tokens: number;
  at: number;
}

/** Pairs kept in mind; those beyond start afresh. */
const MAX_PAIRS = 50_000;

export class SendLimiter {
  limits: SendLimits;
  readonly #clock: Clock;
  readonly #numbers = new Map<string, Bucket>();
  readonly #pairs = new Map<string, Bucket>();

  constructor(clock: Clock, limits: SendLimits) {
    this.#clock = clock;
    this.limits = limits;
  }

  /** Takes a place in both, or in neither. The error code of the limit that is reached, else null. */
  take(phoneNumberId: string, to: string): 130429 | 131056 | null {
    const { perSecond, pairBurst, pairIntervalMs } = this.limits;
    const number = this.#filled(this.#numbers, phoneNumberId, perSecond, perSecond / 1000);
    if (number.tokens < 1) return 130429;
    if (this.#pairs.size > MAX_PAIRS) this.#pairs.clear();
    const pair = this.#filled(this.#pairs, `${phoneNumberId} ${to}`, pairBurst, 1 / pairIntervalMs);
    if (pair.tokens < 1) return 131056;
    number.tokens -= 1;
    pair.tokens -= 1;
    return null;
  }

  forget(): void {
    this.#numbers.clear();
    this.#pairs.clear();
  }

  #filled(buckets: Map<string, Bucket>, key: string, capacity: number, perMs: number): Bucket {
    const now = this.#clock.now();
    const bucket = buckets.get(key) ?? { tokens: capacity, at: now };
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    buckets.set(key, bucket);
    return bucket;
  }
}
