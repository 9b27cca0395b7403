// Accounts have a brand and SMS texts of their own, and a session keeps those it was opened with, so that a resend reads as the first
// message did.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table account_wording (
    account_id text collate "C" not null references account,
    mode text not null check (mode in ('live', 'test')),
    -- 'brand', or the language that the text is for.
    kind text not null,
    value text collate "C" not null,
    status text not null,
    reason text,
    -- What the account asks for. What was approved before it stays in use until it is approved.
    wanted boolean not null,
    created_at timestamptz not null,
    decided_at timestamptz,
    primary key (account_id, mode, kind, value)
  )`.execute(db);
  await sql`create index account_wording_pending on account_wording (created_at) where status = 'pending'`.execute(db);
  // Null where the deployment's brand and texts are used.
  await sql`alter table verify_session add column wording jsonb`.execute(db);
}
