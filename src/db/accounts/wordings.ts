// Statements over the wording of accounts: brands and SMS texts. Of each kind there is one at most that is wanted and one at most that
// is approved; those that were rejected are kept, so that the same words are not asked for again.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import type { RegisteredWording, WordingChange, WordingKind } from '../../core/accounts/wording.ts';
import type { Mode } from '../../core/verify/session.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountWordingRow, Db, Tx } from '../schema.ts';
import { audit } from './audit.ts';

/** In a query over account and account_setting: the wording of that mode. */
export const registeredWordings = sql<RegisteredWording[]>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'kind', g.kind, 'value', g.value, 'status', g.status, 'reason', g.reason, 'wanted', g.wanted) order by g.created_at), '[]')
  from account_wording g where g.account_id = account.id and g.mode = account_setting.mode)`;

interface Owner {
  accountId: string;
  mode: Mode;
}

/** The first kind whose value was rejected before; null where there is none. */
export async function findRejected(
  tx: Tx,
  { accountId, mode }: Owner,
  change: WordingChange,
): Promise<WordingKind | null> {
  for (const [kind, value] of entriesOf(change)) {
    if (value === null) continue;
    const row = await tx
      .selectFrom('account_wording')
      .select('kind')
      .where((eb) => eb.and({ account_id: accountId, mode, kind, value, status: 'rejected' }))
      .executeTakeFirst();
    if (row) return kind;
  }
  return null;
}

/**
 * What the account asks for from now on. What was approved before stays in use until the new one is, unless there is no new one. In test
 * mode everything is approved. Part of a transaction that raises the change counter, under `lockAccount`.
 */
export async function replaceWordings(
  tx: Tx,
  { accountId, mode, now }: Owner & { now: Date },
  change: WordingChange,
): Promise<void> {
  for (const [kind, value] of entriesOf(change)) {
    await sql`
      delete from account_wording
      where account_id = ${accountId} and mode = ${mode} and kind = ${kind} and value is distinct from ${value}
        and (status = 'pending' or ${value}::text is null and status = 'approved')`.execute(tx);
    await sql`
      update account_wording set wanted = false
      where account_id = ${accountId} and mode = ${mode} and kind = ${kind}
        and wanted and value is distinct from ${value}`.execute(tx);
    if (value === null) continue;
    await sql`
      insert into account_wording (account_id, mode, kind, value, status, wanted, created_at)
      select id, ${mode}, ${kind}, ${value}, case when ${mode}::text = 'test' or approves_autofill then 'approved' else 'pending' end,
        true, ${now}
      from account where id = ${accountId}
      on conflict (account_id, mode, kind, value) do update set wanted = true`.execute(tx);
  }
  await dropReplaced(tx, accountId);
}

/** Approves all that the account asks for. Part of a transaction that raises the change counter. */
export async function approveWanted(tx: Tx, accountId: string): Promise<void> {
  const wanted = tx.updateTable('account_wording').set({ status: 'approved' }).where('account_id', '=', accountId);
  await wanted.where('wanted', '=', true).execute();
  await dropReplaced(tx, accountId);
}

/** Once what is wanted is approved, nothing of its kind was in use before it. */
async function dropReplaced(tx: Tx, accountId: string): Promise<void> {
  await sql`
    delete from account_wording g using account_wording w
    where g.account_id = ${accountId} and g.status = 'approved' and not g.wanted
      and w.account_id = g.account_id and w.mode = g.mode and w.kind = g.kind and w.status = 'approved' and w.wanted`.execute(
    tx,
  );
}

export interface WordingDecision {
  accountId: string;
  kind: WordingKind;
  value: string;
  status: 'approved' | 'rejected';
  reason: string | null;
  now: Date;
  actor: Actor;
}

/**
 * Records what the operator of the service decided about live wording: what the account asks for, or what is in use. Approved words that
 * are rejected are no longer used. Returns null where the account has no such wording.
 */
export function decideWording(db: Db, decision: WordingDecision): Promise<AccountWordingRow | null> {
  const { accountId, kind, value, status, reason, now, actor } = decision;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('account_wording')
      .set({ status, reason, decided_at: now })
      .where((eb) => eb.and({ account_id: accountId, mode: 'live', kind, value }))
      .where((eb) => eb.or([eb('wanted', '=', true), eb('status', '=', 'approved')]))
      .returningAll()
      .executeTakeFirst();
    if (!row) return null;
    await dropReplaced(tx, accountId);
    const entry = { at: now, actor, action: 'decide_wording', target: accountId, accountId, mode: 'live' as const };
    await audit(tx, { ...entry, after: { kind, value, status, reason } });
    await raiseChanges(tx);
    return row;
  });
}

/**
 * Live wording of one account, or that of all accounts which waits for the operator of the service, the oldest first. `after` is the row behind which
 * the page begins; null = the first.
 */
export function listWordings(
  db: Db,
  accountId: string | null,
  { limit, after }: { limit: number; after: AccountWordingRow | null },
): Promise<AccountWordingRow[]> {
  const rows = db.selectFrom('account_wording').selectAll().where('mode', '=', 'live');
  const wanted = accountId === null ? rows.where('status', '=', 'pending') : rows.where('account_id', '=', accountId);
  return (
    wanted
      // By what is stored: a time of JavaScript has no microseconds.
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(created_at, account_id, kind, value) > (
        select w.created_at, w.account_id, w.kind, w.value from account_wording w where w.account_id = ${after?.account_id}
          and w.mode = 'live' and w.kind = ${after?.kind} and w.value = ${after?.value})`),
      )
      .orderBy('created_at')
      .orderBy('account_id')
      .orderBy('kind')
      .orderBy('value')
      .limit(limit)
      .execute()
  );
}

const entriesOf = (change: WordingChange) => Object.entries(change) as [WordingKind, string | null][];
