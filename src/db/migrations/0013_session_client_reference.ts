// Sessions are looked for by the caller's own reference: without an index, through everything the account has. Most callers give none, and it
// never changes, so that saves go on without touching this index. It does not begin with the account: see 0006.

import type { Kysely } from 'kysely';
import { createIndexConcurrently } from './concurrent-index.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(db, {
    name: 'verify_session_client_reference',
    table: 'verify_session',
    definition: "(client_reference, account_id, id) where client_reference <> ''",
  });
}
