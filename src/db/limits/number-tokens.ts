// Tokens of a number, taken in the statement that stores the send they are for: one from the account's bucket for the number and one from
// the platform's, which all accounts share. A send that one of them refuses takes from neither.
//
// The truth is the locked row, as with wrong codes (failures-text.ts): rows are locked in one order and read after the lock, and a row that
// is new at that moment makes the statement run again (`again` in queryable.ts).

import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';

/** Sends to one number that an account may make, and that all accounts may make together. */
export interface NumberLimits {
  perHour: number;
  perDay: number;
  platformPerHour: number;
  platformPerDay: number;
}

/** The bucket that is empty. Callers may not learn whether it is the account's or the platform's. */
export type Spent = 'hour' | 'day';

/** Limits that a send is checked against; all null where nothing is counted. */
export type WantedTokens = { readonly [Limit in keyof NumberLimits]: number | null };

export const wantedTokens = record<WantedTokens>()({
  perHour: 'integer',
  perDay: 'integer',
  platformPerHour: 'integer',
  platformPerDay: 'integer',
});

export const noTokens: WantedTokens = { perHour: null, perDay: null, platformPerHour: null, platformPerDay: null };

export const ownKey = (row: string) => `'number:' || ${row}.account_id || ':live:' || ${row}.number`;
export const sharedKey = (row: string) => `'platform:' || ${row}.number`;

/** Tokens of a row after `passed` seconds; a row that is not there is full. */
const filledUp = (tokens: string, passed: string, capacity: string, seconds: number) =>
  `least(${capacity}, coalesce(${tokens} + ${passed} * ${capacity} / ${seconds}, ${capacity}))`;

const passed = `greatest(extract(epoch from clock_timestamp() - updated_at), 0)::double precision`;

/**
 * Each row of `rows` with the tokens its bucket `key` had, and how many before it want one. Rows and buckets meet in a window and not in
 * a join: the planner expects few of them and would join by loops, 200 ms for 256 sends.
 */
const withBucket = (rows: string, key: string, perHour: string, perDay: string, carried: readonly string[]) => `
  select * from (
    select id, ${carried.join(', ')}, row_number() over (partition by key order by id) as nth,
      bool_or(id is null) over same as known,
      ${filledUp('max(tokens) over same', 'max(passed) over same', perHour, 3_600)} as hour_tokens,
      ${filledUp('max(day_tokens) over same', 'max(passed) over same', perDay, 86_400)} as day_tokens
    from (
      select null::text as id, key, ${carried.map((name) => `null as ${name}`).join(', ')}, tokens, day_tokens, passed
      from bucket_rows
      union all select id, ${key}, ${carried.join(', ')}, null, null, null from ${rows}
    ) each
    window same as (partition by key)
  ) each where id is not null`;

/**
 * Parts of a statement. `rows` has `id`, `account_id`, `number` and `wantedTokens`, none of them null, and is one row a send. Behind the
 * parts, `granted` has the ids that may be stored, and `spent` those that may not, with the empty bucket in `by`.
 */
export const tokensFor = (rows: string) => `asked as materialized (
  select w.id, ${ownKey('w')} as own, ${sharedKey('w')} as shared, w.per_hour, w.per_day, w.platform_per_hour, w.platform_per_day
  from (${rows}) w
),
bucket_rows as materialized (
  select key, tokens, day_tokens, ${passed} as passed, updated_at > clock_timestamp() as early from (
    select b.key, b.tokens, b.day_tokens, b.updated_at from rate_bucket b
    where b.key = any(array(select own from asked union all select shared from asked)) order by b.key for update
  ) locked_rows
),
-- Of several sends at once the first ones get the tokens that are left. A send that the account's own bucket refuses takes none of the platform's.
by_account as materialized (${withBucket('asked', 'own', 'per_hour', 'per_day', [
  'own',
  'shared',
  'per_hour',
  'per_day',
  'platform_per_hour',
  'platform_per_day',
])}
),
passing as materialized (
  select id, own, shared, platform_per_hour, platform_per_day, known as own_known, hour_tokens as own_hour, day_tokens as own_day
  from by_account where nth <= least(hour_tokens, day_tokens)
),
by_platform as materialized (${withBucket('passing', 'shared', 'platform_per_hour', 'platform_per_day', [
  'own',
  'shared',
  'platform_per_hour',
  'platform_per_day',
  'own_known',
  'own_hour',
  'own_day',
])}
),
granted as materialized (
  select * from by_platform where nth <= least(hour_tokens, day_tokens)
),
spent as materialized (
  select id, case when nth > day_tokens then 'day' else 'hour' end as by
  from (select id, nth, hour_tokens, day_tokens from by_account union all
    select id, nth, hour_tokens, day_tokens from by_platform) each
  where nth > least(hour_tokens, day_tokens)
),
-- Of a clock that was set back nothing has passed: the row is written again by the new time, whatever is granted.
taken as materialized (
  select key, bool_or(known) as known, min(hour_tokens) - sum(sends) as hour_tokens, min(day_tokens) - sum(sends) as day_tokens
  from (select own as key, own_known as known, own_hour as hour_tokens, own_day as day_tokens, 1 as sends from granted
    union all select shared, known, hour_tokens, day_tokens, 1 from granted
    union all select key, true, tokens, day_tokens, 0 from bucket_rows where early) each
  group by key
),
taken_again as (
  update rate_bucket b set tokens = t.hour_tokens, day_tokens = t.day_tokens, updated_at = clock_timestamp()
  from taken t where t.known and b.key = t.key
),
taken_first as (
  insert into rate_bucket (key, tokens, day_tokens, updated_at)
  select key, hour_tokens, day_tokens, clock_timestamp() from taken where not known order by key
)`;

const peek = `
select case when bool_or(day_tokens < 1) then 'day' when bool_or(hour_tokens < 1) then 'hour' end as by from (
  select ${filledUp('tokens', passed, 'k.per_hour', 3_600)} as hour_tokens,
    ${filledUp('day_tokens', passed, 'k.per_day', 86_400)} as day_tokens
  from (select ${ownKey('w')} as key, $3::integer as per_hour, $4::integer as per_day
      from (select $1::text as account_id, $2::text as number) w
    union all select ${sharedKey('w')}, $5::integer, $6::integer from (select $2::text as number) w) k
  join rate_bucket r on r.key = k.key
) each`;

/** Which bucket is empty at this moment, without taking anything; null = none. */
export async function peekTokens(
  db: Queryable,
  { accountId, number }: { accountId: string; number: string },
  { perHour, perDay, platformPerHour, platformPerDay }: NumberLimits,
): Promise<Spent | null> {
  const values = [accountId, number, perHour, perDay, platformPerHour, platformPerDay];
  const { rows } = await db.query<{ by: Spent | null }>({ name: 'number tokens', text: peek, values });
  return rows[0]?.by ?? null;
}
