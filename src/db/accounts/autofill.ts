// Statements over the sites and apps that an account's sends may name for autofill. A live value works once the operator of the service has
// approved it.

import { type Expression, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import type { AutofillValue } from '../../core/verify/autofill.ts';
import type { Mode } from '../../core/verify/session.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountAutofillRow, Db, Tx } from '../schema.ts';
import { audit } from './audit.ts';
import { approveWanted } from './wordings.ts';

/** A registered value as accounts are read with it. */
export type RegisteredAutofill = [value: string, packageName: string | null, approved: boolean];

/** In a query over account and account_setting: the values of that mode, in their order. */
export const registeredAutofill = sql<RegisteredAutofill[]>`(
  select coalesce(jsonb_agg(jsonb_build_array(a.value, a.package_name, a.approved) order by a.position), '[]')
  from account_autofill a where a.account_id = account.id and a.mode = account_setting.mode)`;

/**
 * The values in place of those there were. One that stays keeps its approval, unless its hash now belongs to another app; what
 * is new in test mode is approved. Part of a transaction that raises the change counter, under `lockAccount`.
 */
export async function replaceAutofill(
  tx: Tx,
  { accountId, mode, now }: { accountId: string; mode: Mode; now: Date },
  values: readonly AutofillValue[],
): Promise<void> {
  const kept = values.map(({ value }) => value);
  await sql`
    delete from account_autofill
    where account_id = ${accountId} and mode = ${mode} and not (value = any(${kept}::text[]))`.execute(tx);
  for (const [position, { value, packageName }] of values.entries()) {
    await sql`
      insert into account_autofill (account_id, mode, value, package_name, position, approved, created_at)
      select id, ${mode}, ${value}, ${packageName}, ${position}, ${mode}::text = 'test' or approves_autofill, ${now}
      from account where id = ${accountId}
      on conflict (account_id, mode, value) do update set
        position = excluded.position,
        package_name = excluded.package_name,
        approved = excluded.approved or (account_autofill.approved
          and account_autofill.package_name is not distinct from excluded.package_name)`.execute(tx);
  }
}

/** Some of an account's live values: any of these, or those of a package at this moment. */
export type WhichAutofill = { values: readonly string[] } | { packageName: string };

export interface AutofillDecision {
  accountId: string;
  which: WhichAutofill;
  approved: boolean;
  now: Date;
  actor: Actor;
}

/** Records what the operator of the service decided. Returns the values it is about, as they are now. */
export function decideAutofill(
  db: Db,
  { accountId, which, approved, now, actor }: AutofillDecision,
): Promise<AccountAutofillRow[]> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .updateTable('account_autofill')
      .set({ approved })
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .where((eb) => ('values' in which ? eb('value', 'in', which.values) : eb('package_name', '=', which.packageName)))
      .returningAll()
      .execute();
    if (rows.length === 0) return rows;
    const entry = { at: now, actor, action: 'decide_autofill', target: accountId, accountId, mode: 'live' as const };
    await audit(tx, { ...entry, after: { values: rows.map(({ value }) => value), approved } });
    await raiseChanges(tx);
    return rows.sort((a, b) => a.position - b.position);
  });
}

/**
 * Live values of one account, or those of all accounts that wait for the operator of the service, the oldest first. `after` is the row behind which the
 * page begins; null = the first.
 */
export function listAutofill(
  db: Db,
  accountId: string | null,
  { limit, after }: { limit: number; after: AccountAutofillRow | null },
): Promise<AccountAutofillRow[]> {
  const wanted: Expression<SqlBool> = accountId === null ? sql`not approved` : sql`account_id = ${accountId}`;
  return (
    db
      .selectFrom('account_autofill')
      .selectAll()
      .where('mode', '=', 'live')
      .where(wanted)
      // By what is stored: a time of JavaScript has no microseconds.
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(created_at, account_id, position, value) > (
        select a.created_at, a.account_id, a.position, a.value from account_autofill a
        where a.account_id = ${after?.account_id} and a.mode = 'live' and a.value = ${after?.value})`),
      )
      .orderBy('created_at')
      .orderBy('account_id')
      .orderBy('position')
      .orderBy('value')
      .limit(limit)
      .execute()
  );
}

/** Approves all that this account has registered and will register: sites, apps, brand and texts. */
export function approveOwn(db: Db, accountId: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await tx.updateTable('account').set({ approves_autofill: true }).where('id', '=', accountId).execute();
    await tx.updateTable('account_autofill').set({ approved: true }).where('account_id', '=', accountId).execute();
    await approveWanted(tx, accountId);
    await raiseChanges(tx);
  });
}
