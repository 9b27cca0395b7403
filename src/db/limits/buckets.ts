// Token buckets that hold over all processes. Tokens for many callers are taken in one statement.

import { columns } from '../columns.ts';
import { again, type Queryable } from '../queryable.ts';

export interface Bucket {
  /** E.g. `account:acct_…:live`. */
  key: string;
  /** Tokens a full bucket holds. */
  capacity: number;
  /** Tokens that come back per second. */
  refillPerSecond: number;
}

export interface TakenToken {
  granted: boolean;
  /** What is left in the bucket. */
  tokens: number;
}

const wanted = columns({ key: 'text', capacity: 'integer', refill: 'text', wanted: 'integer' });

// One row a key: callers for the same key are merged before. Rows are locked before they are read, in one order, and one that is new at
// that moment makes the statement run again (`again` in db/queryable.ts), so that two processes never grant the same token.
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

/** One token from each of `buckets`, in their order; the same bucket may be among them more than once. */
export async function takeTokens(db: Queryable, buckets: readonly Bucket[]): Promise<TakenToken[]> {
  const merged = new Map<string, { bucket: Bucket; wanted: number }>();
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
