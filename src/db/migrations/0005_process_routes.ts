// What waits for each route in each process: one without a bind for a route can't see its queue otherwise.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // {route: {waiting, perSecond}} of the binds this process holds, told once a second.
  await sql`alter table process add column routes jsonb not null default '{}'`.execute(db);
}
