// The closing of accounts, which ends with everything that is theirs deleted; and the people of an account: who uses a key, and so who made a change.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key add column person text not null default ''`.execute(db);
  await sql`alter table audit_event add column actor_person text not null default ''`.execute(db);
  await sql`alter table account
    add column closed_at timestamptz,
    -- For the operator of the service alone.
    add column closed_reason text,
    -- From here on rows of the account are gone, and nothing brings it back.
    add column purging_since timestamptz,
    -- What holds for a suspended account holds for a closed one: its keys are refused, nothing is sent, webhooks are held.
    add constraint account_closed_is_suspended check (closed_at is null or suspended_at is not null)`.execute(db);
  await sql`create index account_closed on account (closed_at) where closed_at is not null`.execute(db);
}
