// Limits against abuse that hold over all processes: token buckets in the database, many taken in one statement.

import { Lane, type LaneOptions } from '../../db/batch.ts';
import { columns } from '../../db/columns.ts';
import type { Queryable } from '../../db/queryable.ts';
import { again } from '../../db/verify/again.ts';

export interface Bucket {
  /** E.g. `account:acct_…:live`. */
  key: string;
  /** Tokens a full bucket holds. */
  capacity: number;
  /** Tokens that come back per second. */
  refillPerSecond: number;
}

export type Taken = { kind: 'taken' } | { kind: 'refused'; retryAfterMs: number };

const wanted = columns({ key: 'text', capacity: 'integer', refill: 'text', wanted: 'integer' });

// One row a key: callers for the same key are merged before. Rows are locked before they are read, in one order, and one that is new at
// that moment makes the statement run again (db/verify/again.ts), so that two processes never grant the same token.
const text = `
with w as materialized (${wanted.select(1)}),
held as materialized (
  select b.key, b.tokens, b.updated_at from w join rate_bucket b on b.key = w.key order by b.key for update of b
),
filled as materialized (
  select w.key, w.wanted, h.key is not null as known, least(w.capacity::double precision, coalesce(
    h.tokens + extract(epoch from clock_timestamp() - h.updated_at)::double precision * w.refill::double precision,
    w.capacity)) as tokens
  from w left join held h on h.key = w.key
),
granted as materialized (select key, known, least(wanted, floor(tokens)) as granted, tokens from filled),
stored as (
  update rate_bucket b set tokens = g.tokens - g.granted, updated_at = clock_timestamp()
  from granted g where g.known and g.granted > 0 and b.key = g.key
),
made as (
  insert into rate_bucket (key, tokens, updated_at)
  select key, tokens - granted, clock_timestamp() from granted where not known and granted > 0 order by key
)
select key, granted::integer, tokens - granted as tokens from granted`;

interface Merged {
  bucket: Bucket;
  wanted: number;
}

export class Limits {
  readonly #lane: Lane<Bucket, { granted: boolean; tokens: number }>;

  constructor(db: Queryable, options: Omit<LaneOptions, 'name'> = {}) {
    // One batch at a time: a token is taken once, by whoever asked first.
    this.#lane = new Lane((buckets) => takeAll(db, buckets), { inFlight: 1, ...options, name: 'limits' });
  }

  /** One token. */
  async take(bucket: Bucket): Promise<Taken> {
    const { granted, tokens } = await this.#lane.push(bucket);
    if (granted) return { kind: 'taken' };
    return { kind: 'refused', retryAfterMs: Math.ceil(((1 - tokens) / bucket.refillPerSecond) * 1000) };
  }
}

async function takeAll(db: Queryable, buckets: readonly Bucket[]): Promise<{ granted: boolean; tokens: number }[]> {
  const merged = new Map<string, Merged>();
  for (const bucket of buckets) {
    const same = merged.get(bucket.key);
    if (same) same.wanted += 1;
    else merged.set(bucket.key, { bucket, wanted: 1 });
  }
  const rows = [...merged.values()].map(({ bucket: { key, capacity, refillPerSecond }, wanted }) => ({
    key,
    capacity,
    wanted,
    refill: String(refillPerSecond),
  }));
  const values = wanted.parameters(rows);
  const result = await again(() =>
    db.query<{ key: string; granted: number; tokens: number }>({ name: 'limits', text, values }),
  );
  const left = new Map(result.rows.map((row) => [row.key, { ...row }]));
  return buckets.map(({ key }) => {
    const row = left.get(key);
    if (!row || row.granted <= 0) return { granted: false, tokens: row?.tokens ?? 0 };
    row.granted -= 1;
    return { granted: true, tokens: row.tokens };
  });
}
