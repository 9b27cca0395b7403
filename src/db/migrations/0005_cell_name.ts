// A database knows which cell it is, so that two URLs in each other's place are noticed before anything is stored in the wrong one.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table cell (is_only boolean primary key default true check (is_only), name text not null)`.execute(
    db,
  );
}
