// A session keeps what its caller has sent along as metadata.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table verify_session add column metadata jsonb`.execute(db);
}
