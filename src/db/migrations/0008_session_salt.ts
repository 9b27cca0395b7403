// 16 random bytes of each session, part of what its code is derived from: a key and an id alone make no code. Null for sessions that were
// opened before; their codes are derived as they were.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table verify_session add column salt bytea`.execute(db);
}
