// Token buckets that hold over all processes. Tokens for many callers are taken in one statement; a caller that needs tokens of several
// buckets gets all of them or none.

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
  /** Taken where it is there, and no reason to take nothing from the other buckets where it is not. Default false. */
  optional?: boolean;
}

/** Tokens of different buckets that are taken together or not at all; of a single bucket, as many as there are. */
export type WantedTogether = readonly WantedTokens[];

export interface TakenTokens {
  granted: number;
  /** What is left in the bucket. */
  tokens: number;
  /** Fewer than wanted were left of what those before it want. */
  lacked: boolean;
}

const wanted = columns({
  item: 'integer',
  key: 'text',
  capacity: 'integer',
  refill: 'text',
  wanted: 'integer',
  back: 'integer',
  whole: 'boolean',
  optional: 'boolean',
});

// Rows are locked before they are read, in one order, and one that is new at that moment makes the statement run again (`again` in
// db/queryable.ts), so that two processes never grant the same token. Items and buckets meet in a window and not in a join: see number-tokens.ts.
const text = `
with w as materialized (${wanted.select(1)}),
held as materialized (
  -- Of a clock that was set back, as by a failover, nothing has passed: the row is written again by the new time, whatever is granted.
  select key, tokens, greatest(extract(epoch from clock_timestamp() - updated_at), 0)::double precision as passed,
    updated_at > clock_timestamp() as early from (
    select b.key, b.tokens, b.updated_at from rate_bucket b
    where b.key = any(array(select key from w)) order by b.key for update
  ) locked_rows
),
filled as (
  select item, key, wanted, whole, optional, sum(back) over same as back, bool_or(item is null) over same as known, bool_or(early) over same as early,
    least(max(capacity) over same, coalesce(
      max(tokens) over same + sum(back) over same + max(passed) over same * max(refill) over same, max(capacity) over same)) as tokens,
    sum(wanted) over (partition by key order by item nulls first rows unbounded preceding) - wanted as before
  from (
    select item, key, capacity::double precision, refill::double precision, wanted, back, whole, optional,
      null::double precision as tokens, null::double precision as passed, false as early from w
    union all select null, key, null, null, 0, 0, null, null, tokens, passed, early from held
  ) each
  window same as (partition by key)
),
there as (
  select item, key, wanted, whole, optional, back, known, early, tokens,
    greatest(0, least(wanted, floor(tokens) - before)) as there
  from filled where item is not null
),
granted as materialized (
  select item, key, back, known, early, tokens, there < wanted as lacked,
    case when not whole then there
      when bool_and(optional or there >= wanted) over (partition by item) and there >= wanted then wanted
      else 0 end as granted
  from there
),
taken as materialized (
  select key, bool_or(known) as known, bool_or(early) as early, max(back) as back, sum(granted) as granted, min(tokens) - sum(granted) as tokens
  from granted group by key
),
stored as (
  update rate_bucket b set tokens = t.tokens, updated_at = clock_timestamp()
  from taken t where t.known and (t.granted + t.back > 0 or t.early) and b.key = t.key
),
made as (
  insert into rate_bucket (key, tokens, updated_at)
  select key, tokens, clock_timestamp() from taken where not known and granted > 0 order by key
)
select g.item, g.key, g.granted::integer, g.lacked, g.tokens - sum(g.granted) over (partition by g.key) as tokens
from granted g`;

/** In the order of `items`, each in the order of its buckets. The keys of one item differ. */
export async function takeTokens(db: Queryable, items: readonly WantedTogether[]): Promise<TakenTokens[][]> {
  const rows = items.flatMap((buckets, item) =>
    buckets.map(({ refillPerSecond, optional = false, ...bucket }) => ({
      ...bucket,
      item,
      refill: String(refillPerSecond),
      whole: buckets.length > 1,
      optional,
    })),
  );
  type Row = { item: number; key: string } & TakenTokens;
  const values = wanted.parameters(rows);
  const result = await again(() => db.query<Row>({ name: 'limits', text, values }));
  const found = new Map(result.rows.map((row) => [`${row.item} ${row.key}`, row]));
  return items.map((buckets, item) =>
    buckets.map(({ key }) => {
      const { granted = 0, tokens = 0, lacked = true } = found.get(`${item} ${key}`) ?? {};
      return { granted, tokens, lacked };
    }),
  );
}
