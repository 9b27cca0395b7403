// A session may have a code that its caller has brought: sealed under the key ring, and only until the session is over.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Empty once the session is over; null where the code is derived.
  await sql`alter table verify_session add column sealed_code text`.execute(db);
}
