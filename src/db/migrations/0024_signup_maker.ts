// The key that made a signup: a link that begins after the key was revoked, or has expired, is not its account's wish.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: it was made before this migration, and is over within minutes.
  await sql`alter table waba_signup add column created_by text collate "C"`.execute(db);
}
