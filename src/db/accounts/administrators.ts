// Statements over administrators. No secret passes here, only its HMAC.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import { administratorIdPrefix } from '../../core/accounts/administrator.ts';
import { raiseChanges } from '../changes.ts';
import type { AdministratorRow, Db, Tx } from '../schema.ts';
import { audit } from './audit.ts';

/** The scope that lets an administrator make and revoke others. */
const manages = 'administrators';

export type NewAdministrator = Omit<AdministratorRow, 'last_used_at' | 'revoked_at'>;

type Inserted =
  | { kind: 'made'; row: AdministratorRow }
  | { kind: 'too_many' }
  /** The administrator who makes it was revoked, or has expired, after the call was let in. */
  | { kind: 'maker_revoked' };

/** `most`: working administrators that there may be. */
export function insertAdministrator(
  db: Db,
  row: NewAdministrator,
  { actor, most }: { actor: Actor; most: number },
): Promise<Inserted> {
  return db.transaction().execute(async (tx): Promise<Inserted> => {
    const working = await lockWorking(tx, row.created_at);
    // A process may not have heard of a revocation yet: what it made would outlive the maker.
    const hasRow = row.created_by.startsWith(administratorIdPrefix);
    if (hasRow && !working.some(({ id }) => id === row.created_by)) return { kind: 'maker_revoked' };
    if (working.length >= most) return { kind: 'too_many' };
    const made = await tx.insertInto('administrator').values(row).returningAll().executeTakeFirstOrThrow();
    await audit(tx, {
      at: row.created_at,
      actor,
      action: 'create_administrator',
      target: row.id,
      accountId: null,
      after: shown(made),
    });
    await raiseChanges(tx);
    return { kind: 'made', row: made };
  });
}

/** For the authenticator: all that were not revoked. */
export const loadAdministrators = (db: Db): Promise<AdministratorRow[]> =>
  db.selectFrom('administrator').selectAll().where('revoked_at', 'is', null).execute();

export interface AdministratorPage {
  limit: number;
  /** Id after which the page begins; null = the newest. */
  before: string | null;
  includeRevoked: boolean;
}

/** Newest first. */
export const listAdministrators = (
  db: Db,
  { limit, before, includeRevoked }: AdministratorPage,
): Promise<AdministratorRow[]> =>
  db
    .selectFrom('administrator')
    .selectAll()
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(!includeRevoked, (query) => query.where('revoked_at', 'is', null))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export type Revoked =
  | { kind: 'revoked'; row: AdministratorRow }
  | { kind: 'not_found' }
  /** No other working one could make administrators. */
  | { kind: 'last_administrator' };

/** Revoking twice is the same as once. `needsOther`: one with the scope `administrators` has to stay. */
export function revokeAdministrator(
  db: Db,
  { id, actor, now, needsOther }: { id: string; actor: Actor; now: Date; needsOther: boolean },
): Promise<Revoked> {
  return db.transaction().execute(async (tx): Promise<Revoked> => {
    const working = await lockWorking(tx, now);
    const row = await tx.selectFrom('administrator').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return { kind: 'not_found' };
    if (row.revoked_at) return { kind: 'revoked', row };
    const managers = working.filter(({ scopes }) => scopes.includes(manages));
    const isLast = managers.length === 1 && managers[0]?.id === id;
    if (needsOther && isLast) return { kind: 'last_administrator' };
    const revoked = await tx
      .updateTable('administrator')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const entry = { at: now, actor, action: 'revoke_administrator', target: id, accountId: null };
    await audit(tx, { ...entry, before: shown(row), after: shown(revoked) });
    await raiseChanges(tx);
    return { kind: 'revoked', row: revoked };
  });
}

/** Those that work, locked: of two that are revoked at the same time one stays, and no two are the last that fit. */
async function lockWorking(tx: Tx, now: Date): Promise<AdministratorRow[]> {
  await sql`lock table administrator in share row exclusive mode`.execute(tx);
  return tx
    .selectFrom('administrator')
    .selectAll()
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
}

/** For the audit log. */
const shown = ({ name, scopes, expires_at, revoked_at }: AdministratorRow) => ({
  name,
  scopes,
  expires_at,
  revoked_at,
});
