// A message that is a call shows how the call went, and names the process that the call stays with.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The holder is the process's id; null on messages that leave their process, and once the call is over.
  await sql`alter table message add column call jsonb, add column holder text collate "C"`.execute(db);
}
