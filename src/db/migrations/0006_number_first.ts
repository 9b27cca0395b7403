// The number leads its index. With the account in front, the planner took it in place of the primary key for (account_id, id) while
// a partition was empty (the two cost the same then), and kept to it: each save of a session read all sessions of the account.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index verify_session_number`.execute(db);
  await sql`create index verify_session_number on verify_session (number, account_id, id)`.execute(db);
}
