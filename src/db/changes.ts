// The change counter: raised together with every change that a process may hold in memory, looked at once a second.

import { sql } from 'kysely';
import type { Db, Tx } from './schema.ts';

const counter = 'accounts';

/** Belongs at the end of a transaction: until it commits, every other change waits for it here. */
export async function raiseChanges(tx: Tx): Promise<void> {
  await tx.updateTable('change_counter').set({ value: sql<number>`value + 1` }).where('name', '=', counter).execute();
}

/** A number that rises with every change to any account, key, sender name or webhook endpoint. */
export async function readChanges(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_counter')
    .select('value')
    .where('name', '=', counter)
    .executeTakeFirstOrThrow();
  return row.value;
}
