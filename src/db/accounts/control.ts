// Statements by which the operator of the service controls an account: its suspension, its limits in place of the platform's, and the wrong
// codes counted for a number. Each change holds in running processes within a second.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import { shardForNumber } from '../../core/ids.ts';
import { type BudgetAfter, type BudgetChange, budgetAfter } from '../../core/limits/budget-change.ts';
import type { GuardRule, RuleMode } from '../../core/limits/verdict.ts';
import { maskPhone } from '../../core/phone.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Cells } from '../cell-keys.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountLimits, AccountRow, Db, Tx } from '../schema.ts';
import { lockAccount } from './accounts.ts';
import { type AuditEntry, audit } from './audit.ts';

/** About one account, by one who runs the service. */
export interface Decision {
  /** Of the account. */
  id: string;
  now: Date;
  actor: Actor;
}

const auditAccount = (tx: Tx, { id, ...entry }: Omit<AuditEntry, 'target' | 'accountId'> & { id: string }) =>
  audit(tx, { ...entry, target: id, accountId: id });

export type Suspended =
  /** `since`: of the first time, where it was suspended already. */
  { kind: 'suspended'; since: Date } | { kind: 'account_closed' } | { kind: 'account_not_found' };

/** Suspending twice is the same as once; a reason replaces the one before. `reason` null = as it is. */
export function suspendAccount(
  db: Db,
  { id, reason, now, actor }: { id: string; reason: string | null; now: Date; actor: Actor },
): Promise<Suspended> {
  return db.transaction().execute(async (tx): Promise<Suspended> => {
    const account = await lockAccount(tx, id);
    if (!account) return { kind: 'account_not_found' };
    const { suspended_at, suspended_reason, closed_at } = account;
    if (closed_at) return { kind: 'account_closed' };
    const since = suspended_at ?? now;
    const before = { suspended_at, suspended_reason };
    const after = { suspended_at: since, suspended_reason: reason ?? suspended_reason };
    await tx.updateTable('account').set(after).where('id', '=', id).execute();
    await auditAccount(tx, { id, at: now, actor, action: 'suspend_account', before, after });
    await raiseChanges(tx);
    return { kind: 'suspended', since };
  });
}

export type Resumed =
  | { kind: 'resumed'; suspendedAt: Date }
  | { kind: 'not_suspended' }
  | { kind: 'account_closed' }
  | { kind: 'account_not_found' };

/** The webhooks that were held are made due by the running processes (db/webhooks/holds.ts). */
export function resumeAccount(db: Db, { id, now, actor }: Decision): Promise<Resumed> {
  return db.transaction().execute(async (tx): Promise<Resumed> => {
    const account = await lockAccount(tx, id);
    if (!account) return { kind: 'account_not_found' };
    const { suspended_at: suspendedAt, suspended_reason, closed_at } = account;
    if (closed_at) return { kind: 'account_closed' };
    if (!suspendedAt) return { kind: 'not_suspended' };
    const before = { suspended_at: suspendedAt, suspended_reason };
    const after = { suspended_at: null, suspended_reason: null };
    await tx.updateTable('account').set(after).where('id', '=', id).execute();
    await forgiveEndpoints(tx, { id, now, since: suspendedAt });
    await auditAccount(tx, { id, at: now, actor, action: 'resume_account', before, after });
    await raiseChanges(tx);
    return { kind: 'resumed', suspendedAt };
  });
}

/** An endpoint that was failing has not failed while nothing was posted to it: that time is taken out, or it would be switched off for it. */
export async function forgiveEndpoints(
  tx: Tx,
  { id, now, since }: { id: string; now: Date; since: Date },
): Promise<void> {
  await sql`update webhook_endpoint
    set failing_since = least(${now}::timestamptz, failing_since + (${now}::timestamptz - ${since}::timestamptz))
    where account_id = ${id} and failing_since is not null`.execute(tx);
}

export type Approved =
  /** `at`: of the first time, where it was approved already. */
  { kind: 'approved'; at: Date } | { kind: 'account_not_found' };

/** Lets the live keys of an account work that was made by open registration. */
export function approveAccount(db: Db, { id, now, actor }: Decision): Promise<Approved> {
  return db.transaction().execute(async (tx): Promise<Approved> => {
    if (!(await lockAccount(tx, id))) return { kind: 'account_not_found' };
    const own = tx.selectFrom('account').select('approved_at').where('id', '=', id);
    const { approved_at } = await own.executeTakeFirstOrThrow();
    if (approved_at) return { kind: 'approved', at: approved_at };
    await tx.updateTable('account').set({ approved_at: now }).where('id', '=', id).execute();
    const [before, after] = [{ approved_at }, { approved_at: now }];
    await auditAccount(tx, { id, at: now, actor, action: 'approve_account', before, after });
    await raiseChanges(tx);
    return { kind: 'approved', at: now };
  });
}

