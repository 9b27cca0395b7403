// References are found by their messages, too: an erasure, and the end of an account, have to find all of a message. Rows come in the order of
// their messages' ids, so such an index has one entry for 128 pages, and a save changes none of it.

import type { Kysely } from 'kysely';
import { createIndexConcurrently } from './concurrent-index.ts';

export const up = (connection: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(connection, {
    name: 'operator_reference_message',
    table: 'operator_reference',
    definition: 'using brin (message_id) with (autosummarize = on)',
  });
