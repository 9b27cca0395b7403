// Deletions of rows that no longer count from small tables, and what processes say of how long rows are kept. Nothing on the hot path waits for them.

import { type RawBuilder, sql } from 'kysely';
import { lowestId } from '../../core/ids.ts';
import { periodMs } from '../../core/limits/budget.ts';
import { hourMs } from '../../time/wall-clock.ts';
import { deleteInBatches, deleteThrough, inFullBatches } from '../pages.ts';
import type { Queryable } from '../queryable.ts';
import type { UntypedDb } from '../schema.ts';

const time = (ms: number): RawBuilder<Date> => sql`to_timestamp(${ms / 1000})`;

/** Rows of one statement: far fewer than one has the time for. */
const perStatement = 10_000;

/** A claim outlives its answer: without it another request could have the key while the answer is kept. */
const claimsLongerMs = 2 * hourMs;

/** Answers kept under their idempotency keys, and later the claims of the keys. */
export async function deleteAnswers(db: UntypedDb, before: number, stopping?: AbortSignal): Promise<void> {
  const old = (ms: number) => sql`created_at < ${time(ms)}`;
  await deleteInBatches(db, 'idempotency', old(before), perStatement, stopping);
  await deleteInBatches(db, 'idempotency_claim', old(before - claimsLongerMs), perStatement, stopping);
}

/**
 * Counts of wrong codes whose window has ended. A lock counts until it is lifted, wrong codes in a row for as long as their number may be
 * kept: from `keptSince` on. Rows in use are left for the next hour: in which order a save locks its numbers is not the order here.
 */
export const deleteNumberFailures = (
  db: UntypedDb,
  { now, keptSince }: { now: number; keptSince: number },
  stopping?: AbortSignal,
): Promise<number> =>
  deleteThrough(
    db,
    'number_failure',
    sql`window_ends_at < ${time(now)} and not needs_unlock
      and (failures_in_row = 0 or window_ends_at < ${time(keptSince)})`,
    stopping,
  );

/** Token buckets that nothing was taken from since; rows in use are left. */
export const deleteBuckets = (db: UntypedDb, before: number, stopping?: AbortSignal): Promise<number> =>
  deleteThrough(db, 'rate_bucket', sql`updated_at < ${time(before)}`, stopping);

/**
 * A row of a budget outlives its window: while it is there, a clock of the database that was set back (or that of the standby it has failed over to)
 * begins no window a second time (limits/budgets.ts).
 */
const budgetsKeptSeconds = 7 * 86_400;
/** Rows locked at once. */
const budgetsPerBatch = 1_000;

/**
 * Rows of budgets that count nothing any more: of keys that were revoked, of currencies nobody pays in, of accounts that do not send. The
 * next send makes the row again. When a window is over the database's clock says, as where credit is granted; rows in use are left.
 */
export async function deleteBudgets(db: UntypedDb, stopping?: AbortSignal): Promise<void> {
  const batch = async () => {
    const { numAffectedRows } = await sql`delete from budget where ctid = any(array(
        select ctid from budget
        where (time_window + 1)::bigint * case period when 'hour' then ${periodMs.hour / 1000} else ${periodMs.day / 1000} end::bigint
          < extract(epoch from clock_timestamp()) - ${budgetsKeptSeconds}::integer
        limit ${budgetsPerBatch} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0);
  };
  await inFullBatches(budgetsPerBatch, batch, stopping);
}

/** Receipts that matched nothing. */
export async function deleteParked(db: UntypedDb, before: number, stopping?: AbortSignal): Promise<void> {
  await deleteInBatches(db, 'parked_receipt', sql`received_at < ${time(before)}`, perStatement, stopping);
}

/** What is still to be done of sessions whose partition was dropped: nothing can be, and a pending one would reserve its number for good. */
export async function deleteStranded(db: UntypedDb, keptSince: number, stopping?: AbortSignal): Promise<void> {
  const oldest = lowestId('vrf_', keptSince);
  for (const table of ['pending_number', 'unsettled', 'route_queue']) {
    if (stopping?.aborted) return;
    // A value and no join: each of the few old rows is looked up, where a join would read all sessions.
    await sql`delete from ${sql.table(table)} t where t.session_id < ${oldest}
      and (select s.id from verify_session s where s.account_id = t.account_id and s.id = t.session_id) is null`.execute(
      db,
    );
  }
}

/** How long is kept what processes delete, days. */
export interface Retention {
  /** Sessions, with all that belongs to them. */
  retentionDays: number;
  /** What was added up from them. */
  reportRetentionDays: number;
  /** The audit log. At least 90: the database keeps younger rows whatever it is told. */
  auditRetentionDays: number;
  /** Closed accounts, with everything of them. */
  closedAccountDays: number;
}

export interface SaidRetention {
  processId: string;
  retention: Retention;
}

/** For the others. It is forgotten with the process's row, an hour after its lease; a process without a row says nothing. */
export async function sayRetention(db: Queryable, processId: string, retention: Retention): Promise<void> {
  const text = `insert into process_retention (process_id, retention) select id, $2::jsonb from process where id = $1
    on conflict (process_id) do update set retention = excluded.retention
    where process_retention.retention is distinct from excluded.retention`;
  await db.query({ name: 'process.retention', text, values: [processId, JSON.stringify(retention)] });
}

/** Of the processes that live, or have ended within the last hour, the oldest first. */
export async function saidRetentions(db: Queryable): Promise<SaidRetention[]> {
  const text = `select r.process_id as "processId", r.retention from process_retention r join process p on p.id = r.process_id
    where p.lease_until > now() - interval '1 hour' order by r.process_id`;
  return (await db.query<SaidRetention>({ name: 'process.retentions', text, values: [] })).rows;
}
