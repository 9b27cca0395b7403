// Limits of sends, which hold over all processes: an account's rate, by token buckets in the database of which blocks are
// taken ahead (tokens-ahead.ts); and how often a number may be sent to, with when a refused send may be tried again.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Mode } from '../../core/verify/session.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { Bucket, TakenTokens, WantedTokens } from '../../db/limits/buckets.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import type { AccountView } from '../accounts/views.ts';
import { aheadMs, TokensAhead } from './tokens-ahead.ts';

/** `tokens`: what is left, as far as this process knows: what others have taken since its last statement is not in it. */
export type Taken = ({ kind: 'taken' } | { kind: 'refused'; retryAfterMs: number }) & { tokens: number };

/** Buckets that tokens are remembered of: of one that is forgotten, what was taken ahead is lost. */
const mostBuckets = 10_000;

interface Caller {
  taken(outcome: Taken): void;
  failed(error: unknown): void;
}

/** A bucket as this process uses it. */
interface Used {
  ahead: TokensAhead;
  /** In the order of the calls. */
  waiting: Caller[];
  /** What the last statement left in the bucket, and when. */
  left: { tokens: number; at: number };
  isTaking: boolean;
}

export class Limits {
  readonly #lane: Lane<WantedTokens, TakenTokens>;
  readonly #now: () => number;
  readonly #used = new BoundedMap<string, Used>(mostBuckets);

  constructor(db: SessionStore, { now = Date.now, ...options }: Omit<LaneOptions, 'name'> = {}) {
    this.#now = now;
    // One batch at a time: tokens are taken in the order of the calls.
    this.#lane = new Lane((buckets) => db.takeTokens(buckets), { inFlight: 1, ...options, now, name: 'limits' });
  }

  /** One token. It costs no statement where some were taken ahead. */
  take(bucket: Bucket): Promise<Taken> {
    const used = this.#of(bucket.key);
    used.ahead.note();
    if (used.waiting.length === 0 && used.ahead.spend()) {
      if (!used.isTaking && used.ahead.lacking(mostAhead(bucket)) > 0) void this.#refill(bucket, used);
      return Promise.resolve({ kind: 'taken', tokens: this.#leftOf(bucket, used) });
    }
    return new Promise((taken, failed) => {
      used.waiting.push({ taken, failed });
      if (!used.isTaking) void this.#refill(bucket, used);
    });
  }

  #of(key: string): Used {
    const held = this.#used.get(key);
    if (held) return held;
    const used: Used = { ahead: new TokensAhead(this.#now), waiting: [], left: { tokens: 0, at: 0 }, isTaking: false };
    this.#used.set(key, used);
    return used;
  }

  #leftOf({ capacity, refillPerSecond }: Bucket, { ahead, left }: Used): number {
    const refilled = (Math.max(0, this.#now() - left.at) / 1000) * refillPerSecond;
    return Math.min(capacity, left.tokens + refilled + ahead.here);
  }

  /** Takes what calls wait for and what is to be ahead; again, while calls have come meanwhile. */
  async #refill(bucket: Bucket, used: Used): Promise<void> {
    used.isTaking = true;
    do await this.#takeOnce(bucket, used, used.waiting.splice(0));
    while (used.waiting.length > 0);
    used.isTaking = false;
  }

  async #takeOnce(bucket: Bucket, used: Used, callers: readonly Caller[]): Promise<void> {
    const { ahead, waiting } = used;
    const takenAt = this.#now();
    const wanted = callers.length + ahead.lacking(mostAhead(bucket));
    try {
      const { granted, tokens } = await this.#lane.push({ ...bucket, wanted, back: ahead.back() });
      used.left = { tokens, at: takenAt };
      ahead.add(granted - callers.length, takenAt);
      const left = this.#leftOf(bucket, used);
      for (const { taken } of callers.slice(0, granted)) taken({ kind: 'taken', tokens: left });
      const retryAfterMs = Math.ceil(((1 - tokens) / bucket.refillPerSecond) * 1000);
      for (const { taken } of callers.slice(granted)) taken({ kind: 'refused', retryAfterMs, tokens });
      while (waiting.length > 0 && ahead.spend()) {
        waiting.shift()?.taken({ kind: 'taken', tokens: this.#leftOf(bucket, used) });
      }
    } catch (error) {
      // Where nobody waits, the next call meets the same failure or none.
      for (const { failed } of callers) failed(error);
    }
  }
}

/** So a bucket of few tokens a second gives none ahead. */
const mostAhead = ({ refillPerSecond }: Bucket): number => Math.floor((refillPerSecond * aheadMs) / 1000);

/** The deployment's limits of sends. */
export interface SendLimits {
  /** Of one account to one number, where the account has none of its own. */
  perNumberPerHour: number;
  perNumberPerDay: number;
  /** Of all accounts together to one number. */
  platformPerNumberPerHour: number;
  platformPerNumberPerDay: number;
  accountPerSecond: number;
  accountBurst: number;
}

type AccountLimits = Pick<AccountView, 'sendsPerNumberPerHour' | 'sendsPerNumberPerDay' | 'unlimitedNumbers'>;

/** null where nothing is counted: a test key sends nothing, and an account with wide limits is trusted with numbers too. */
export function numberLimitsOf(account: AccountLimits, mode: Mode, limits: SendLimits): NumberLimits | null {
  if (mode === 'test' || account.unlimitedNumbers) return null;
  return {
    perHour: account.sendsPerNumberPerHour ?? limits.perNumberPerHour,
    perDay: account.sendsPerNumberPerDay ?? limits.perNumberPerDay,
    platformPerHour: limits.platformPerNumberPerHour,
    platformPerDay: limits.platformPerNumberPerDay,
  };
}

/**
 * Ms until the next try: the time that the slower of the two buckets needs for one token, and up to half as much again at random. So
 * it comes from the same range whether the account's bucket is empty or the platform's: the difference would reveal the sends of other accounts.
 */
export function retryAfterMs(by: Spent, limits: NumberLimits, randomBytes: (size: number) => Uint8Array): number {
  const [periodMs, slower] =
    by === 'hour'
      ? [3_600_000, Math.min(limits.perHour, limits.platformPerHour)]
      : [86_400_000, Math.min(limits.perDay, limits.platformPerDay)];
  const random = Buffer.from(randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return Math.ceil((periodMs / slower) * (1 + random / 2));
}
