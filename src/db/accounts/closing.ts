// Statements that close an account and open it again. What holds for a suspended account holds for a closed one, so a closed account is suspended, too:
// from the moment it was closed, or from before.

import type { Actor } from '../../core/accounts/actor.ts';
import { raiseChanges } from '../changes.ts';
import { hasSettings } from '../erasure/account.ts';
import type { Queryable } from '../queryable.ts';
import type { Db, Tx } from '../schema.ts';
import { type LockedAccount, lockAccount } from './accounts.ts';
import { audit } from './audit.ts';
import { type Decision, forgiveEndpoints } from './control.ts';

export type Closed =
  /** `since`: of the first time, where it was closed already. */
  { kind: 'closed'; since: Date } | { kind: 'account_not_found' };

/** Closing twice is the same as once; a reason replaces the one before. `reason` null = as it is. */
export function closeAccount(
  db: Db,
  { id, reason, now, actor }: Decision & { reason: string | null },
): Promise<Closed> {
  return db.transaction().execute(async (tx): Promise<Closed> => {
    const account = await lockAccount(tx, id);
    if (!account) return { kind: 'account_not_found' };
    const since = await closeLocked(tx, account, { id, reason, now, actor });
    await raiseChanges(tx);
    return { kind: 'closed', since };
  });
}

/** Part of a transaction that holds the account's lock and raises the change counter. Returns since when it is closed. */
export async function closeLocked(
  tx: Tx,
  account: LockedAccount,
  { id, reason, now, actor }: Decision & { reason: string | null },
): Promise<Date> {
  const after = closed(account, now, reason);
  await tx.updateTable('account').set(after).where('id', '=', id).execute();
  await auditClosing(tx, { id, now, actor, action: 'close_account', before: stateOf(account), after });
  return after.closed_at;
}

export type Reopened =
  | { kind: 'reopened'; closedAt: Date }
  | { kind: 'not_closed' }
  /** Rows of it are gone. */
  | { kind: 'purging' }
  | { kind: 'account_not_found' };

/** It is as it was before: suspended, where it was suspended then. */
export function reopenAccount(db: Db, { id, now, actor }: Decision): Promise<Reopened> {
  return db.transaction().execute(async (tx): Promise<Reopened> => {
    const account = await lockAccount(tx, id);
    if (!account) return { kind: 'account_not_found' };
    const { closed_at: closedAt, suspended_at, suspended_reason } = account;
    if (!closedAt) return { kind: 'not_closed' };
    if (account.purging_since) return { kind: 'purging' };
    const staysSuspended = suspended_at !== null && suspended_at < closedAt;
    const suspension = staysSuspended
      ? { suspended_at, suspended_reason }
      : { suspended_at: null, suspended_reason: null };
    const after = { closed_at: null, closed_reason: null, ...suspension };
    await tx.updateTable('account').set(after).where('id', '=', id).execute();
    if (!staysSuspended) await forgiveEndpoints(tx, { id, now, since: closedAt });
    await auditClosing(tx, { id, now, actor, action: 'reopen_account', before: stateOf(account), after });
    await raiseChanges(tx);
    return { kind: 'reopened', closedAt };
  });
}

/** A suspension from before is told from the one that the closing is by its earlier time. */
function closed(
  { closed_at, closed_reason, suspended_at, suspended_reason }: LockedAccount,
  now: Date,
  reason: string | null,
) {
  const isLater = suspended_at === null || now > suspended_at;
  const at = closed_at ?? (isLater ? now : new Date(suspended_at.getTime() + 1));
  return {
    closed_at: at,
    closed_reason: reason ?? closed_reason,
    suspended_at: suspended_at ?? at,
    suspended_reason,
  };
}

type State = Omit<LockedAccount, 'approved_at' | 'purging_since'>;

const stateOf = ({ approved_at: _, purging_since: __, ...state }: LockedAccount): State => state;

const auditClosing = (
  tx: Tx,
  { id, now, ...entry }: { id: string; now: Date; actor: Actor; action: string; before: State; after: State },
) => audit(tx, { ...entry, at: now, target: id, accountId: id });

/** The ids of the accounts among these that are purged, or are being purged. */
export async function purgedOf(home: Queryable, accountIds: readonly string[]): Promise<string[]> {
  const text = `
select given.id from unnest($1::text[]) as given (id) left join account on account.id = given.id
where account.id is null or account.purging_since is not null`;
  const { rows } = await home.query<{ id: string }>({ name: 'accounts.purged', text, values: [accountIds] });
  return rows.map(({ id }) => id);
}

/** The account whose turn it is to be purged: one whose purge has begun, although the setting may have been raised since, or the one closed first. */
export function beginPurge(
  db: Db,
  { closedBefore, now, actor }: { closedBefore: Date; now: Date; actor: Actor },
): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    const due = await tx
      .selectFrom('account')
      .select(['id', 'purging_since'])
      .where('closed_at', 'is not', null)
      .where(({ eb, or }) => or([eb('closed_at', '<', closedBefore), eb('purging_since', 'is not', null)]))
      .orderBy('closed_at')
      .limit(1)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!due) return null;
    if (due.purging_since) return due.id;
    const { id } = due;
    await tx.updateTable('account').set({ purging_since: now }).where('id', '=', id).execute();
    const [before, after] = [{ purging_since: null }, { purging_since: now }];
    await audit(tx, { at: now, actor, action: 'purge_account', target: id, accountId: id, before, after });
    await raiseChanges(tx);
    return id;
  });
}

/**
 * Deletes the account itself; false where something is left of what it set. A transaction that adds to that refers to the account's row or locks it:
 * it has committed before the row is locked here, or finds no account. A row of a budget that comes later is deleted by housekeeping.
 */
export function endPurge(db: Db, { id, now, actor }: Decision): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('account')
      .select('purging_since')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) return true;
    if (await hasSettings(tx, id)) return false;
    await tx.deleteFrom('account').where('id', '=', id).execute();
    await audit(tx, {
      at: now,
      actor,
      action: 'purge_account',
      target: id,
      accountId: id,
      before,
      after: { purged_at: now },
    });
    await raiseChanges(tx);
    // Processes have the link of its WhatsApp account in memory, with the token.
    await raiseChanges(tx, 'waba');
    return true;
  });
}
