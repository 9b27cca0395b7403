// A session is looked up by its number long after it is over: a check that names the number, and lists of one number.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index verify_session_number on verify_session (account_id, number, id)`.execute(db);
  // Written with every send, read by nobody.
  await sql`drop index pending_number_number`.execute(db);
}
