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

/** What is taken from a bucket, and what is put back of what was taken before. */
export interface WantedTokens extends Bucket {
  wanted: number;
  back: number;
}

export interface TakenTokens {
  granted: number;
  /** What is left in the bucket. */
  tokens: number;
}

const wanted = columns({ key: 'text', capacity: 'integer', refill: 'text', wanted: 'integer', back: 'integer' });

// Rows are locked before they are read, in one order, and one that is new at that moment makes the statement run again (`again` in
// db/queryable.ts), so that two processes never grant the same token.
const text = `
with w as materialized (${wanted.select(1)}),
held as materialized (
  select b.key, b.tokens, b.updated_at from w join rate_bucket b on b.key = w.key order by b.key for update of b
),
filled as materialized (
  select w.key, w.wanted, w.back, h.key is not null as known, least(w.capacity::double precision, coalesce(
    h.tokens + w.back + extract(epoch from clock_timestamp() - h.updated_at)::double precision * w.refill::double precision,
    w.capacity)) as tokens
  from w left join held h on h.key = w.key
),
granted as materialized (select key, known, back, least(wanted, floor(tokens)) as granted, tokens from filled),
stored as (
  update rate_bucket b set tokens = g.tokens - g.granted, updated_at = clock_timestamp()
  from granted g where g.known and g.granted + g.back > 0 and b.key = g.key
),
made as (
  insert into rate_bucket (key, tokens, updated_at)
  select key, tokens - granted, clock_timestamp() from granted where not known and granted > 0 order by key
)
select key, granted::integer, tokens - granted as tokens from granted`;

/** As many tokens as there are, up to those wanted, from each of `buckets`; the keys differ. In their order. */
export async function takeTokens(db: Queryable, buckets: readonly WantedTokens[]): Promise<TakenTokens[]> {
  const rows = buckets.map(({ refillPerSecond, ...bucket }) => ({ ...bucket, refill: String(refillPerSecond) }));
  const values = wanted.parameters(rows);
  const result = await again(() =>
    db.query<{ key: string; granted: number; tokens: number }>({ name: 'limits', text, values }),
  );
  const found = new Map(result.rows.map((row) => [row.key, row]));
  return buckets.map(({ key }) => {
    const { granted = 0, tokens = 0 } = found.get(key) ?? {};
    return { granted: Math.max(0, granted), tokens };
  });
}
