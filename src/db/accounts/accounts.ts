// Statements over accounts and their settings; each mode has settings of its own, so that trials do not change live sends.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import type { RegisteredWording, WordingChange, WordingKind } from '../../core/accounts/wording.ts';
import type { AutofillValue } from '../../core/verify/autofill.ts';
import type { Leg, Mode } from '../../core/verify/session.ts';
import { hourMs } from '../../time/wall-clock.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountLimits, AccountRow, AccountSettingRow, Db, StopRow, Tx } from '../schema.ts';
import { audit } from './audit.ts';
import { type RegisteredAutofill, registeredAutofill, replaceAutofill } from './autofill.ts';
import { findRejected, registeredWordings, replaceWordings } from './wordings.ts';

export interface NewAccount {
  id: string;
  name: string;
  createdAt: Date;
  /** Of both modes, at first. */
  language: string;
  limits?: AccountLimits;
  /** Its live keys are refused until it is approved. Default false. */
  waits?: boolean;
}

/** Part of a transaction that also makes the account's keys and raises the change counter. */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<void> {
  const { id, name, createdAt, language, limits = {}, waits = false } = account;
  await tx
    .insertInto('account')
    .values({
      id,
      name,
      created_at: createdAt,
      approved_at: waits ? null : createdAt,
      limits: JSON.stringify(limits),
    })
    .execute();
  const modes: Mode[] = ['live', 'test'];
  await tx
    .insertInto('account_setting')
    .values(modes.map((mode) => ({ account_id: id, mode, language })))
    .execute();
}

/** An account as one mode sees it. */
export type AccountWithSettings = AccountRow &
  Omit<AccountSettingRow, 'account_id'> & {
    /** First send of the first session sent from the business's own number after it was linked. */
    app_first_send_at: Date | null;
    autofill: RegisteredAutofill[];
    wordings: RegisteredWording[];
  };

const withSettings = (db: Db, id: string, mode: Mode) =>
  db
    .selectFrom('account')
    .innerJoin('account_setting', 'account_setting.account_id', 'account.id')
    .leftJoin('waba', 'waba.account_id', 'account.id')
    .selectAll('account')
    .select([
      'mode',
      'language',
      'default_sender_id',
      'cascade',
      'allowed_prefixes',
      'waba.first_send_at as app_first_send_at',
    ])
    .select([registeredAutofill.as('autofill'), registeredWordings.as('wordings')])
    .where('account.id', '=', id)
    .where('mode', '=', mode);

export const findAccount = (db: Db, id: string, mode: Mode): Promise<AccountWithSettings | undefined> =>
  withSettings(db, id, mode).executeTakeFirst();

/** An account with what its sends need beside its settings. */
export type AccountForSends = AccountWithSettings & {
  /** Every sender name of the mode that an operator has approved. */
  approved: [operator: string, name: string][];
  /** Endpoints of the mode that are switched on; without types they get every event. */
  endpoints: [id: string, eventTypes: string[]][];
  /** Stops in force, and stops that ended within `stopsKeptMs`. */
  stops: StopRow[];
};

/** How long after its end a stop still comes with its account, ms: the sends that it was based on must not count again (`countedSince`). */
const stopsKeptMs = 3 * hourMs;

/** `operators` are those that are configured: in test mode each one has approved a name that it has not decided about. */
export function findAccountForSends(
  db: Db,
  { id, mode, operators }: { id: string; mode: Mode; operators: readonly string[] },
): Promise<AccountForSends | undefined> {
  const approved = sql<[string, string][]>`(
    select coalesce(jsonb_agg(jsonb_build_array(a.operator, s.name)), '[]')
    from sender_id s cross join lateral (
      select d.operator from sender_decision d where d.sender_id = s.id and d.status = 'approved'
      union all
      select o.id from unnest(${mode === 'test' ? operators : []}::text[]) o (id)
      where not exists (select from sender_decision d where d.sender_id = s.id and d.operator = o.id)) a (operator)
    where s.account_id = account.id and s.mode = account_setting.mode)`;
  const endpoints = sql<[string, string[]][]>`(
    select coalesce(jsonb_agg(jsonb_build_array(w.id, w.event_types) order by w.id), '[]')
    from webhook_endpoint w where w.account_id = account.id and w.mode = account_setting.mode and w.enabled)`;
  const stops = sql<StopRow[]>`(
    select coalesce(jsonb_agg(to_jsonb(s) order by s.id), '[]') from stop s
    where s.account_id = account.id and s.ends_at > now() - ${sql.lit(stopsKeptMs)} * interval '1 millisecond')`;
  return withSettings(db, id, mode)
    .select([approved.as('approved'), endpoints.as('endpoints'), stops.as('stops')])
    .executeTakeFirst();
}

