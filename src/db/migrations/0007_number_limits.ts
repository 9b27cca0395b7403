// Limits of a number. Wrong codes in a row, over hours and sessions: at so many the number stays locked until the operator unlocks it
// (NIST SP 800-63B section 5.2.2: no more than 100). And tokens of a day beside those of an hour in one bucket of sends: one row less to
// lock and write for each send. A release that knows neither counts as before, in rows and columns of its own.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table number_failure
    add column failures_in_row integer not null default 0,
    add column needs_unlock boolean not null default false`.execute(db);
  await sql`alter table rate_bucket add column day_tokens double precision`.execute(db);
}
