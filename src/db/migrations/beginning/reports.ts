// Measures that are projected from committed rows.

import { sql } from 'kysely';

export const reports = [
  // Until when each process has projected what it committed, so that another can go on where one died.
  sql`create table projection (
    projector text collate "C" not null,
    process_id text collate "C" not null,
    -- What the process committed before this is projected.
    done_until timestamptz not null,
    primary key (projector, process_id)
  ) with (fillfactor = 50)`,
];
