// Rollups that know which verifications are the caller's word alone: the guard against pumping believes a stolen key no more than it has to.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rollup add column verified_own_code integer not null default 0,
    add column verified_by_report integer not null default 0`.execute(db);
}
