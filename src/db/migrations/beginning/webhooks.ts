// Webhook endpoints, and the events on their way to them.

import { sql } from 'kysely';

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
  // The row is the job: one event for one endpoint.
  sql`create table webhook_delivery (
    account_id text collate "C" not null,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    mode text not null,
    session_id text collate "C",
    type text not null,
    body text not null,
    status text not null,
    attempts smallint not null default 0,
    next_at timestamptz,
    last_status smallint,
    last_error text,
    created_at timestamptz not null,
    delivered_at timestamptz,
    -- 'process/…' while it is leased: what a dead process held is found by its name, long before the row's own lease ends, which has to
    -- outlive the slowest answer. No index: it is only looked for among the rows leased at this moment.
    holder text collate "C",
    primary key (account_id, event_id, endpoint_id)
  ) partition by range (event_id)`,
  sql`create index webhook_delivery_due on webhook_delivery (next_at) where next_at is not null`,
  sql`create index webhook_delivery_endpoint on webhook_delivery (endpoint_id, event_id)`,
];
