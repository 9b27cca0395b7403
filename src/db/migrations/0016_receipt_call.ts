// A receipt of a call shows how the call stood.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table receipt add column call jsonb`.execute(db);
}
