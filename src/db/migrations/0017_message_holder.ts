// Calls are looked for by the process that holds them, when it died. Hardly any message has a holder, and a message that is no call never
// touches this index.

import type { Kysely } from 'kysely';
import { createIndexConcurrently } from './concurrent-index.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(db, {
    name: 'message_holder',
    table: 'message',
    definition: '(holder) where holder is not null',
  });
}
