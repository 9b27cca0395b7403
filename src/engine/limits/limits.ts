// Limits that are counted for a whole account, which hold over all processes: its rate, by a token bucket in the database of which blocks are taken
// ahead (tokens-ahead.ts), and beside it what else counts a send, e.g. the sends for one end user. A send takes a token of each or of none.

import { BoundedMap } from '../../collections/small-maps.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { Bucket, TakenTokens, WantedTogether, WantedTokens } from '../../db/limits/buckets.ts';
import { aheadMs, TokensAhead } from './tokens-ahead.ts';

/** A bucket that counts a send beside its account's rate. None of its tokens is taken ahead: it is exact. */
export interface BesideBucket extends Bucket {
  /** An empty one refuses nothing. */
  optional: boolean;
}

/** `tokens`: what is left of the rate, as far as this process knows: what others have taken since its last statement is not in it. */
export type Taken = (
  | {
      kind: 'taken';
      /** Buckets beside the account's that a token was taken from. */
      from: readonly Bucket[];
      /** Optional ones that were empty. */
      empty: readonly Bucket[];
    }
  /** `empty`: the bucket that refuses. */
  | { kind: 'refused'; empty: Bucket; retryAfterMs: number }
) & { tokens: number };

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
  readonly #lane: Lane<WantedTogether, TakenTokens[]>;
  readonly #now: () => number;
  readonly #used = new BoundedMap<string, Used>(mostBuckets);

  constructor(db: Pick<SessionStore, 'takeTokens'>, { now = Date.now, ...options }: Omit<LaneOptions, 'name'> = {}) {
    this.#now = now;
    // One batch at a time: tokens are taken in the order of the calls.
    this.#lane = new Lane((items) => db.takeTokens(items), { inFlight: 1, ...options, now, name: 'limits' });
  }

  /** One token of `bucket` and one of each of `beside`, or none. It costs no statement where one was taken ahead and nothing is beside. */
  take(bucket: Bucket, beside: readonly BesideBucket[] = []): Promise<Taken> {
    const used = this.#of(bucket.key);
    used.ahead.note();
    const isHere = used.waiting.length === 0 && used.ahead.spend();
    if (isHere && !used.isTaking && used.ahead.lacking(mostAhead(bucket)) > 0) void this.#refill(bucket, used);
    if (beside.length > 0) return this.#takeTogether(bucket, used, isHere, beside);
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

  #of(key: string): Used {
    const held = this.#used.get(key);
    if (held) return held;
    const used: Used = { ahead: new TokensAhead(this.#now), waiting: [], left: { tokens: 0, at: 0 }, isTaking: false };
    this.#used.set(key, used);
    return used;
  }

  #taken(bucket: Bucket, used: Used, from: readonly Bucket[] = [], empty: readonly Bucket[] = []): Taken {
    return { kind: 'taken', from, empty, tokens: this.#leftOf(bucket, used) };
  }

  #leftOf({ capacity, refillPerSecond }: Bucket, { ahead, left }: Used): number {
    const refilled = (Math.max(0, this.#now() - left.at) / 1000) * refillPerSecond;
    return Math.min(capacity, left.tokens + refilled + ahead.here);
  }

  /** `isHere`: the token of `bucket` itself is spent already, of those taken ahead. */
  async #takeTogether(bucket: Bucket, used: Used, isHere: boolean, beside: readonly BesideBucket[]): Promise<Taken> {
    const own: WantedTokens[] = isHere ? [] : [{ ...bucket, wanted: 1, back: 0 }];
    const wanted = [...own, ...beside.map((each) => ({ ...each, wanted: 1, back: 0 }))];
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
      const empty = lacking.find(({ tokens }) => tokens < 1);
      if (empty) {
        giveUp();
        const { want, tokens } = empty;
        return {
          kind: 'refused',
          empty: want,
          retryAfterMs: retryAfterMs(want, tokens),
          tokens: this.#leftOf(bucket, used),
        };
      }
      // Those before it in the batch wanted the token, and were refused by another bucket: it is there still.
      if (lacking.length > 0) continue;
      const fromBeside = each.filter(({ want, granted }) => granted > 0 && want.key !== bucket.key);
      return this.#taken(
        bucket,
        used,
        fromBeside.map(({ want }) => want),
        each.filter(({ lacked }) => lacked).map(({ want }) => want),
      );
    }
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
      const [row] = await this.#lane.push([{ ...bucket, wanted, back: ahead.back() }]);
      const { granted, tokens } = row as TakenTokens;
      used.left = { tokens, at: takenAt };
      ahead.add(granted - callers.length, takenAt);
      for (const { taken } of callers.slice(0, granted)) taken(this.#taken(bucket, used));
      const others = callers.slice(granted);
      // Those before it in the batch wanted the token, and were refused by another bucket: it is there still.
      if (tokens >= 1) waiting.unshift(...others);
      else
        for (const { taken } of others)
          taken({ kind: 'refused', empty: bucket, retryAfterMs: retryAfterMs(bucket, tokens), tokens });
      while (waiting.length > 0 && ahead.spend()) waiting.shift()?.taken(this.#taken(bucket, used));
    } catch (error) {
      // Where nobody waits, the next call meets the same failure or none.
      for (const { failed } of callers) failed(error);
    }
  }
}

const retryAfterMs = ({ refillPerSecond }: Bucket, tokens: number): number =>
  Math.ceil(((1 - tokens) / refillPerSecond) * 1000);

/** So a bucket of few tokens a second gives none ahead. */
const mostAhead = ({ refillPerSecond }: Bucket): number => Math.floor((refillPerSecond * aheadMs) / 1000);
