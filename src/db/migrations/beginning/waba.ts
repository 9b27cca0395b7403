// Businesses' own WhatsApp accounts, and the signups that lead to them.

import { sql } from 'kysely';

export const waba = [
  // One row an account, kept when it is unlinked: first_send_at is a measure and must outlive it.
  sql`create table waba (
    account_id text collate "C" primary key references account,
    -- Compare-and-set: a claim and every save raise it.
    version integer not null,
    status text not null,
    step text,
    reason text,
    error_code text,
    attempts smallint not null default 0,
    waba_id text collate "C" not null,
    phone_number_id text collate "C" not null,
    -- True once the platform has shown that the number is in the account: from then on it is nobody else's.
    owned boolean not null default false,
    phone_number text not null default '',
    display_name text not null default '',
    -- Sealed; forgotten once they are of no use.
    code text,
    code_expires_at timestamptz,
    token text,
    pin text,
    templates jsonb not null default '{}',
    next_at timestamptz,
    created_at timestamptz not null,
    connected_at timestamptz,
    updated_at timestamptz not null,
    -- verify_session.first_send_at of the first session sent from the business's own number.
    first_send_at timestamptz
  )`,
  sql`create unique index waba_owned_number on waba (phone_number_id) where owned`,
  sql`create index waba_waba_id on waba (waba_id)`,
  sql`create index waba_due on waba (next_at) where next_at is not null`,
  // Only the hash of a state is kept: whoever reads the database can link nothing.
  sql`create table waba_signup (
    state_hash bytea primary key,
    account_id text collate "C" not null references account,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  sql`create index waba_signup_age on waba_signup (expires_at)`,
  sql`insert into change_counter values ('waba', 0)`,
];
