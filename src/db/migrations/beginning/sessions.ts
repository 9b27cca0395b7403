// Sessions, their messages, and what must be unique over all of them. The big tables are partitioned by their time-ordered ids, so that
// retention is "drop a partition".

import { sql } from 'kysely';
import { busy } from './busy.ts';

export const sessions = [
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
    -- 16 random bytes, part of what the code is derived from: a key and an id alone make no code.
    salt bytea,
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
  // A session is looked up by its number long after it is over. The number leads: with the account in front the planner took this index in
  // place of the primary key while a partition was empty (the two cost the same then), and each save read all sessions of the account.
  sql`create index verify_session_number on verify_session (number, account_id, id)`,
  // Sessions are looked for by the caller's own reference, which most callers do not give. The account does not lead here either.
  sql`create index verify_session_client_reference on verify_session (client_reference, account_id, id)
    where client_reference <> ''`,
  // What must be unique across partitions: one pending session per number and purpose.
  sql`create table pending_number (
    account_id text collate "C" not null,
    mode text not null,
    number text not null,
    purpose text not null,
    session_id text collate "C" not null,
    primary key (account_id, mode, number, purpose)
  ) ${busy}`,
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
    -- How its call went, and the id of the process that the call stays with until it is over; null on messages that are no calls.
    call jsonb,
    holder text collate "C",
    primary key (account_id, id)
  ) partition by range (id)`,
  sql`create index message_session on message (session_id)`,
  // Calls are looked for by the process that holds them, when it died.
  sql`create index message_holder on message (holder) where holder is not null`,
];
