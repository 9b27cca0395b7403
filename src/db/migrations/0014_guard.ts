// Stops of prefixes that look pumped; and rollups that know which sessions say nothing of conversion, because nobody reported the caller's own code.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // In the home database. A stop is never changed but by being lifted.
  await sql`create table stop (
    id text collate "C" primary key,
    account_id text collate "C" not null,
    rule text not null,
    reason text not null,
    prefix text collate "C" not null,
    sent integer not null,
    verified integer not null,
    -- Whether it refused sends when it began: the rule may have been monitored.
    enforced boolean not null,
    started_at timestamptz not null,
    ends_at timestamptz not null,
    lifted_at timestamptz,
    lifted_by text
  )`.execute(db);
  await sql`create index stop_account on stop (account_id, ends_at)`.execute(db);
  await sql`alter table rollup add column unreported integer not null default 0`.execute(db);
}
