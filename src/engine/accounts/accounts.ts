// An account and its first two keys are made together or not at all.

import type { Mode } from '../../core/verify/session.ts';
import { insertAccount } from '../../db/accounts/accounts.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { AccountLimits } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type IssuedKey, issueKey, type KeyMaker, madeByOperator } from './keys.ts';

/** The first keys may do everything. */
const allScopes = ['verify', 'read', 'manage'] as const;

export interface AccountRequest {
  name: string;
  /** Default `ar`. */
  language?: string;
  /** Default: the platform's. */
  limits?: AccountLimits;
}

export interface CreatedAccount {
  id: string;
  liveKey: IssuedKey;
  testKey: IssuedKey;
}

export async function createAccount(maker: KeyMaker, request: AccountRequest): Promise<CreatedAccount> {
  const { name, language = 'ar', limits = {} } = request;
  const id = maker.ids('acct_');
  return inTransaction(maker.db, async (tx) => {
    await insertAccount(tx, { id, name, language, limits, createdAt: new Date(maker.now()) });
    const rest = { scopes: allScopes, expiresAt: null, createdBy: madeByOperator };
    const first = (mode: Mode) => issueKey(maker, tx, { accountId: id, mode, name: `first ${mode} key`, ...rest });
    const liveKey = await first('live');
    const testKey = await first('test');
    await raiseChanges(tx);
    return { id, liveKey, testKey };
  });
}
