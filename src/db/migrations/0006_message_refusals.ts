// A message counts how often its carrier has put it off, so that its session can tell of it even where the process that counted has died.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table message add column refusals smallint not null default 0`.execute(db);
}
