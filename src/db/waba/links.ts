// Statements over links of businesses' own WhatsApp accounts (table `waba`): one row an account, leased to the process that takes its next step.

import { sql, type Updateable } from 'kysely';
import type { WabaLink, WabaStatus } from '../../core/waba/link.ts';
import { record } from '../record.ts';
import type { Db, Schema, Tx, WabaRow } from '../schema.ts';
import { sealedUnder } from '../secrets/resealing.ts';

/** The part of a link's row that outcomes change. The end of a restriction is in its health. */
export const link = record<Omit<WabaLink, 'restrictedUntil'>>()({
  status: 'text',
  step: 'text',
  reason: 'text',
  errorCode: 'text',
  attempts: 'integer',
  nextAt: 'ms',
  stepSince: 'ms',
  failingSince: 'ms',
  createdAt: 'ms',
  connectedAt: 'ms',
  codeExpiresAt: 'ms',
  templates: 'json',
});

/** The columns that an outcome stores; the times of the next step and of the code are the step's own. */
export const storedLink = link.omit('nextAt', 'createdAt', 'codeExpiresAt');

export const findWaba = (db: Db, accountId: string): Promise<WabaRow | undefined> =>
  db.selectFrom('waba').selectAll().where('account_id', '=', accountId).executeTakeFirst();

/** The same, and other changes of it wait until the transaction ends. */
export const lockWaba = (tx: Tx, accountId: string): Promise<WabaRow | undefined> =>
  tx.selectFrom('waba').selectAll().where('account_id', '=', accountId).forUpdate().executeTakeFirst();

