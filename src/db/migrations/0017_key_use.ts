// Processes say which keys of the key ring they hold, and the fleet keeps which keys it was promised: so that no process makes a thing with
// a key that another one lacks.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // {host, pid, ring}: ids and check values of keys, never a key. Null: the release before does not say.
  await sql`alter table process add column key_ring jsonb`.execute(db);
  await sql`alter table process add column key_ring_since timestamptz`.execute(db);
  // Keys that a rotation has announced: a process whose ring lacks one does not start. Those that were removed: a process that
  // would still make things with one does not start either.
  await sql`create table announced_key (
    id text collate "C" primary key,
    purpose text not null,
    check_value text not null,
    announced_at timestamptz not null default now(),
    removed_at timestamptz
  )`.execute(db);
  // Raised when processes are to read their key rings again.
  await sql`insert into change_counter values ('keys', 0)`.execute(db);
}
