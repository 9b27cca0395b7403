// The change counter: raised together with every change that a process may hold in memory, looked at once a second.

import { sql } from 'kysely';
import type { Db, Tx } from './schema.ts';

/** `accounts`: any account, key, sender name or webhook endpoint. `waba`: any business's own messaging-app account. */
export type ChangeCounter = 'accounts' | 'waba';

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
