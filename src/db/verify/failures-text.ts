// Parts of "save" that count wrong codes of a number (number_failure) and refuse checks while it is locked.
//
// The truth is the locked row. Rows that the statement's snapshot shows are locked in one order and read after the lock; a row that
// another process inserts meanwhile is not in the snapshot, and makes this statement fail on the primary key, undone as a whole:
// it is run again (`again` in queryable.ts) and meets that row. So no two statements ever count from the same number.

import { clocksDifferMs } from '../../core/verify/rules.ts';
import { lockedType } from '../../core/webhooks/event-body.ts';
import { on } from '../columns.ts';

const number = ['account_id', 'mode', 'number'] as const;
const clockSlack = `interval '${clocksDifferMs} milliseconds'`;

/**
 * `looked` are the batch's sessions whose version is right, locked. Of a number's checks in one batch the first ones are answered, in the
 * order of their sessions' ids, which does not depend on which code is right: a wrong one takes one of the failures left, a right one needs one left.
 */
export const counted = `checks as materialized (
  select i.shard, i.account_id, i.mode, i.number, i.id, i.failures, i.now
  from i join looked l on ${on('l', 'i', 'account_id', 'id')} where i.guarded
),
held as materialized (
  select n.account_id, n.mode, n.number, n.failures_in_row, n.needs_unlock, n.window_ends_at, n.failures
  from (select distinct account_id, mode, number from checks) g join number_failure n on ${on('n', 'g', ...number)}
  order by n.account_id, n.mode, n.number for update of n
),
-- Checks and rows meet in a window and not in a join, which the planner would do by loops. A window of time is open from its first wrong
-- code on; a row without one says nothing of time. One that ends later than it can have been set to end began before the clock was set
-- back: it begins again, so that nobody waits for as long as that, and no window is shorter than it should be.
met as materialized (
  select *, case when is_open then had_failures else 0 end as had,
    case when is_open and had_until <= furthest + ${clockSlack} then had_until else furthest end as window_ends_at
  from (
    select shard, account_id, mode, number, id, failures, max(now) over same as latest, bool_or(id is null) over same as known,
      max(now) over same + (select window_ms from bounds) * interval '1 millisecond' as furthest,
      max(had_failures) over same as had_failures, max(had_until) over same as had_until,
      coalesce(max(had_in_row) over same, 0) as had_in_row, coalesce(bool_or(needs_unlock) over same, false) as needs_unlock,
      coalesce(max(had_failures) over same > 0 and max(had_until) over same > max(now) over same, false) as is_open,
      coalesce(sum(failures) over (same order by id rows between unbounded preceding and 1 preceding), 0) as wrong_before
    from (
      select shard, account_id, mode, number, id, failures, now, null::integer as had_failures, null::timestamptz as had_until,
        null::integer as had_in_row, null::boolean as needs_unlock from checks
      union all
      select null, account_id, mode, number, null, null, null, failures, window_ends_at, failures_in_row, needs_unlock from held
    ) each
    window same as (partition by account_id, mode, number)
  ) each where id is not null
),
ranked as materialized (
  select met.*, not needs_unlock and had + wrong_before < b.failures
    and had_in_row + wrong_before < b.failures_in_row as answered
  from met cross join bounds b
),
refused as materialized (select account_id, mode, number, id from ranked where not answered),
counted as materialized (
  select shard, account_id, mode, number, known, needs_unlock, wrong, one, one_wrong, right_at is not null and had_in_row > 0 as ends_row,
    had + wrong as failures, window_ends_at, now,
    -- A right code begins the row again: what counts is the wrong ones behind the last right one.
    case when right_at is null then had_in_row + wrong else wrong - right_at end as failures_in_row
  from (
    select max(shard) as shard, account_id, mode, number, bool_or(known) as known,
      bool_or(needs_unlock) as needs_unlock, max(had) as had, max(had_in_row) as had_in_row,
      max(window_ends_at) as window_ends_at, max(latest) as now, max(id) as one,
      coalesce(sum(failures) filter (where answered), 0)::integer as wrong,
      (max(wrong_before) filter (where answered and failures = 0))::integer as right_at,
      max(id) filter (where answered and failures > 0) as one_wrong
    from ranked group by account_id, mode, number
  ) numbers
),
locked as materialized (
  select c.account_id, c.mode, c.number, c.failures, c.failures_in_row, c.one_wrong,
    case when not c.needs_unlock and c.failures_in_row < b.failures_in_row then c.window_ends_at end as until
  from counted c cross join bounds b
  where c.needs_unlock or c.failures >= b.failures or c.failures_in_row >= b.failures_in_row
),
counted_again as (
  update number_failure n set failures = c.failures, failures_in_row = c.failures_in_row,
    needs_unlock = c.failures_in_row >= (select failures_in_row from bounds),
    window_ends_at = case when c.wrong > 0 then c.window_ends_at else least(n.window_ends_at, c.window_ends_at) end
  from counted c
  where c.known and (c.wrong > 0 or c.ends_row or c.window_ends_at < n.window_ends_at) and ${on('n', 'c', ...number)}
),
-- A right code for the only pending session of its number leaves no row: whatever else counts for the number counts in that session,
-- whose own lock is enough. With a second session it leaves one, so that the checks of both wait for each other.
counted_first as (
  insert into number_failure (account_id, mode, number, failures, window_ends_at, failures_in_row, needs_unlock)
  select account_id, mode, number, failures, case when wrong > 0 then window_ends_at else now end, failures_in_row,
    failures_in_row >= (select failures_in_row from bounds)
  from counted c
  where not known and (wrong > 0 or exists (
    select from pending_number p where ${on('p', 'c', 'shard', ...number)} and p.session_id <> c.one))
  order by account_id, mode, number
)`;

/** Answers of checks that are refused: until when, in Unix ms; null = until the operator unlocks the number. One that is in neither starts again. */
export const refusedChecks = `select 'locked', r.id, null, null, (extract(epoch from l.until) * 1000)::bigint::text
  from refused r join locked l on ${on('l', 'r', ...number)}`;

// Each wrong code comes with an event `number.locked`. Only the one of the code that locks its number is stored, once per lock, completed
// with the counts that only this statement knows.
export const onlyIfLocked = `
  left join locked l on l.one_wrong = e.session_id
  where e.type <> '${lockedType}' or l.one_wrong is not null`;

export const lockedBody = `case when e.type = '${lockedType}' then (e.body::jsonb || jsonb_build_object(
    'data', e.body::jsonb -> 'data' || jsonb_strip_nulls(jsonb_build_object(
      'failures', l.failures, 'failures_in_row', l.failures_in_row, 'needs_unlock', l.until is null,
      'locked_until', to_char(l.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))))::text
    else e.body end`;
