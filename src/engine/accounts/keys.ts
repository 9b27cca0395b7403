// API keys: made, listed, revoked; the same for the API and for the operator's command line. What a caller may ask for is
// decided by whoever calls; only the limit and the last `manage` key are guarded here and in the statements.

import {
  apiKeyIdPrefix,
  apiKeySecretBytes,
  formatKey,
  hashSecret,
  type KeyPrefixes,
  newApiKeySecret,
} from '../../core/accounts/api-key.ts';
import { type IdSource, shardForAccount } from '../../core/ids.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Mode } from '../../core/verify/session.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { countUsableKeys, insertApiKey, isRevoked } from '../../db/accounts/api-keys.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { ApiKeyRow, Db, Tx } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';

export interface KeyMaker {
  db: Db;
  ids: IdSource;
  ring: KeyRing;
  prefixes: KeyPrefixes;
  now(): number;
  /** Cryptographically random. */
  randomBytes(size: number): Uint8Array;
  /** Working keys of one account and mode. Default 100. */
  mostKeys?: number;
}

export interface KeyRequest {
  accountId: string;
  mode: Mode;
  name: string;
  scopes: readonly string[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
  /** Id of the key that asks for it, or `madeByOperator`. */
  createdBy: string;
}

/** In place of a key's id: made on the command line, or together with the account. */
export const madeByOperator = 'operator';

export interface IssuedKey {
  row: ApiKeyRow;
  /** The key itself: shown this once, and stored nowhere. */
  key: string;
}

export type KeyCreated =
  | { kind: 'created'; issued: IssuedKey }
  | { kind: 'too_many'; most: number }
  | { kind: 'account_not_found' }
  | { kind: 'account_suspended' }
  /** The key that asks for it was revoked after it was let in. */
  | { kind: 'maker_revoked' };

export async function createKey(maker: KeyMaker, request: KeyRequest): Promise<KeyCreated> {
  const most = maker.mostKeys ?? 100;
  return inTransaction(maker.db, async (tx): Promise<KeyCreated> => {
    const account = await lockAccount(tx, request.accountId);
    if (!account) return { kind: 'account_not_found' };
    if (account.suspendedAt !== null) return { kind: 'account_suspended' };
    // Calls that waited for a revocation to commit were let in before it: what they made would outlive it.
    if (await isRevoked(tx, request.createdBy)) return { kind: 'maker_revoked' };
    const count = await countUsableKeys(tx, request.accountId, request.mode, new Date(maker.now()));
    if (count >= most) return { kind: 'too_many', most };
    const issued = await issueKey(maker, tx, request);
    await raiseChanges(tx);
    return { kind: 'created', issued };
  });
}

/** Part of a transaction that raises the change counter. */
export async function issueKey(maker: KeyMaker, tx: Tx, request: KeyRequest): Promise<IssuedKey> {
  const { accountId, mode, name, scopes, expiresAt, createdBy } = request;
  const id = maker.ids(apiKeyIdPrefix, shardForAccount(accountId));
  const secret = newApiKeySecret(maker.randomBytes(apiKeySecretBytes));
  const hmacKey = maker.ring.current('api_key');
  const row = await insertApiKey(tx, {
    id,
    account_id: accountId,
    mode,
    name,
    scopes: [...scopes],
    secret_hash: hashSecret(hmacKey.key, secret),
    hmac_key_id: hmacKey.id,
    created_at: new Date(maker.now()),
    expires_at: expiresAt === null ? null : new Date(expiresAt),
    created_by: createdBy,
  });
  return { row, key: formatKey({ prefix: prefixOf(maker.prefixes, mode), id, secret }) };
}

export const prefixOf = (prefixes: KeyPrefixes, mode: Mode): string =>
  mode === 'live' ? prefixes.livePrefix : prefixes.testPrefix;

/** What tells a key apart in a list: its prefix and the end of its id, which are no secret. */
export const keyHint = (prefixes: KeyPrefixes, { id, mode }: Pick<ApiKeyRow, 'id' | 'mode'>): string =>
  `${prefixOf(prefixes, mode)}…${id.slice(-4)}`;
