// Rate limits that hold over all processes: token buckets in the database. Of an account's own bucket this process takes some tokens ahead
// (tokens-ahead.ts); extra buckets count a send for something else, such as its end user. A send takes a token of each bucket or of none.

import { BoundedMap } from '../../collections/small-maps.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { Bucket, TakenTokens, WantedTogether, WantedTokens } from '../../db/limits/buckets.ts';
import { aheadMs, TokensAhead } from './tokens-ahead.ts';

/** A bucket that counts a send in addition to its account's own. No token of it is taken ahead, so that it is exact. */
export interface ExtraBucket extends Bucket {
  /** Whether the send goes on where the bucket is empty. */
  optional: boolean;
}

/** A bucket that refuses a send, and when it has a token. */
export interface EmptyBucket {
  key: string;
  retryAfterMs: number;
}

/** `tokens`: what is left in the account's own bucket, as far as this process knows: what others took since its last statement is not in it. */
export type TokensTaken = (
  | {
      kind: 'taken';
      /** Extra buckets that a token was taken from. */
      from: readonly Bucket[];
      /** Optional ones that were empty. */
      empty: readonly Bucket[];
    }
  /** `empty`: all that refuse, the account's own first. */
  | { kind: 'refused'; empty: readonly EmptyBucket[] }
) & { tokens: number };

/** Buckets of accounts that are kept in memory. Tokens taken ahead of one that is forgotten are lost. */
const mostBuckets = 10_000;

interface Caller {
  taken(outcome: TokensTaken): void;
  failed(error: unknown): void;
}

/** The bucket of an account as this process uses it. */
interface LocalBucket {
  ahead: TokensAhead;
  /** In the order of the calls. */
  waiting: Caller[];
  /** What the last statement left in the bucket, and when. */
  left: { tokens: number; at: number };
  isTaking: boolean;
}

export class RateLimits {
  readonly #lane: Lane<WantedTogether, TakenTokens[]>;
  readonly #now: () => number;
  readonly #used = new BoundedMap<string, LocalBucket>(mostBuckets);

  constructor(db: Pick<SessionStore, 'takeTokens'>, { now = Date.now, ...options }: Omit<LaneOptions, 'name'> = {}) {
    this.#now = now;
    // One batch at a time: tokens are taken in the order of the calls.
    this.#lane = new Lane((items) => db.takeTokens(items), { inFlight: 1, ...options, now, name: 'limits' });
  }

