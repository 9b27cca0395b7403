// Statements that write rollups: what processes have counted is added, or a span is counted from its sessions once more. One writer at a
// time holds the lock; nothing on the hot path waits for it.

import { sql } from 'kysely';
import { lowestId } from '../../core/ids.ts';
import { counters, type Rollup } from '../../core/reports/rollup.ts';
import { columns } from '../columns.ts';
import { inFullBatches } from '../pages.ts';
import { inside, type Queryable } from '../queryable.ts';
import type { UntypedDb } from '../schema.ts';
import { dimensionColumns, minutesKept, rawText, rowSeconds, rowStart } from './rollup-raw.ts';

/** The projector's name in the table `projection`. */
export const projector = 'rollups';

const ROLLUP_LOCK = 0x72616d7d; // Beside that of partitions.

/** A span that was counted from its sessions, Unix ms, and the snapshot it was counted in (`pg_current_snapshot()` as text). */
export interface Rebuilt {
  since: number;
  until: number;
  snapshot: string;
}

/** What the writer of a batch must know of those before it. */
export interface BatchStart {
  /** Number of this process's last batch that was added; null where it has no mark. */
  batch: number | null;
  rebuilt: Rebuilt[];
}

/** Runs `work` while no other process writes rollups: what was committed under the lock before is seen by its statements. */
async function alone<Result>(db: UntypedDb, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ROLLUP_LOCK)})`.execute(tx);
    return work(inside(tx));
  });
}

const row = columns({
  at: 'ms',
  account_id: 'text',
  mode: 'text',
  operator: 'text',
  channel: 'text',
  prefix: 'text',
  currency: 'text',
  ...(Object.fromEntries(counters.map((name) => [name, 'integer'])) as Record<string, 'integer'>),
  cost: 'text',
  platform_cost: 'text',
});

const sums = [...counters, 'cost', 'platform_cost'];
const key = ['at', 'seconds', ...dimensionColumns];

const intoRollup = (rows: string) => `
insert into rollup as r (${[...key, ...sums].join(', ')}) ${rows}
on conflict (account_id, at, seconds, mode, operator, channel, prefix, currency) do update set
  ${sums.map((name) => `${name} = r.${name} + excluded.${name}`).join(', ')}`;

// Minutes of an hour that is folded by now belong to one row.
const addText = intoRollup(`
select ${rowStart('i.at')}, ${rowSeconds('i.at')}, ${dimensionColumns.join(', ')},
  ${counters.map((name) => `sum(${name})`).join(', ')}, sum(cost::numeric), sum(platform_cost::numeric)
from (${row.select(1)}) i group by 1, 2, ${dimensionColumns.join(', ')}`);

// A snapshot that is ahead of this server's transactions is of the server that a dump was made of: the ids of its transactions are others.
const startText = `
select (select batch from projection where projector = $1 and process_id = $2) as batch,
  (select jsonb_agg(jsonb_build_object('since', extract(epoch from since) * 1000, 'until', extract(epoch from until) * 1000,
    'snapshot', snapshot)) from rollup_rebuild
    where pg_snapshot_xmax(snapshot::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())) as rebuilt`;

// The mark of a process that was taken for dead is gone; `done_until` is then that of this batch.
const markText = `
insert into projection (projector, process_id, done_until, batch) values ($1, $2, to_timestamp($3::bigint / 1000.0), $4)
on conflict (projector, process_id) do update set batch = excluded.batch`;

export interface Adding {
  processId: string;
  /** Everything the process committed before this, Unix ms, is in this batch or an earlier one. */
  doneUntil: number;
  /** The number of this batch, higher than that of the process's batch before, and what it adds, which may be nothing. */
  choose(start: BatchStart): { batch: number; rollups: Rollup[] };
}

/** Adds a batch together with the mark that it was added. */
export async function addRollups(db: UntypedDb, { processId, doneUntil, choose }: Adding): Promise<void> {
  await alone(db, async (tx) => {
    const own = [projector, processId];
    type Start = { batch: number | null; rebuilt: Rebuilt[] | null };
    const { rows } = await tx.query<Start>({ name: 'rollups.start', text: startText, values: own });
    const { batch, rollups } = choose({ batch: rows[0]?.batch ?? null, rebuilt: rows[0]?.rebuilt ?? [] });
    await tx.query({ name: 'rollups.mark', text: markText, values: [...own, Math.floor(doneUntil), batch] });
    if (rollups.length === 0) return;
    await tx.query({ name: 'rollups.add', text: addText, values: row.parameters(rollups.map(toRow)) });
  });
}

const toRow = ({ dimensions: { at, accountId, ...rest }, counts, cost, platformCost }: Rollup) => ({
  at,
  account_id: accountId,
  ...rest,
  ...(Object.fromEntries(counters.map((name, index) => [name, counts[index] ?? 0])) as Record<string, number>),
  cost,
  platform_cost: platformCost,
});

/** Ids are made a moment before the session is, by a clock that may be set meanwhile. */
const idMarginMs = 300_000;

/** `leftOut`: ids of accounts. */
const spanValues = (since: number, until: number, leftOut: readonly string[] = []) => [
  lowestId('vrf_', Math.max(0, since - idMarginMs)),
  lowestId('vrf_', until + idMarginMs),
  new Date(since),
  new Date(until),
  leftOut,
];

/** Counted by one statement: at 1,000 sends a second 300,000 sessions, far below its time limit. */
const countedMs = 300_000;

/** Those of the accounts whose sessions are deleted, or are being deleted. */
export type Purged = (accountIds: readonly string[]) => Promise<readonly string[]>;

/**
 * Counts a span from its sessions, in place of what was added for it: whole minutes, or whole hours where it is older than `minutesKept`. Sums of
 * purged accounts stay as they are: they can't be counted again.
 * @param since, until Unix ms
 */
export async function rebuildRollups(db: UntypedDb, since: number, until: number, purged: Purged): Promise<void> {
  await alone(db, async (tx) => {
    const span = [new Date(since), new Date(until)];
    const accountsText = 'select distinct account_id from rollup where at >= $1 and at < $2';
    const { rows } = await tx.query<{ account_id: string }>({
      name: 'rollups.accounts',
      text: accountsText,
      values: span,
    });
    const leftOut = await purged(rows.map(({ account_id }) => account_id));
    const clear = 'delete from rollup where at >= $1 and at < $2 and account_id <> all($3::text[])';
    await tx.query({ name: 'rollups.clear', text: clear, values: [...span, leftOut] });
    // The snapshot of each statement is that of its raw rows.
    const mark = 'insert into rollup_rebuild (since, until, snapshot) select $3, $4, pg_current_snapshot()::text';
    const text = `with counted as (${rawText}), marked as (${mark}) ${intoRollup('select * from counted')}`;
    for (let at = since; at < until; at += countedMs) {
      const values = spanValues(at, Math.min(at + countedMs, until), leftOut);
      await tx.query({ name: 'rollups.rebuild', text, values });
    }
  });
}

/** Rows of `rollup` as they would be if the span were counted from its sessions now. For comparisons. */
export async function countRaw(db: Queryable, since: number, until: number): Promise<object[]> {
  return (await db.query<object>({ name: 'rollups.raw', text: rawText, values: spanValues(since, until) })).rows;
}

/** The hours, Unix ms, of sessions opened before `before` that receipts from `since` on are about. */
export async function hoursOfReceipts(db: UntypedDb, since: number, before: number): Promise<number[]> {
  const text = `
