// Receipts, and what finds the message of one.

import { sql } from 'kysely';

export const receipts = [
  sql`create table receipt (
    account_id text collate "C" not null,
    session_id text collate "C" not null,
    id text collate "C" not null,
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
    -- How the call stood.
    call jsonb,
    primary key (session_id, id)
  ) partition by range (id)`,
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
  // Receipts nobody could match yet, and reports nobody could read: kept, counted in the metrics, tried again.
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
