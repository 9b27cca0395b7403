// Accounts, their keys, sender names and what their messages may name.

import { sql } from 'kysely';

export const accounts = [
  sql`create table account (
    id text collate "C" primary key,
    name text not null,
    created_at timestamptz not null,
    custom_waba_connected_at timestamptz,
    sms_first_send_at timestamptz,
    -- The message that the date is of, until it is marked.
    sms_first_session_id text collate "C",
    sms_first_message_id text collate "C",
    in_country_only boolean not null default false,
    limits jsonb not null default '{}',
    suspended_at timestamptz,
    -- For the operator of the service alone.
    suspended_reason text,
    -- Of the sandbox's own account: nobody is there to approve anything.
    approves_autofill boolean not null default false
  )`,
  // Those who may still have a first SMS to date.
  sql`create index account_without_sms on account (id) where sms_first_send_at is null`,
  sql`create index account_unmarked_sms on account (sms_first_send_at) where sms_first_message_id is not null`,
  // A test key's settings are its own: one row per mode.
  sql`create table account_setting (
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    language text not null,
    default_sender_id text,
    cascade jsonb,
    primary key (account_id, mode)
  )`,
  // Sites and apps that an account's sends may name for autofill: with any other, a thief of a key could put any address into an SMS under
  // a trusted name.
  sql`create table account_autofill (
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    -- An origin as it is compared (https://host), or the hash of an app.
    value text collate "C" not null,
    -- Of an app; null with an origin.
    package_name text,
    position smallint not null,
    approved boolean not null,
    created_at timestamptz not null,
    primary key (account_id, mode, value)
  )`,
  sql`create index account_autofill_pending on account_autofill (created_at) where not approved`,
  sql`create table api_key (
    id text collate "C" primary key,
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    name text not null,
    secret_hash bytea not null,
    hmac_key_id text not null,
    scopes text[] not null,
    created_at timestamptz not null,
    -- A key's id, or 'operator'.
    created_by text collate "C",
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  sql`create index api_key_account on api_key (account_id, mode, id)`,
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
  // Raised on every change of accounts, keys, senders; each process looks once a second and forgets what it cached.
  sql`create table change_counter (name text primary key, value bigint not null)`,
  sql`insert into change_counter values ('accounts', 0)`,
];
