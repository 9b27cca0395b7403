// How long each process keeps what it would delete, for the others (app/housekeeper.ts). Apart from the processes' own rows, which change with every
// pulse.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // A process of an older release has no row.
  await sql`create table process_retention (
    process_id text collate "C" primary key references process (id) on delete cascade,
    -- Days, by kind.
    retention jsonb not null
  )`.execute(db);
}
