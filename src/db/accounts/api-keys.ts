// Statements over API keys. No secret passes here, only its HMAC.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import { type KeyRestrictions, restrictionsOf } from '../../core/limits/key-restrictions.ts';
import type { Mode } from '../../core/verify/session.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountLimits, AccountRow, ApiKeyRow, Db, Tx } from '../schema.ts';
import { lockAccount } from './accounts.ts';
import { audit } from './audit.ts';

export type NewApiKey = Omit<ApiKeyRow, 'last_used_at' | 'revoked_at' | 'restrictions'> & {
  /** As JSON. */
  restrictions: string | null;
};

/** Part of a transaction that raises the change counter. */
export async function insertApiKey(tx: Tx, key: NewApiKey, actor: Actor): Promise<ApiKeyRow> {
  const made = await tx.insertInto('api_key').values(key).returningAll().executeTakeFirstOrThrow();
  const { id, account_id: accountId, mode, created_at: at, secret_hash: _, hmac_key_id: __, ...shown } = made;
  await audit(tx, { at, actor, action: 'create_api_key', target: id, accountId, mode, after: shown });
  return made;
}

/** Keys of the account and mode that still work. For a limit: under `lockAccount`. */
export async function countUsableKeys(tx: Tx, accountId: string, mode: Mode, now: Date): Promise<number> {
  const row = await tx
    .selectFrom('api_key')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Whether the key was revoked. A caller that acts on the answer has the account locked, as a revocation has. */
export async function isRevoked(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('api_key').select('revoked_at').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.revoked_at !== null;
}

/** Whether the key was revoked or has expired. A caller that acts on the answer has the account locked, as a revocation has. */
export async function isOver(tx: Tx, id: string, now: Date): Promise<boolean> {
  const query = tx.selectFrom('api_key').select(['revoked_at', 'expires_at']).where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row !== undefined && (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now));
}

/** A key, whether its account is closed, suspended or waits for approval, and the account's own modes of rules. */
export type FoundApiKey = Omit<ApiKeyRow, 'restrictions'> &
  Pick<AccountRow, 'closed_at' | 'suspended_at' | 'approved_at'> & {
    restrictions: KeyRestrictions | null;
    rules: AccountLimits['rules'] | null;
  };

/** For the authenticator; those that do not exist are missing. */
export async function findApiKeys(db: Db, ids: readonly string[]): Promise<FoundApiKey[]> {
  const rows = await db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .selectAll('api_key')
    .select(['account.closed_at', 'account.suspended_at', 'account.approved_at'])
    .select(sql<AccountLimits['rules'] | null>`account.limits -> 'rules'`.as('rules'))
    .where('api_key.id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
  return rows.map((row) => ({ ...row, restrictions: restrictionsOf(row.restrictions) }));
}

export interface ApiKeyPage {
  limit: number;
  /** Id after which the page begins; null = the newest. */
  before: string | null;
  includeRevoked: boolean;
}

/** Newest first. */
export function listApiKeys(
  db: Db,
  accountId: string,
  modes: readonly Mode[],
  { limit, before, includeRevoked }: ApiKeyPage,
): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('mode', 'in', modes)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(!includeRevoked, (query) => query.where('revoked_at', 'is', null))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export interface Revocation {
  /** null = of any account: for the operator of the service. */
  accountId: string | null;
  id: string;
  /** Modes the caller may see. */
  modes: readonly Mode[];
  now: Date;
  actor: Actor;
  /** The last working live key with the scope `manage`, too. Default false. */
  force?: boolean;
}

export type Revoked =
  | { kind: 'revoked'; changed: boolean; key: ApiKeyRow }
  /** Not in this account, or of a mode the caller can't see. */
  | { kind: 'not_found' }
  /** It is the account's last working live key with the scope `manage`. */
  | { kind: 'last_manage_key' };

/** Revoking twice is the same as once. Two at a time wait for each other at the account, so one of the last two stays. */
export function revokeApiKey(
  db: Db,
  { accountId, id, modes, now, actor, force = false }: Revocation,
): Promise<Revoked> {
  return db.transaction().execute(async (tx): Promise<Revoked> => {
    const owner = await tx.selectFrom('api_key').select(['account_id', 'mode']).where('id', '=', id).executeTakeFirst();
    if (!owner || (accountId !== null && owner.account_id !== accountId) || !modes.includes(owner.mode)) {
      return { kind: 'not_found' };
    }
    await lockAccount(tx, owner.account_id);
    // Read again: the holder of the lock may have revoked it meanwhile.
    const key = await tx.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (key.revoked_at) return { kind: 'revoked', changed: false, key };
    if (!force && manages(key, now) && !(await hasOtherManageKey(tx, key, now))) return { kind: 'last_manage_key' };
    const revoked = await tx
      .updateTable('api_key')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await auditRevocation(tx, actor, revoked);
    await raiseChanges(tx);
    return { kind: 'revoked', changed: true, key: revoked };
  });
}

/** Every key of the account, in both modes, that was not revoked before; null where there is no such account. */
export function revokeAccountKeys(
  db: Db,
  { accountId, now, actor }: { accountId: string; now: Date; actor: Actor },
): Promise<ApiKeyRow[] | null> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return null;
    const revoked = await tx
      .updateTable('api_key')
      .set({ revoked_at: now })
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .returningAll()
      .execute();
    for (const key of revoked) await auditRevocation(tx, actor, key);
    await raiseChanges(tx);
    return revoked.sort((one, other) => (one.id < other.id ? 1 : -1));
  });
}

const auditRevocation = (tx: Tx, actor: Actor, { id, account_id, mode, name, revoked_at }: ApiKeyRow) =>
  audit(tx, {
    at: revoked_at ?? new Date(Number.NaN),
    actor,
    action: 'revoke_api_key',
    target: id,
    accountId: account_id,
    mode,
    before: { revoked_at: null },
    after: { name, revoked_at },
  });

const manages = (key: ApiKeyRow, now: Date): boolean =>
  key.mode === 'live' && key.scopes.includes('manage') && (key.expires_at === null || key.expires_at > now);

async function hasOtherManageKey(tx: Tx, key: ApiKeyRow, now: Date): Promise<boolean> {
  const other = await tx
    .selectFrom('api_key')
    .select('id')
    .where('account_id', '=', key.account_id)
    .where('mode', '=', 'live')
    .where('id', '<>', key.id)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`'manage' = any (scopes)`)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
