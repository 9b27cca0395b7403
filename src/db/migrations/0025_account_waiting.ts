// The index of accounts that wait for approval: they are counted before one more is made by open registration, and those nobody uses are closed.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Closed accounts are suspended, too.
  await sql`create index account_waiting on account (created_at)
    where approved_at is null and suspended_at is null`.execute(db);
}