/** Whether the number is another account's, shown to be so. */
export async function isOwnedByOther(db: Db, phoneNumberId: string, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('waba')
    .select('account_id')
    .where('phone_number_id', '=', phoneNumberId)
    .where('owned', '=', true)
    .where('account_id', '!=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** True for the error of a save that would give a number a second owner. */
export const isTakenNumber = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'waba_owned_number';
};

/** Columns of a link that begins. */
export interface NewLink {
  accountId: string;
  wabaId: string;
  phoneNumberId: string;
  step: NonNullable<WabaRow['step']>;
  code: string | null;
  codeExpiresAt: Date | null;
  token: string | null;
  pin: string | null;
  nextAt: Date;
  now: Date;
}

/** Begins a link in place of the account's old one, of which only the measure stays. After `lockWaba`. */
export function beginLink(tx: Tx, link: NewLink): Promise<WabaRow> {
  const { accountId, wabaId, phoneNumberId, step, code, codeExpiresAt, token, pin, nextAt, now } = link;
  const row = {
    status: 'connecting' as const,
    step,
    reason: null,
    error_code: null,
    attempts: 0,
    owned: false,
    waba_id: wabaId,
    phone_number_id: phoneNumberId,
    phone_number: '',
    display_name: '',
    code,
    code_expires_at: codeExpiresAt,
    token,
    pin,
    templates: '{}',
    health: null,
    next_at: nextAt,
    step_since: now,
    failing_since: null,
    created_at: now,
    connected_at: null,
    updated_at: now,
  };
  return tx
    .insertInto('waba')
    .values({ account_id: accountId, version: 1, ...row })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ ...row, version: sql<number>`waba.version + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type WabaChange = Omit<Updateable<Schema['waba']>, 'version'>;

/** Undefined where the row was changed or claimed since `version`: then nothing is stored. */
export function saveWaba(
  tx: Tx,
  { account_id, version }: Pick<WabaRow, 'account_id' | 'version'>,
  change: WabaChange,
): Promise<WabaRow | undefined> {
  return tx
    .updateTable('waba')
    .set({ ...change, version: version + 1 })
    .where('account_id', '=', account_id)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst();
}

/** Links with a secret that is sealed under none of these keys, by their accounts from `after` on, locked until the transaction ends. */
export async function lockSealedWabas(
  tx: Tx,
  { keyIds, after, limit }: { keyIds: readonly string[]; after: string; limit: number },
): Promise<WabaRow[]> {
  const isOther = (column: string) => sql<boolean>`${sql.raw(sealedUnder(column))} <> all (${[...keyIds]}::text[])`;
  return tx
    .selectFrom('waba')
    .selectAll()
    .where('account_id', '>', after)
    .where(({ or }) => or([isOther('code'), isOther('token'), isOther('pin')]))
    .orderBy('account_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/**
 * Leases the links that are due until `leaseUntil`, the longest due first. A link with a secret under none of `keyIds` is left to a process that has
 * its key: to this one the secret would look lost, and the link would be broken for good. A key is lost only once it was given up, because it may
 * be in a ring whose process is being started again; then any process may find that out.
 */
export async function claimWabas(
  db: Db,
  { keyIds, now, leaseUntil, limit }: { keyIds: readonly string[]; now: Date; leaseUntil: Date; limit: number },
): Promise<WabaRow[]> {
  const isDecidable = (column: string) => {
    const id = sql.raw(sealedUnder(column));
    return sql<boolean>`(${sql.ref(column)} is null or ${id} = any (${[...keyIds]}::text[])
      or ${id} in (select id from announced_key where removed_at is not null))`;
  };
  const due = db
    .selectFrom('waba')
    .select('account_id')
    .where('next_at', '<=', now)
    .where(({ and }) => and([isDecidable('code'), isDecidable('token'), isDecidable('pin')]))
    .orderBy('next_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('waba')
    .set({ next_at: leaseUntil, version: sql<number>`version + 1` })
    .where('account_id', 'in', due)
    .returningAll()
    .execute();
}

/** Makes links due now that wait for a review or a verified number, or were connected. A process that is taking a step of one finds out at its save. */
export async function hastenWabas(db: Db, wabaId: string, now: Date): Promise<void> {
  await db
    .updateTable('waba')
    .set({ next_at: now, version: sql<number>`version + 1` })
    .where('waba_id', '=', wabaId)
    .where(
      sql<boolean>`(status in ('connected', 'suspended') or (status = 'connecting' and step in ('verify_number', 'await_approval')))`,
    )
    .execute();
}

/** Every row about this account of the platform, in these states. */
export const lockWabasOf = (tx: Tx, wabaId: string, statuses: readonly WabaStatus[]): Promise<WabaRow[]> =>
  tx
    .selectFrom('waba')
    .selectAll()
    .where('waba_id', '=', wabaId)
    .where('status', 'in', statuses)
    .orderBy('account_id')
    .forUpdate()
    .execute();

/** Rows whose number was shown to be theirs, or once was: what processes keep in memory. */
export const listWabas = (db: Db): Promise<WabaRow[]> =>
  db
    .selectFrom('waba')
    .selectAll()
    .where(sql<boolean>`(owned or connected_at is not null)`)
    .orderBy('account_id')
    .execute();

/** What the metrics show of all links. */
export interface WabaCounts {
  /** Every status, 0 included. */
  byStatus: Map<WabaStatus, number>;
  /** Of those that are connected: the platform's words for the quality of their numbers; empty = not known yet. */
  byQuality: Map<string, number>;
  /** When the first of their tokens dies, Unix ms; null = none is known to. */
  tokenEndsAt: number | null;
}

export async function countWabas(db: Db): Promise<WabaCounts> {
  const rows = await db
    .selectFrom('waba')
    .select([
      'status',
      sql<string>`coalesce(health ->> 'quality', '')`.as('quality'),
      sql<number>`count(*)`.as('count'),
      sql<number | null>`min((health ->> 'tokenExpiresAt')::double precision)`.as('token_ends_at'),
    ])
    .groupBy(['status', sql`coalesce(health ->> 'quality', '')`])
    .execute();
  const byStatus = new Map<WabaStatus, number>(wabaStatuses.map((status) => [status, 0]));
  for (const { status, count } of rows) byStatus.set(status, (byStatus.get(status) ?? 0) + Number(count));
  const connected = rows.filter(({ status }) => status === 'connected');
  const ends = connected.flatMap(({ token_ends_at: at }) => (at === null ? [] : [Number(at)]));
  return {
    byStatus,
    byQuality: new Map(connected.map(({ quality, count }) => [quality, Number(count)])),
    tokenEndsAt: ends.length === 0 ? null : Math.min(...ends),
  };
}

const wabaStatuses = ['connecting', 'connected', 'suspended', 'broken', 'disconnected'] as const;

/** Set once: linking again does not change it. */
export async function setFirstConnected(tx: Tx, accountId: string, at: Date): Promise<void> {
  await tx
    .updateTable('account')
    .set({ custom_waba_connected_at: at })
    .where('id', '=', accountId)
    .where('custom_waba_connected_at', 'is', null)
    .execute();
}
