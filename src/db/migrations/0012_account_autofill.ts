// Sites and apps that an account's sends may name for autofill: with any other, whoever has a key could put any address into
// an SMS under a trusted name.

import { type Kysely, sql } from 'kysely';

const statements = [
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
  // Of the sandbox's own account: nobody is there to approve anything.
  sql`alter table account add column approves_autofill boolean not null default false`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
