// API keys: created, listed and revoked, for the API and for the operator's command line alike. The callers decide what a key
// may do; only the limit and the last `manage` key are guarded here and in the statements.

import { type Actor, operatorId } from '../../core/accounts/actor.ts';
import { apiKeyIdPrefix, formatKey, type KeyPrefixes } from '../../core/accounts/api-key.ts';
import { shardForAccount } from '../../core/ids.ts';
import { type KeyRestrictions, restrictionsOf } from '../../core/limits/key-restrictions.ts';
import type { Mode } from '../../core/verify/session.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import * as rows from '../../db/accounts/api-keys.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import type { ApiKeyRow, Tx } from '../../db/schema.ts';
import type { AccountsContext } from './context.ts';
import { newSecret } from './secret.ts';

/** A key as its account sees it: without the hash of its secret. */
export type ApiKey = Omit<ApiKeyRow, 'secret_hash' | 'hmac_key_id' | 'restrictions'> & {
  restrictions: KeyRestrictions | null;
  /** Enough to recognise a key in a list: its prefix and the end of its id, which are no secret. */
  hint: string;
};

export interface KeyRequest {
  accountId: string;
  mode: Mode;
  name: string;
  /** Who is to use it. Default: a program. */
  person?: string;
  scopes: readonly string[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
  /** Id of the key that asks for it, or `madeByOperator`. */
  createdBy: string;
  actor: Actor;
  /** Default: none. */
  restrictions?: KeyRestrictions | null;
}

/** In place of a key's id: made on the command line, or together with the account. */
export const madeByOperator = operatorId;

export interface IssuedKey {
  apiKey: ApiKey;
  /** The key itself: shown this once, and stored nowhere. */
  key: string;
}

export type KeyCreated =
  | { kind: 'created'; issued: IssuedKey }
  | { kind: 'too_many'; most: number }
  | { kind: 'account_not_found' }
  | { kind: 'account_suspended' }
  | { kind: 'account_closed' }
  /** The key that asks for it was revoked after it was let in. */
  | { kind: 'maker_revoked' };

export type KeyRevoked = { kind: 'revoked'; apiKey: ApiKey } | Exclude<rows.Revoked, { kind: 'revoked' }>;

export class ApiKeys {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  async create(request: KeyRequest): Promise<KeyCreated> {
    const { db, now, settings, caches } = this.#context;
    const most = settings.mostKeys ?? 100;
    const created = await inTransaction(db, async (tx): Promise<KeyCreated> => {
      const account = await lockAccount(tx, request.accountId);
      if (!account) return { kind: 'account_not_found' };
      if (account.closed_at !== null) return { kind: 'account_closed' };
      if (account.suspended_at !== null) return { kind: 'account_suspended' };
      // Calls that waited for a revocation to commit were let in before it: what they made would outlive it.
      if (await rows.isRevoked(tx, request.createdBy)) return { kind: 'maker_revoked' };
      const count = await rows.countUsableKeys(tx, request.accountId, request.mode, new Date(now()));
      if (count >= most) return { kind: 'too_many', most };
      const issued = await issueKey(this.#context, tx, request);
      await raiseChanges(tx);
      return { kind: 'created', issued };
    });
    if (created.kind === 'created') caches?.clear(request.accountId);
    return created;
  }

  /** Newest first. */
  async list(accountId: string, modes: readonly Mode[], page: rows.ApiKeyPage): Promise<ApiKey[]> {
    const found = await rows.listApiKeys(this.#context.db, accountId, modes, page);
    return found.map((row) => viewOf(this.#context.prefixes, row));
  }

  /** Revoking twice is the same as once. */
  async revoke(revocation: Omit<rows.Revocation, 'now'>): Promise<KeyRevoked> {
    const { db, now, prefixes, caches } = this.#context;
    const outcome = await rows.revokeApiKey(db, { ...revocation, now: new Date(now()) });
    if (outcome.kind !== 'revoked') return outcome;
    if (outcome.changed) caches?.clear(outcome.key.account_id);
    return { kind: 'revoked', apiKey: viewOf(prefixes, outcome.key) };
  }

  /** Every key of the account, in both modes, that was not revoked before; null where there is no such account. */
  async revokeAll(accountId: string, actor: Actor): Promise<ApiKey[] | null> {
    const { db, now, prefixes, caches } = this.#context;
    const revoked = await rows.revokeAccountKeys(db, { accountId, actor, now: new Date(now()) });
    caches?.clear(accountId);
    return revoked?.map((row) => viewOf(prefixes, row)) ?? null;
  }
}

/** Part of a transaction that raises the change counter. */
export async function issueKey(context: AccountsContext, tx: Tx, request: KeyRequest): Promise<IssuedKey> {
  const { ids, ring, now, prefixes } = context;
  const { accountId, mode, name, person = '', scopes, expiresAt, createdBy, restrictions = null } = request;
  const id = ids(apiKeyIdPrefix, shardForAccount(accountId));
  const { secret, columns } = newSecret(ring);
  const row = await rows.insertApiKey(
    tx,
    {
      id,
      account_id: accountId,
      mode,
      name,
      person,
      scopes: [...scopes],
      ...columns,
      created_at: new Date(now()),
      expires_at: expiresAt === null ? null : new Date(expiresAt),
      created_by: createdBy,
      restrictions: restrictions && JSON.stringify(restrictions),
    },
    request.actor,
  );
  return { apiKey: viewOf(prefixes, row), key: formatKey({ prefix: prefixOf(prefixes, mode), id, secret }) };
}

const prefixOf = (prefixes: KeyPrefixes, mode: Mode): string =>
  mode === 'live' ? prefixes.livePrefix : prefixes.testPrefix;

function viewOf(prefixes: KeyPrefixes, { secret_hash: _, hmac_key_id: __, ...row }: ApiKeyRow): ApiKey {
  const restrictions = restrictionsOf(row.restrictions);
  return { ...row, restrictions, hint: `${prefixOf(prefixes, row.mode)}…${row.id.slice(-4)}` };
}
