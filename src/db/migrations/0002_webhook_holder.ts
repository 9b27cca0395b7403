// A webhook on its way belongs to a process, as a session does: what a dead one held is found by its name, long before the
// row's own lease ends, which has to outlive the slowest answer.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // 'process/…' while it is leased. No index: it is only looked for among the rows leased at this moment.
  await sql`alter table webhook_delivery add column holder text collate "C"`.execute(db);
}
