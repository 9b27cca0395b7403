// A link of a business's own WhatsApp account keeps what the platform says of its number: quality, limits, the token's end.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table waba add column health jsonb`.execute(db);
}
