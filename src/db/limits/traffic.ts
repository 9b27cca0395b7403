// The traffic of an account as the pumping guard looks at it: its newest sends, and what became of its sessions by minute and prefix. Both
// are bounded reads of committed rows, beside the statements that sends wait for.

import { lowestId } from '../../core/ids.ts';
import type { Cohort } from '../../core/limits/prefix-conversion.ts';
import type { RecentSend } from '../../core/limits/sequential-numbers.ts';
import type { Reads } from '../queryable.ts';

/** An id is made a moment before its session, by a clock that may differ. */
const idMarginMs = 10_000;

const recentText = `
select number, created_at, status = 'verified' as verified from verify_session
where account_id = $1 and id >= $2 and mode = 'live' and created_at >= $3 order by id desc limit $4`;

/** Sessions opened since (Unix ms), `limit` at most, the newest first. */
export async function recentSends(
  db: Reads,
  { accountId, since, limit }: { accountId: string; since: number; limit: number },
): Promise<RecentSend[]> {
  const values = [accountId, lowestId('vrf_', Math.max(0, since - idMarginMs)), new Date(since), limit];
  type Row = { number: string; created_at: Date; verified: boolean };
  const { rows } = await db.query<Row>({ name: 'guard.recent', text: recentText, values });
  return rows.map(({ number, created_at, verified }) => ({ number, at: created_at.getTime(), verified }));
}

/** Older minutes are read ten at a time: by then the time to enter a code is over for all of them. */
const fineMs = 900_000;
/** What has fewer sessions that nobody verified is not read: they are too few for a stop. */
const leastUnverified = 40;

// A session whose outcome is not known is taken for a delivered one: rather one too few counts than one too many.
const cohortsText = `
with minutes as materialized (
  select prefix, case when at >= $3 then at else date_bin('10 minutes', at, 'epoch') end as at,
    greatest(0, least(sum(sessions), sum(delivered)) - sum(unreported)) as counted, sum(verified) as verified
  from rollup where account_id = $1 and at >= $2 and mode = 'live' group by 1, 2
)
select prefix, extract(epoch from at)::double precision * 1000 as at, counted::integer, verified::integer from minutes
where left(prefix, 5) in (
  select left(prefix, 5) from minutes group by 1 having sum(counted) - sum(verified) >= ${leastUnverified}
)`;

/** Sessions opened since (Unix ms) in prefixes that may be in question, by minute. */
export async function cohorts(
  db: Reads,
  { accountId, since, now }: { accountId: string; since: number; now: number },
): Promise<Cohort[]> {
  const values = [accountId, new Date(since), new Date(now - fineMs)];
  return (await db.query<Cohort>({ name: 'guard.cohorts', text: cohortsText, values })).rows;
}