  /**
   * Takes one token of the account's `bucket` and one of each of `extra`, or none. It costs no statement where one was taken ahead and there
   * is no extra bucket. @throws when the database fails.
   */
  take(bucket: Bucket, extra: readonly ExtraBucket[] = []): Promise<TokensTaken> {
    const used = this.#of(bucket.key);
    used.ahead.note();
    const isHere = used.waiting.length === 0 && used.ahead.spend();
    if (isHere && !used.isTaking && used.ahead.lacking(mostAhead(bucket)) > 0) void this.#refill(bucket, used);
    if (extra.length > 0) return this.#takeTogether(bucket, used, isHere, extra);
    if (isHere) return Promise.resolve(this.#taken(bucket, used));
    return new Promise((taken, failed) => {
      used.waiting.push({ taken, failed });
      if (!used.isTaking) void this.#refill(bucket, used);
    });
  }

  /** Puts a token back into each, for a send that was refused after they were taken. Nobody waits for it. */
  giveBack(buckets: readonly Bucket[]): void {
    if (buckets.length === 0) return;
    const items = buckets.map((bucket) => ({ ...bucket, wanted: 0, back: 1 }));
    // What can't be put back now comes back with time, as every token does.
    this.#lane.push(items, { patient: true }).catch(() => {});
  }

  #of(key: string): LocalBucket {
    const held = this.#used.get(key);
    if (held) return held;
    const used: LocalBucket = {
      ahead: new TokensAhead(this.#now),
      waiting: [],
      left: { tokens: 0, at: 0 },
      isTaking: false,
    };
    this.#used.set(key, used);
    return used;
  }

  #taken(bucket: Bucket, used: LocalBucket, from: readonly Bucket[] = [], empty: readonly Bucket[] = []): TokensTaken {
    return { kind: 'taken', from, empty, tokens: this.#leftOf(bucket, used) };
  }

  #leftOf({ capacity, refillPerSecond }: Bucket, { ahead, left }: LocalBucket): number {
    const refilled = (Math.max(0, this.#now() - left.at) / 1000) * refillPerSecond;
    return Math.min(capacity, left.tokens + refilled + ahead.here);
  }

  /** `isHere`: the token of `bucket` itself is spent already, of those taken ahead. */
  async #takeTogether(
    bucket: Bucket,
    used: LocalBucket,
    isHere: boolean,
    extra: readonly ExtraBucket[],
  ): Promise<TokensTaken> {
    const own: WantedTokens[] = isHere ? [] : [{ ...bucket, wanted: 1, back: 0 }];
    const wanted = [...own, ...extra.map((each) => ({ ...each, wanted: 1, back: 0 }))];
    const giveUp = () => isHere && used.ahead.giveUp();
    for (;;) {
      const takenAt = this.#now();
      const rows = await this.#lane.push(wanted).catch((error: unknown) => {
        giveUp();
        throw error;
      });
      const each = wanted.map((want, n) => ({ want, ...(rows[n] as TakenTokens) }));
      if (!isHere) used.left = { tokens: each[0]?.tokens ?? 0, at: takenAt };
      const lacking = each.filter(({ want, lacked }) => lacked && !want.optional);
      const empty = lacking.filter(({ tokens }) => tokens < 1);
      if (empty.length > 0) {
        giveUp();
        const refusing = empty.map(({ want, tokens }) => emptyOf(want, tokens));
        return { kind: 'refused', empty: refusing, tokens: this.#leftOf(bucket, used) };
      }
      // Those before it in the batch wanted the token, and were refused by another bucket: it is there still.
      if (lacking.length > 0) continue;
      const fromExtra = each.filter(({ want, granted }) => granted > 0 && want.key !== bucket.key);
      return this.#taken(
        bucket,
        used,
        fromExtra.map(({ want }) => want),
        each.filter(({ lacked }) => lacked).map(({ want }) => want),
      );
    }
  }

  /** Takes what calls wait for and what is to be ahead; again, while calls have come meanwhile. */
  async #refill(bucket: Bucket, used: LocalBucket): Promise<void> {
    used.isTaking = true;
    do await this.#takeOnce(bucket, used, used.waiting.splice(0));
    while (used.waiting.length > 0);
    used.isTaking = false;
  }

  async #takeOnce(bucket: Bucket, used: LocalBucket, callers: readonly Caller[]): Promise<void> {
    const { ahead, waiting } = used;
    const takenAt = this.#now();
    const wanted = callers.length + ahead.lacking(mostAhead(bucket));
    try {
      const [row] = await this.#lane.push([{ ...bucket, wanted, back: ahead.back() }]);
      const { granted, tokens } = row as TakenTokens;
      used.left = { tokens, at: takenAt };
      ahead.add(granted - callers.length, takenAt);
      for (const { taken } of callers.slice(0, granted)) taken(this.#taken(bucket, used));
      const others = callers.slice(granted);
      // Those before it in the batch wanted the token, and were refused by another bucket: it is there still.
      if (tokens >= 1) waiting.unshift(...others);
      else for (const { taken } of others) taken({ kind: 'refused', empty: [emptyOf(bucket, tokens)], tokens });
      while (waiting.length > 0 && ahead.spend()) waiting.shift()?.taken(this.#taken(bucket, used));
    } catch (error) {
      // Where nobody waits, the next call meets the same failure or none.
      for (const { failed } of callers) failed(error);
    }
  }
}

/** Whole ms until the bucket has a token. */
export const retryAfterMs = ({ refillPerSecond }: Pick<Bucket, 'refillPerSecond'>, tokens: number): number =>
  Math.ceil(((1 - tokens) / refillPerSecond) * 1000);

const emptyOf = (bucket: Bucket, tokens: number): EmptyBucket => ({
  key: bucket.key,
  retryAfterMs: retryAfterMs(bucket, tokens),
});

/** So a bucket of few tokens a second gives none ahead. */
const mostAhead = ({ refillPerSecond }: Bucket): number => Math.floor((refillPerSecond * aheadMs) / 1000);
