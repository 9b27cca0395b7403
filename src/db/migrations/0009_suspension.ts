// What the operator of the service needs when a key is stolen: accounts that can be suspended, and keys that name who made them.

import { type Kysely, sql } from 'kysely';

const statements = [
  sql`alter table account add column suspended_at timestamptz`,
  // For the operator of the service alone.
  sql`alter table account add column suspended_reason text`,
  // True from the end of a suspension until every webhook that was held has been made due.
  sql`alter table account add column webhooks_held boolean not null default false`,
  sql`create index account_webhooks_held on account (id) where webhooks_held`,
  // A key's id, or `operator`; null for keys made before this was recorded.
  sql`alter table api_key add column created_by text collate "C"`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
