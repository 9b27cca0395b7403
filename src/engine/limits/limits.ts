// Limits against abuse that hold over all processes: token buckets in the database, many taken in one statement.

import { Lane, type LaneOptions } from '../../db/batch.ts';
import { type Bucket, type TakenToken, takeTokens } from '../../db/limits/buckets.ts';
import type { Queryable } from '../../db/queryable.ts';

export type Taken = { kind: 'taken' } | { kind: 'refused'; retryAfterMs: number };

export class Limits {
  readonly #lane: Lane<Bucket, TakenToken>;

  constructor(db: Queryable, options: Omit<LaneOptions, 'name'> = {}) {
    // One batch at a time: a token is taken once, by whoever asked first.
    this.#lane = new Lane((buckets) => takeTokens(db, buckets), { inFlight: 1, ...options, name: 'limits' });
  }

  /** One token. */
  async take(bucket: Bucket): Promise<Taken> {
    const { granted, tokens } = await this.#lane.push(bucket);
    if (granted) return { kind: 'taken' };
    return { kind: 'refused', retryAfterMs: Math.ceil(((1 - tokens) / bucket.refillPerSecond) * 1000) };
  }
}
