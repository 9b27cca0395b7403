// A link of a business's own WhatsApp account keeps since when it is at its step, and since when the platform has been away: what is given
// up after a day or three is counted from there, and not from the link's beginning. Both are null in links of a release before.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table waba add column step_since timestamptz, add column failing_since timestamptz`.execute(db);
}
