// The first schema. Big tables are partitioned by their time-ordered ids and carry their account in the key, so that
// retention is "drop a partition" and the same schema can be spread by account when one Postgres is outgrown.

import { type Kysely, sql } from 'kysely';

/** Rows are updated a few times soon after they are inserted: leave room so that updates stay on their page (HOT). */
const busy = sql`with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...accounts, ...sessions, ...delivery, ...fleet]) await statement.execute(db);
}

const accounts = [
  sql`create table account (
    id text collate "C" primary key,
    name text not null,
    created_at timestamptz not null,
    custom_waba_connected_at timestamptz,
    sms_first_send_at timestamptz,
    in_country_only boolean not null default false,
    limits jsonb not null default '{}'
  )`,
  // A test key's settings are its own: one row per mode.
  sql`create table account_setting (
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    language text not null,
    default_sender_id text,
    cascade jsonb,
    primary key (account_id, mode)
  )`,
  sql`create table api_key (
    id text collate "C" primary key,
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    name text not null,
    secret_hash bytea not null,
    hmac_key_id text not null,
    scopes text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  sql`create index api_key_account on api_key (account_id, mode, id)`,
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
  sql`create table sender_id (
    id text collate "C" primary key,
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    name text not null,
    created_at timestamptz not null,
    due_at timestamptz not null,
    unique (account_id, mode, name)
  )`,
  sql`create index sender_id_account on sender_id (account_id, mode, id)`,
  sql`create table sender_decision (
    sender_id text collate "C" not null references sender_id,
    operator text not null,
    status text not null,
    reason text,
    submitted_at timestamptz not null,
    decided_at timestamptz,
    primary key (sender_id, operator)
  )`,
];

const sessions = [
  sql`create table verify_session (
    account_id text collate "C" not null,
    id text collate "C" not null,
    version integer not null,
    mode text not null,
    number text not null,
    purpose text not null,
    channel text not null,
    language text not null,
    code_length smallint not null,
    key_id text not null,
    sender_id text,
    client_reference text not null,
    autofill jsonb not null,
    cascade jsonb not null,
    status text not null,
    status_reason text,
    delivery text not null,
    legs jsonb not null,
    run smallint not null,
    position smallint not null,
    sends smallint not null,
    attempts smallint not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_send_at timestamptz not null,
    first_send_at timestamptz,
    verified_at timestamptz,
    leg_ends_at timestamptz,
    next_at timestamptz,
    event_sequence integer not null,
    timeline jsonb not null,
    -- Who looks after its outgoing messages: 'process/…', or 'route/…' while they wait for a process with that route.
    holder text collate "C",
    primary key (account_id, id)
  ) partition by range (id)`,
  sql`create index verify_session_due on verify_session (next_at) where next_at is not null`,
  sql`create index verify_session_holder on verify_session (holder, id) where holder is not null`,
  // What must be unique across partitions: one pending session per number and purpose.
  sql`create table pending_number (
    account_id text collate "C" not null,
    mode text not null,
    number text not null,
    purpose text not null,
    session_id text collate "C" not null,
    primary key (account_id, mode, number, purpose)
  ) ${busy}`,
  sql`create index pending_number_number on pending_number (number)`,
  sql`create table idempotency (
    account_id text collate "C" not null,
    mode text not null,
    route text not null,
    key text not null,
    request_hash bytea not null,
    answer jsonb not null,
    created_at timestamptz not null,
    primary key (account_id, mode, route, key)
  ) ${busy}`,
  sql`create index idempotency_age on idempotency (created_at)`,
  sql`create table message (
    account_id text collate "C" not null,
    id text collate "C" not null,
    session_id text collate "C" not null,
    run smallint not null,
    position smallint not null,
    channel text not null,
    route text not null,
    operator text,
    status text not null,
    reason text,
    error_code text,
    sender_id text,
    sender_fallback boolean not null,
    provider_message_id text,
    parts smallint,
    created_at timestamptz not null,
    submitted_at timestamptz,
    final_at timestamptz,
    first_send_at timestamptz,
    tariff jsonb,
    cost jsonb,
    receipts jsonb not null,
    primary key (account_id, id)
  ) partition by range (id)`,
  sql`create index message_session on message (session_id)`,
  sql`create table receipt (
    account_id text collate "C" not null,
    id text collate "C" not null,
    session_id text collate "C" not null,
    message_id text collate "C" not null,
    run smallint not null,
    channel text not null,
    operator text,
    sender_id text,
    status text not null,
    provider_status text,
    error_code text,
    operator_timestamp timestamptz,
    received_at timestamptz not null,
    provider_message_id text,
    cost jsonb,
    raw text not null,
    primary key (account_id, id)
  ) partition by range (id)`,
  sql`create index receipt_session on receipt (session_id)`,
  // Finds the message of an operator's receipt. Not unique: operators reuse ids, or send none.
  sql`create table operator_reference (
    operator text collate "C" not null,
    reference text collate "C" not null,
    message_id text collate "C" not null,
    account_id text collate "C" not null,
    session_id text collate "C" not null,
    number text not null,
    submitted_at timestamptz not null,
    primary key (operator, reference, message_id)
  ) partition by range (message_id)`,
  // Receipts nobody could match yet, and reports nobody could read: kept, told in the metrics, tried again.
  sql`create table parked_receipt (
    id text collate "C" primary key,
    operator text not null,
    reference text collate "C",
    number text,
    reason text not null,
    receipt jsonb,
    raw text not null,
    received_at timestamptz not null
  )`,
  sql`create index parked_receipt_reference on parked_receipt (operator, reference)`,
  sql`create index parked_receipt_age on parked_receipt (received_at)`,
];

const delivery = [
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
    primary key (account_id, event_id, endpoint_id)
  ) partition by range (event_id)`,
  sql`create index webhook_delivery_due on webhook_delivery (next_at) where next_at is not null`,
  sql`create index webhook_delivery_endpoint on webhook_delivery (endpoint_id, event_id)`,
];

const fleet = [
  sql`create table process (
    id text collate "C" primary key,
    started_at timestamptz not null,
    lease_until timestamptz not null
  )`,
  sql`create table bind_slot (
    operator text collate "C" not null,
    n smallint not null,
    owner text collate "C",
    fence bigint not null default 0,
    lease_until timestamptz,
    -- Told by the owner with each renewal: whether the bind is up.
    bound boolean not null default false,
    primary key (operator, n)
  )`,
  // Failed checks per number across sessions: logged, because forgetting them would give an attacker new tries.
  sql`create table number_failure (
    account_id text collate "C" not null,
    mode text not null,
    number text not null,
    failures integer not null,
    window_ends_at timestamptz not null,
    primary key (account_id, mode, number)
  ) ${busy}`,
  // Rates may be forgotten in a crash of the database: unlogged.
  sql`create unlogged table rate_bucket (
    key text collate "C" primary key,
    tokens double precision not null,
    updated_at timestamptz not null
  ) with (fillfactor = 50)`,
  // Raised on every change of accounts, keys, senders; each process looks once a second and forgets what it cached.
  sql`create table change_counter (name text primary key, value bigint not null)`,
  sql`insert into change_counter values ('accounts', 0)`,
];
