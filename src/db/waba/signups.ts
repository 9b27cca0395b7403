// Statements over signups: permissions to link an account, good once and for a while. Only the hash of a signup's state is stored.

import { sql } from 'kysely';
import type { Db, Tx } from '../schema.ts';

export interface NewSignup {
  stateHash: Buffer;
  accountId: string;
  /** The key that makes it; null: no key does. */
  createdBy: string | null;
  now: Date;
  expiresAt: Date;
}

/** Open at once for one account: repeated requests of one account must not fill the table. */
const mostOpen = 20;

/** Also forgets those that ended before `forgetBefore`, by the database's clock too, and the account's oldest, where too many are open. */
export async function insertSignup(db: Db, signup: NewSignup, forgetBefore: Date): Promise<void> {
  await sql`delete from waba_signup where expires_at < least(${forgetBefore}, clock_timestamp())`.execute(db);
  const { stateHash, accountId, createdBy, now, expiresAt } = signup;
  await db
    .insertInto('waba_signup')
    .values({
      state_hash: stateHash,
      account_id: accountId,
      created_at: now,
      expires_at: expiresAt,
      created_by: createdBy,
    })
    .execute();
  const older = db
    .selectFrom('waba_signup')
    .select('state_hash')
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .orderBy('created_at', 'desc')
    .offset(mostOpen);
  await db.deleteFrom('waba_signup').where('state_hash', 'in', older).where('used_at', 'is', null).execute();
}

/**
 * Uses up a signup that can still be used. `accountId`: only this one's. Whether that account may link anything, and its key may still speak for
 * it, is the caller's to find out.
 */
export async function useSignup(
  tx: Tx,
  stateHash: Buffer,
  now: Date,
  accountId?: string,
): Promise<{ accountId: string; createdBy: string | null } | undefined> {
  const row = await tx
    .updateTable('waba_signup')
    .set({ used_at: now })
    .where('state_hash', '=', stateHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .returning(['account_id', 'created_by'])
    .executeTakeFirst();
  return row && { accountId: row.account_id, createdBy: row.created_by };
}

/** The signup with its account, used up or not, in time or not; undefined while the account is suspended. */
export const findSignup = (
  db: Db,
  stateHash: Buffer,
): Promise<{ account_id: string; name: string; expires_at: Date; used_at: Date | null } | undefined> =>
  db
    .selectFrom('waba_signup')
    .innerJoin('account', 'account.id', 'waba_signup.account_id')
    .select(['account_id', 'name', 'expires_at', 'used_at'])
    .where('state_hash', '=', stateHash)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
