// Administrators: the people who run the deployment, each with a token of their own.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table administrator (
    id text collate "C" primary key,
    name text not null,
    scopes text[] not null,
    secret_hash bytea not null,
    hmac_key_id text not null,
    created_at timestamptz not null,
    -- Id of the administrator who made it, 'bootstrap' or 'cli'.
    created_by text collate "C" not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`.execute(db);
}
