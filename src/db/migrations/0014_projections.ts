// Measures are projected from committed rows: until when each process has done so with its own, so that another can go on where one died.

import { type Kysely, sql } from 'kysely';

const statements = [
  sql`create table projection (
    projector text collate "C" not null,
    process_id text collate "C" not null,
    -- What the process committed before this is projected.
    done_until timestamptz not null,
    primary key (projector, process_id)
  ) with (fillfactor = 50)`,
  // Who may still have a first SMS to date.
  sql`create index account_without_sms on account (id) where sms_first_send_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
