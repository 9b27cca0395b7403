// How long each process keeps what it would delete, for the others (app/housekeeper.ts).

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: the process is of an older release, or starting.
  await sql`alter table process add column retention jsonb`.execute(db);
}
