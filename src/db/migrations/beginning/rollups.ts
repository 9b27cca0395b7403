// Rollups: what was sent, delivered, verified and paid, added up from sessions and messages (db/reports/rollups.ts).

import { sql } from 'kysely';

export const rollups = [
  // One row a minute (`seconds` 60) for about a day, then one an hour (3600). No index holds what is added to.
  sql`create table rollup (
    at timestamptz not null,
    seconds smallint not null check (seconds in (60, 3600)),
    account_id text collate "C" not null,
    mode text not null,
    operator text not null,
    channel text not null,
    prefix text collate "C" not null,
    currency text not null,
    sessions integer not null,
    verified integer not null,
    expired integer not null,
    failed integer not null,
    canceled integer not null,
    sent integer not null,
    parts integer not null,
    delivered integer not null,
    delivered_within_5s integer not null,
    delivered_within_10s integer not null,
    delivered_within_20s integer not null,
    delivered_within_30s integer not null,
    delivered_within_60s integer not null,
    delivered_within_120s integer not null,
    delivered_within_300s integer not null,
    verified_within_5s integer not null,
    verified_within_10s integer not null,
    verified_within_20s integer not null,
    verified_within_30s integer not null,
    verified_within_60s integer not null,
    verified_within_120s integer not null,
    verified_within_300s integer not null,
    cost numeric not null,
    platform_cost numeric not null,
    primary key (account_id, at, seconds, mode, operator, channel, prefix, currency)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000)`,
  sql`create index rollup_at on rollup (at)`,
  // Spans that were counted from the sessions themselves, and what was committed by then: a process that still has a part of it in memory
  // must not add that part once more.
  sql`create table rollup_rebuild (
    since timestamptz not null,
    until timestamptz not null,
    snapshot text not null,
    at timestamptz not null default now()
  )`,
  // Spans are found by the time in the ids, over all accounts. Rows come in the order of their ids, so a range of pages is a range of time: such
  // an index has one entry for 128 pages, and a save changes none of it.
  sql`create index verify_session_time on verify_session using brin (id) with (autosummarize = on)`,
  sql`create index receipt_time on receipt using brin (id) with (autosummarize = on)`,
];
