// Changes that several processes must notice: the transaction they are made in, and the change counter. A process keeps accounts, keys
// and links in memory, reads the counter once a second, and forgets what it keeps when the number has risen.

import { sql } from 'kysely';
import type { Db, Tx } from './schema.ts';

/** For the floors above, which know no query builder: commits when `work` resolves, and rolls back when it throws. */
export const inTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work);

/**
 * `accounts`: any account, key, sender name or webhook endpoint. `waba`: any business's own WhatsApp account. `operators`: any order
 * about an operator. `keys`: the key ring, which every process reads again then.
 */
export type ChangeCounter = 'accounts' | 'waba' | 'operators' | 'keys';

/** Belongs at the end of a transaction: until it commits, every other change waits for it here. */
export async function raiseChanges(tx: Tx, counter: ChangeCounter = 'accounts'): Promise<void> {
  await tx.updateTable('change_counter').set({ value: sql<number>`value + 1` }).where('name', '=', counter).execute();
}

/** A number that rises with every change of what is counted. */
export async function readChanges(db: Db, counter: ChangeCounter = 'accounts'): Promise<number> {
  const row = await db
    .selectFrom('change_counter')
    .select('value')
    .where('name', '=', counter)
    .executeTakeFirstOrThrow();
  return row.value;
}
