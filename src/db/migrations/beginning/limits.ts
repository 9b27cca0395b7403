// Limits over all processes.

import { sql } from 'kysely';
import { busy } from './busy.ts';

export const limits = [
  // Failed checks per number across sessions: logged, because forgetting them would give an attacker new tries.
  sql`create table number_failure (
    account_id text collate "C" not null,
    mode text not null,
    number text not null,
    failures integer not null,
    window_ends_at timestamptz not null,
    -- Wrong codes in a row, over hours and sessions: at so many the number stays locked until the operator unlocks it (NIST SP 800-63B
    -- section 5.2.2: no more than 100).
    failures_in_row integer not null default 0,
    needs_unlock boolean not null default false,
    primary key (account_id, mode, number)
  ) ${busy}`,
  // Rates may be forgotten in a crash of the database: unlogged.
  sql`create unlogged table rate_bucket (
    key text collate "C" primary key,
    tokens double precision not null,
    -- Of a day, beside those of an hour: one row less to lock and write for each send.
    day_tokens double precision,
    updated_at timestamptz not null
  ) with (fillfactor = 50)`,
];
