// Statements over accounts that wait for approval. Anyone makes them where registration is open, so there is a bound to how many wait, and those that
// nobody uses are closed.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountRow, Db, Tx } from '../schema.ts';
import type { LockedAccount } from './accounts.ts';
import { closeLocked } from './closing.ts';

/** One account that waits is added at a time: what was counted holds until the transaction ends. */
export async function lockWaiting(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('account_waiting'))`.execute(tx);
}

/** Whether `most` accounts or more wait. Reads no more rows than that. */
export async function enoughWait(db: Db, most: number): Promise<boolean> {
  const { rows } = await sql<{ enough: boolean }>`select count(*) >= ${most} as enough from (
    select from account where approved_at is null and suspended_at is null limit ${most}) waiting`.execute(db);
  return rows[0]?.enough === true;
}

/** Accounts that wait for approval, the oldest first. `after` is the id behind which the page begins; null = the oldest. */
export const listWaiting = (db: Db, { limit, after }: { limit: number; after: string | null }): Promise<AccountRow[]> =>
  db
    .selectFrom('account')
    .selectAll()
    .where('approved_at', 'is', null)
    .where('suspended_at', 'is', null)
    // By the row of that id: a time of JavaScript has no microseconds.
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (select a.created_at, a.id from account a where a.id = ${after})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();

export interface Lapse {
  /** Accounts none of whose keys was used since are closed. */
  unusedSince: Date;
  now: Date;
  actor: Actor;
  reason: string;
  limit: number;
}

/**
 * Closes up to `limit` accounts that wait and that nobody uses; returns their ids. One that an administrator has reopened or resumed since is left,
 * and so is one whose row is locked: it is being approved, say.
 */
export function closeUnused(db: Db, { unusedSince, now, actor, reason, limit }: Lapse): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<LockedAccount & { id: string }>`
      select id, approved_at, suspended_at, suspended_reason, closed_at, closed_reason, purging_since from account
      where approved_at is null and suspended_at is null and created_at < ${unusedSince}
        and not exists (select from api_key where account_id = account.id and last_used_at >= ${unusedSince})
        and not exists (select from audit_event where target = account.id and at >= ${unusedSince}
          and action in ('reopen_account', 'resume_account'))
      order by created_at limit ${limit} for no key update of account skip locked`.execute(tx);
    for (const { id, ...account } of rows) await closeLocked(tx, account, { id, reason, now, actor });
    if (rows.length > 0) await raiseChanges(tx);
    return rows.map(({ id }) => id);
  });
}
