// Minutes of rollups are found among the hours of thirteen months when they are to be made hours. No index holds what is added to, this one neither.

import type { Kysely } from 'kysely';
import { buildIndexConcurrently } from './concurrent-index.ts';

export const up = (connection: Kysely<unknown>): Promise<void> =>
  buildIndexConcurrently(connection, {
    name: 'rollup_minutes',
    table: 'rollup',
    definition: '(at) where seconds = 60',
  });