/** Keeps others from counting or revoking what belongs to the account until the transaction ends. Null where there is none. */
export async function lockAccount(tx: Tx, id: string): Promise<LockedAccount | null> {
  const row = await tx
    .selectFrom('account')
    .select(['approved_at', 'suspended_at', 'suspended_reason', 'closed_at', 'closed_reason', 'purging_since'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export type LockedAccount = Pick<
  AccountRow,
  'approved_at' | 'suspended_at' | 'suspended_reason' | 'closed_at' | 'closed_reason' | 'purging_since'
>;

/** Runs `work` in a transaction that holds the account's lock: rows it counts do not change until it commits. */
export function withAccountLocked<T>(
  db: Db,
  accountId: string,
  work: (tx: Tx, account: LockedAccount | null) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => work(tx, await lockAccount(tx, accountId)));
}

/** What is absent stays. */
export interface AccountChange {
  /** Of the whole account. */
  name?: string;
  inCountryOnly?: boolean;
  /** Of one mode. */
  language?: string;
  /** null = the platform's. */
  defaultSenderId?: string | null;
  /** null = the platform's. */
  cascade?: Leg[] | null;
  /** Beginnings of numbers; empty = no restriction. */
  allowedPrefixes?: readonly string[];
  /** All of them, in place of those there are. */
  autofill?: readonly AutofillValue[];
  wording?: WordingChange;
}

export interface AccountOwner {
  id: string;
  mode: Mode;
  now: Date;
  actor: Actor;
}

export type AccountUpdated =
  | { kind: 'updated'; changed: boolean; account: AccountWithSettings }
  /** The operator of the service has rejected this brand, or the text in this language, before. */
  | { kind: 'wording_rejected'; wording: WordingKind };

/** The account after the change. @throws when there is no such account. */
export function updateAccount(
  db: Db,
  { id, mode, now, actor }: AccountOwner,
  change: AccountChange,
): Promise<AccountUpdated> {
  const { name, inCountryOnly, language, defaultSenderId, cascade, allowedPrefixes, autofill, wording } = change;
  const account = {
    ...(name === undefined ? {} : { name }),
    ...(inCountryOnly === undefined ? {} : { in_country_only: inCountryOnly }),
  };
  const setting = {
    ...(language === undefined ? {} : { language }),
    ...(defaultSenderId === undefined ? {} : { default_sender_id: defaultSenderId }),
    ...(cascade === undefined ? {} : { cascade: cascade === null ? null : JSON.stringify(cascade) }),
    ...(allowedPrefixes === undefined ? {} : { allowed_prefixes: [...allowedPrefixes] }),
  };
  return db.transaction().execute(async (tx): Promise<AccountUpdated> => {
    await lockAccount(tx, id);
    const before = await withSettings(tx, id, mode).executeTakeFirstOrThrow();
    if (!filled(change)) return { kind: 'updated', changed: false, account: before };
    const rejected = wording && (await findRejected(tx, { accountId: id, mode }, wording));
    if (rejected) return { kind: 'wording_rejected', wording: rejected };
    if (filled(account)) await tx.updateTable('account').set(account).where('id', '=', id).execute();
    if (filled(setting)) {
      const settings = tx.updateTable('account_setting').set(setting);
      await settings.where('account_id', '=', id).where('mode', '=', mode).execute();
    }
    if (autofill !== undefined) await replaceAutofill(tx, { accountId: id, mode, now }, autofill);
    if (wording !== undefined) await replaceWordings(tx, { accountId: id, mode, now }, wording);
    const after = await withSettings(tx, id, mode).executeTakeFirstOrThrow();
    await audit(tx, { at: now, actor, action: 'update_account', target: id, accountId: id, mode, before, after });
    await raiseChanges(tx);
    return { kind: 'updated', changed: true, account: after };
  });
}

const filled = (change: object): boolean => Object.keys(change).length > 0;