export const findAccountRow = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();

/** Accounts that are suspended and not closed; the one that has been suspended for longest is the first. `after`: as of `listWaiting`. */
export const listSuspended = (
  db: Db,
  { limit, after }: { limit: number; after: string | null },
): Promise<AccountRow[]> =>
  db
    .selectFrom('account')
    .selectAll()
    .where('suspended_at', 'is not', null)
    .where('closed_at', 'is', null)
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`(suspended_at, id) > (select a.suspended_at, a.id from account a where a.id = ${after})`,
      ),
    )
    .orderBy('suspended_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Null = the platform's again; what is absent stays. */
export type LimitsChange = {
  [Name in Exclude<keyof AccountLimits, 'rules' | 'budget'>]?: AccountLimits[Name] | null;
} & {
  /** One by one. */
  rules?: { [Rule in GuardRule]?: RuleMode | null };
  budget?: readonly BudgetChange[];
};

export type LimitsChanged =
  /** The limits in force now. */
  | { kind: 'changed'; limits: AccountLimits }
  /** Nothing was changed. */
  | Exclude<BudgetAfter, { kind: 'changed' }>
  | { kind: 'account_not_found' };

export function changeLimits(
  db: Db,
  { id, now, actor }: Decision,
  { reset, change }: { reset: boolean; change: LimitsChange },
): Promise<LimitsChanged> {
  return db.transaction().execute(async (tx): Promise<LimitsChanged> => {
    if (!(await lockAccount(tx, id))) return { kind: 'account_not_found' };
    const { limits } = await tx.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow();
    if (!reset && Object.keys(change).length === 0) return { kind: 'changed', limits };
    const before = reset ? {} : limits;
    const rules = withoutNulls({ ...before.rules, ...change.rules });
    const after = budgetAfter(before.budget ?? null, change.budget ?? []);
    if (after.kind !== 'changed') return after;
    const own = { budget: after.budget, rules: isEmpty(rules) ? null : rules };
    const next: AccountLimits = withoutNulls({ ...before, ...change, ...own });
    await tx
      .updateTable('account')
      .set({ limits: JSON.stringify(next) })
      .where('id', '=', id)
      .execute();
    const entry = { id, at: now, actor, action: 'update_account_limits' };
    await auditAccount(tx, { ...entry, before: { ...limits }, after: { ...next } });
    await raiseChanges(tx);
    return { kind: 'changed', limits: next };
  });
}

/** Null = none. */
const withoutNulls = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [Name in keyof T]: NonNullable<T[Name]>;
  };

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;

/** Wrong codes that were counted for a number in one mode (verify/failures-text.ts), and are now forgotten. */
export interface ForgottenFailures {
  mode: Mode;
  /** Since the last right code. */
  failuresInRow: number;
}

/** Lifts the number's locks in these modes and begins all counts again; one element for each mode in which anything was counted. */
export async function forgetFailures(
  db: Db,
  { accountId, number, modes }: { accountId: string; number: string; modes: readonly Mode[] },
): Promise<ForgottenFailures[]> {
  const { rows } = await sql<{ mode: Mode; failures_in_row: number }>`
    delete from number_failure
    where account_id = ${accountId} and number = ${number} and mode = any(${[...modes]}::text[])
    returning mode, failures_in_row`.execute(db);
  return rows.map((row) => ({ mode: row.mode, failuresInRow: row.failures_in_row }));
}

export interface Unlocked {
  forgotten: ForgottenFailures[];
  /** Cells that failed: what they have counted stays, and moves on with its number. */
  failed: { cell: string; error: unknown }[];
}

/** In every cell that the number has been in. Recorded before anything is forgotten. */
export async function unlockNumber(
  { home, cells }: { home: Db; cells: Omit<Cells<Db>, 'now'> },
  { id, now, actor, number, modes }: Decision & { number: string; modes: readonly Mode[] },
): Promise<Unlocked> {
  const mode = modes.length === 1 ? (modes[0] ?? null) : null;
  const entry = { id, at: now, actor, action: 'unlock_number', mode, after: { number: maskPhone(number) } };
  await home.transaction().execute((tx) => auditAccount(tx, entry));
  const key = { accountId: id, number, modes };
  const names = cells.map.everOf(shardForNumber(number), now.getTime());
  const settled = await Promise.allSettled(names.map((name) => forgetFailures(cells.of(name), key)));
  return {
    forgotten: settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
    failed: settled.flatMap((each, at) =>
      each.status === 'rejected' ? [{ cell: names[at] ?? '', error: each.reason }] : [],
    ),
  };
}
