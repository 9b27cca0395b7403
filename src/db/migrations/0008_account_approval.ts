// Accounts made by open registration wait for approval. All that there are by now are approved; so are those that the release before this one
// makes meanwhile: for it, the column fills itself.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table account add column approved_at timestamptz default now()`.execute(db);
  await sql`update account set approved_at = created_at`.execute(db);
}
