// Stops: prefixes of an account that its own numbers have closed for an hour (core/limits/stop.ts). What an account's sends are checked against
// comes with its view; each change holds in all processes within a second.

import { isActive, madeBy, prefixToStop, type Stop, type StopRule, stopMs } from '../../core/limits/stop.ts';
import { dayMs } from '../../time/wall-clock.ts';
import { lockAccount } from '../accounts/accounts.ts';
import { raiseChanges } from '../changes.ts';
import type { Db, StopRow, Tx } from '../schema.ts';

/** A stop as its account sees it. */
export interface StoredStop extends Stop {
  accountId: string;
  /** What it was based on: different numbers, or sessions, and how many of them were verified. */
  sent: number;
  verified: number;
  /** Whether it refused sends when it began. */
  enforced: boolean;
  /** Id of the key or the administrator. */
  liftedBy: string | null;
}

export interface NewStop {
  id: string;
  accountId: string;
  rule: StopRule;
  reason: string;
  prefix: string;
  sent: number;
  verified: number;
  enforced: boolean;
  now: number;
}

/** Stops that ended longer ago are deleted with the next stop of the account. */
const keptMs = 90 * dayMs;

/**
 * Null where a stop by one of the rules `before` holds the prefix already, or the account is closed: nothing of it is sent, and while it is
 * purged nothing may be added to it. Part of a transaction.
 */
export async function insertStop(
  tx: Tx,
  { now, ...stop }: NewStop,
  before: readonly StopRule[],
): Promise<StoredStop | null> {
  const account = await lockAccount(tx, stop.accountId);
  if (!account || account.closed_at) return null;
  const rows = await tx.selectFrom('stop').selectAll().where('account_id', '=', stop.accountId).execute();
  const stops = madeBy(before, rows.map(toStop));
  if (stops.some((each) => stop.prefix.startsWith(each.prefix) && isActive(each, now))) return null;
  const prefix = prefixToStop(stop.prefix, stops, now);
  const { accountId: account_id, ...values } = stop;
  await tx
    .deleteFrom('stop')
    .where('account_id', '=', account_id)
    .where('ends_at', '<', new Date(now - keptMs))
    .execute();
  const [started_at, ends_at] = [new Date(now), new Date(now + stopMs)];
  const row = await tx
    .insertInto('stop')
    .values({ ...values, account_id, prefix, started_at, ends_at })
    .returningAll()
    .executeTakeFirstOrThrow();
  await raiseChanges(tx);
  return toStop(row);
}

export type Lifted =
  | { kind: 'lifted'; stop: StoredStop }
  /** It was over already. */
  | { kind: 'over'; stop: StoredStop }
  | { kind: 'stop_not_found' };

/** Part of a transaction. `accountId` null = of any account. */
export async function liftStop(
  tx: Tx,
  { id, accountId, by, now }: { id: string; accountId: string | null; by: string; now: number },
): Promise<Lifted> {
  const row = await tx
    .selectFrom('stop')
    .selectAll()
    .where('id', '=', id)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? ''))
    .forUpdate()
    .executeTakeFirst();
  if (!row) return { kind: 'stop_not_found' };
  const stop = toStop(row);
  if (!isActive(stop, now)) return { kind: 'over', stop };
  const change = { lifted_at: new Date(now), lifted_by: by };
  await tx.updateTable('stop').set(change).where('id', '=', id).execute();
  await raiseChanges(tx);
  return { kind: 'lifted', stop: { ...stop, liftedAt: now, liftedBy: by } };
}

/** Newest first. */
export async function listStops(
  db: Db,
  filter: { accountId: string | null; activeAt: number | null },
  page: { limit: number; before: string | null },
): Promise<StoredStop[]> {
  const { accountId, activeAt } = filter;
  const rows = await db
    .selectFrom('stop')
    .selectAll()
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(activeAt !== null, (query) =>
      query.where('ends_at', '>', new Date(activeAt ?? 0)).where('lifted_at', 'is', null),
    )
    .$if(page.before !== null, (query) => query.where('id', '<', page.before ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map(toStop);
}

/** Of a row, as a query or `to_jsonb` has it. */
export const toStop = (row: StopRow): StoredStop => ({
  id: row.id,
  accountId: row.account_id,
  rule: row.rule,
  reason: row.reason,
  prefix: row.prefix,
  sent: row.sent,
  verified: row.verified,
  enforced: row.enforced,
  startedAt: new Date(row.started_at).getTime(),
  endsAt: new Date(row.ends_at).getTime(),
  liftedAt: row.lifted_at === null ? null : new Date(row.lifted_at).getTime(),
  liftedBy: row.lifted_by,
});
