// Keys have the scope `numbers`. Those there are by now see what they have always seen.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update api_key set scopes = array_append(scopes, 'numbers') where not 'numbers' = any (scopes)`.execute(db);
}
