// Wrong codes in a row, over hours and sessions: at so many the number stays locked until the operator unlocks it
// (NIST SP 800-63B section 5.2.2: no more than 100). A release that does not know the column counts by the hour alone, as before.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table number_failure
    add column failures_in_row integer not null default 0,
    add column needs_unlock boolean not null default false`.execute(db);
}
