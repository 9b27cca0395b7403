// The traffic of accounts as the pumping guard looks at it: their newest sends, and what became of their sessions by minute and prefix. Both
// are bounded reads of committed rows for many accounts at once, beside the statements that sends wait for.

import { lowestId } from '../../core/ids.ts';
import type { Cohort } from '../../core/limits/prefix-conversion.ts';
import type { RecentSend } from '../../core/limits/sequential-numbers.ts';
import { settleAny } from '../../time/settle.ts';
import type { Reads } from '../queryable.ts';

/** An id is made a moment before its session, by a clock that may differ. */
const idMarginMs = 10_000;

// `lateral`: each account's newest are found by its own walk down the key.
const recentText = `
select a.account_id as "accountId", s.number, s.at, s.verified
from unnest($1::text[]) a (account_id) cross join lateral (
  select number, extract(epoch from created_at)::double precision * 1000 as at, case
      when status <> 'verified' or (sealed_code is null and status_reason = 'reported') then 'no'
      when sealed_code is null then 'checked' else 'claimed'
    end as verified
  from verify_session
  where account_id = a.account_id and id >= $2 and mode = 'live' and created_at >= $3 order by id desc limit $4
) s`;

/** Of the account with that id. */
export type Of<Row> = Row & { accountId: string };

export interface RecentSendsAsked {
  accountIds: readonly string[];
  /** Unix ms. */
  since: number;
  /** Of each account, the newest. */
  limit: number;
  /** Sessions whose ids are older than `since` by more are passed over, and cost nothing. Default: by the most that clocks may differ. */
  marginMs?: number;
}

/** Sessions opened since. */
export async function recentSends(
  db: Reads,
  { accountIds, since, limit, marginMs = idMarginMs }: RecentSendsAsked,
): Promise<Of<RecentSend>[]> {
  const values = [accountIds, lowestId('vrf_', Math.max(0, since - marginMs)), new Date(since), limit];
  return (await db.query<Of<RecentSend>>({ name: 'guard.recent', text: recentText, values })).rows;
}

/** Older minutes are read ten at a time: by then the time to enter a code is over for all of them. */
const fineMs = 900_000;
/** A range that has fewer sessions that nobody verified, in all cells together, is not read: they are too few for a stop. */
const leastUnverified = 40;

const cohortOf = (minute: string) =>
  `case when ${minute} >= $3 then ${minute} else date_bin('10 minutes', ${minute}, 'epoch') end`;

/** The same of a minute, Unix ms. */
export const cohortAt = (minute: number, now: number): number =>
  minute >= now - fineMs ? minute : Math.floor(minute / 600_000) * 600_000;

// A session whose outcome is not known is taken for a delivered one: rather one too few counts than one too many.
const minutes = (condition = '') => `
with minutes as materialized (
  select account_id, prefix, ${cohortOf('at')} as at,
    greatest(0, least(sum(sessions), sum(delivered)) - sum(unreported) - sum(verified_own_code)) as counted,
    sum(verified) - sum(verified_own_code) - sum(verified_by_report) as verified
  from rollup where account_id = any($1::text[]) and at >= $2 and mode = 'live' ${condition} group by 1, 2, 3
)`;
const range = '(account_id, left(prefix, 5))';
/** Cohort by cohort, as the rule adds them up: what is verified in one hides nothing in another. */
const unverified = 'sum(greatest(0, counted - verified))';
const minutesText =
  'select account_id as "accountId", prefix, extract(epoch from at)::double precision * 1000 as at, counted::integer, verified::integer from minutes';

const cohortsText = `${minutes()} ${minutesText}
where ${range} in (select account_id, left(prefix, 5) from minutes group by 1, 2 having ${unverified} >= ${leastUnverified})`;

// Of several databases: numbers are spread evenly over them, so each may have too few in a range that has enough in all of them together.
const rangesText = `${minutes()}
select account_id as "accountId", left(prefix, 5) as range, ${unverified}::integer as unverified
from minutes group by 1, 2 having ${unverified} > 0`;
const ofRangesText = `${minutes(`and ${range} in (select * from unnest($4::text[], $5::text[]))`)} ${minutesText}`;

/**
 * Sessions opened since (Unix ms) in prefixes that may be in question, by minute, over all of `dbs`: one statement of the only one, two of each of
 * several. One that is down keeps nobody from reading the others. @throws where none answers.
 */
export async function cohorts(
  dbs: readonly Reads[],
  { accountIds, since, now }: { accountIds: readonly string[]; since: number; now: number },
): Promise<Of<Cohort>[]> {
  const values = [accountIds, new Date(since), new Date(now - fineMs)];
  const read = async <Row extends object>(name: string, text: string, more: readonly unknown[] = []) => {
    const query = { name, text, values: [...values, ...more] };
    return (await settleAny(dbs.map((db) => db.query<Row>(query)))).flatMap(({ rows }) => rows);
  };
  if (dbs.length === 1) return read('guard.cohorts', cohortsText);
  const parts = await read<Of<{ range: string; unverified: number }>>('guard.ranges', rangesText);
  const ranges = [...Map.groupBy(parts, ({ accountId, range }) => `${accountId} ${range}`).values()].flatMap((same) =>
    same.reduce((sum, { unverified }) => sum + unverified, 0) < leastUnverified ? [] : same.slice(0, 1),
  );
  if (ranges.length === 0) return [];
  const asked = [ranges.map(({ accountId }) => accountId), ranges.map(({ range }) => range)];
  return read('guard.cohorts_of_ranges', ofRangesText, asked);
}

/** Sessions read at once, the newest. */
const mostRead = 50_000;

const byNumberText = `
with newest as materialized (
  select number, date_trunc('minute', created_at, 'UTC') as minute, status = 'verified' and status_reason is null as verified
  from verify_session
  where account_id = $1 and id >= $2 and mode = 'live' and number ^@ $3
    and (sealed_code is null or status_reason = 'reported_fraud')
  order by id desc limit ${mostRead}
)
select number, extract(epoch from minute)::double precision * 1000 as at, count(*)::integer as counted,
  (count(*) filter (where verified))::integer as verified
from newest where minute >= $4 group by 1, 2`;

/** Of one number and minute, as `Cohort` is of a prefix. */
export type NumberCohort = Omit<Cohort, 'prefix'> & { number: string };

/** The same sessions by number and minute, where numbers begin with `prefix`: the newest only, where there are many. */
export async function cohortsByNumber(
  db: Reads,
  { accountId, prefix, since }: { accountId: string; prefix: string; since: number },
): Promise<NumberCohort[]> {
  const from = lowestId('vrf_', Math.max(0, since - idMarginMs));
  const values = [accountId, from, prefix, new Date(since)];
  return (await db.query<NumberCohort>({ name: 'guard.by_number', text: byNumberText, values })).rows;
}