select distinct extract(epoch from date_trunc('hour', s.created_at, 'UTC'))::double precision * 1000 as hour
from receipt r join verify_session s on s.id = r.session_id and s.account_id = r.account_id
where r.id >= $1 and s.created_at < $2 order by 1`;
  const values = [lowestId('rcp_', Math.max(0, Math.floor(since))), new Date(before)];
  return (await inside(db).query<{ hour: number }>({ name: 'rollups.late', text, values })).rows.map(
    ({ hour }) => hour,
  );
}

/** The oldest hour that has minutes to be folded; null where there is none. */
const unfoldedText = `
select date_trunc('hour', min(at), 'UTC') as hour from rollup
where seconds = 60 and at < date_trunc('hour', now() - ${minutesKept}, 'UTC')`;

const foldText = `
with old as (delete from rollup where seconds = 60 and at >= $1::timestamptz and at < $1::timestamptz + interval '1 hour' returning *)
${intoRollup(`
select date_trunc('hour', at, 'UTC'), 3600, ${dimensionColumns.join(', ')}, ${sums.map((name) => `sum(${name})`).join(', ')}
from old group by 1, ${dimensionColumns.join(', ')}`)}`;

/** Makes an hour of its minutes; false where all are. */
const foldHour = (db: UntypedDb): Promise<boolean> =>
  alone(db, async (tx) => {
    const { rows } = await tx.query<{ hour: Date | null }>({
      name: 'rollups.unfolded',
      text: unfoldedText,
      values: [],
    });
    const hour = rows[0]?.hour ?? null;
    if (hour !== null) await tx.query({ name: 'rollups.fold', text: foldText, values: [hour] });
    return hour !== null;
  });

/** Deleted with one statement. */
const expiredPerStatement = 10_000;

const expireText = `
delete from rollup where ctid = any(array(select ctid from rollup where at < $1 limit ${expiredPerStatement}))`;

/**
 * Makes hours of old minutes, and deletes what is older than `keptSince` (Unix ms): little with each transaction, so that processes that count wait
 * for none of them. A span that was counted from its sessions is remembered for an hour, and for as long as any process may have changes from before
 * it in memory.
 */
export async function maintainRollups(db: UntypedDb, keptSince: number, stopping?: AbortSignal): Promise<void> {
  while (!stopping?.aborted && (await foldHour(db)));
  const expire = () =>
    alone(db, async (tx) => {
      const values = [new Date(keptSince)];
      return (await tx.query({ name: 'rollups.expire', text: expireText, values })).rowCount ?? 0;
    });
  await inFullBatches(expiredPerStatement, expire, stopping);
  if (stopping?.aborted) return;
  await alone(db, async (tx) => {
    const forget = `
delete from rollup_rebuild where at < now() - interval '1 hour'
  and at < coalesce((select min(done_until) from projection where projector = $1), now())`;
    await tx.query({ name: 'rollups.forget', text: forget, values: [projector] });
  });
}
