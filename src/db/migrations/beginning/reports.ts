// Measures that are projected from committed rows.

import { sql } from 'kysely';

export const reports = [
  // Until when each process has projected what it committed, so that another can go on where one died.
  sql`create table projection (
    projector text collate "C" not null,
    process_id text collate "C" not null,
    -- What the process committed before this is projected.
    done_until timestamptz not null,
    -- Of the last batch it added, where a projector adds: a batch whose answer was lost is recognised by it.
    batch bigint not null default 0,
    primary key (projector, process_id)
  ) with (fillfactor = 50)`,
];
