// Webhook endpoints, and the events on their way to them.

import { sql } from 'kysely';
import { busy } from './busy.ts';

export const webhooks = [
  sql`create table webhook_endpoint (
    id text collate "C" primary key,
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    url text not null,
    description text not null,
    event_types text[] not null,
    enabled boolean not null default true,
    disabled_reason text,
    secret text not null,
    previous_secret text,
    previous_secret_expires_at timestamptz,
    failing_since timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  sql`create index webhook_endpoint_account on webhook_endpoint (account_id, mode, id)`,
  // One event for one endpoint. What never changes comes first: of an update only the rest is logged. No index holds what a mark changes, so
  // that a mark is an update on the page of its row (HOT).
  sql`create table webhook_delivery (
    endpoint_id text collate "C" not null,
    event_id text collate "C" not null,
    account_id text collate "C" not null,
    mode text not null,
    session_id text collate "C",
    type text not null,
    created_at timestamptz not null,
    -- 'process/…': who stored it, and posts it for the first time from memory; null where it has been in webhook_retry from the start.
    holder text collate "C",
    body text not null,
    status text not null,
    attempts smallint not null default 0,
    last_status smallint,
    last_error text,
    delivered_at timestamptz,
    primary key (endpoint_id, event_id)
  ) partition by range (event_id)`,
  // Deliveries that wait here and in no process's memory: retries, what found no room, what a dead process left, what is held. Rows are
  // inserted and deleted; a claim moves next_at on to the end of its lease.
  sql`create table webhook_retry (
    endpoint_id text collate "C" not null,
    event_id text collate "C" not null,
    account_id text collate "C" not null,
    -- Null while the account is suspended: held, and due at no known time.
    next_at timestamptz,
    -- 'process/…' while it is leased, until next_at. No index: what a dead process has leased is looked for among the rows leased now.
    holder text collate "C",
    primary key (endpoint_id, event_id)
  ) ${busy}`,
  sql`create index webhook_retry_due on webhook_retry (next_at, event_id)`,
  sql`create index webhook_retry_held on webhook_retry (account_id, event_id) where next_at is null`,
  // By its row another process finds which first attempts a dead one has left: those with event ids from \`settled_before\` on.
  sql`create table webhook_holder (
    holder text collate "C" primary key,
    settled_before text collate "C" not null,
    -- When they were first looked for after its lease had ended. Once more, when none of its statements can still be committed.
    searched_at timestamptz
  ) with (fillfactor = 50)`,
];
