// What a send is held against: prefixes that an account may send to, lists of numbers and prefixes, restrictions of a key. A number of a list
// is stored as an HMAC and a masked form, so that the entry may outlive the erasure of the number. An entry without an account is the platform's.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table account_setting add column allowed_prefixes text[] not null default '{}'`.execute(db);
  await sql`alter table api_key add column restrictions jsonb`.execute(db);
  await sql`create table limit_entry (
    id text primary key,
    account_id text references account (id),
    mode text check (mode in ('live', 'test')),
    list text not null check (list in ('allow', 'block')),
    prefix text,
    number_hash bytea,
    number_masked text,
    hmac_key_id text,
    note text not null default '',
    created_at timestamptz not null,
    created_by text not null,
    check ((account_id is null) = (mode is null)),
    check ((prefix is null) <> (number_hash is null)),
    check ((number_hash is null) = (hmac_key_id is null))
  )`.execute(db);
  await sql`create unique index limit_entry_prefix on limit_entry (account_id, mode, list, prefix)
    nulls not distinct where prefix is not null`.execute(db);
  await sql`create unique index limit_entry_number on limit_entry (account_id, mode, list, number_hash)
    nulls not distinct where number_hash is not null`.execute(db);
  await sql`create index limit_entry_account on limit_entry (account_id, mode, id)`.execute(db);
}
