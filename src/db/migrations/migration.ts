// What a migration is. Those there are: index.ts.

import type { Kysely } from 'kysely';

/** One step forward; there is no way back but the next step. Never edited once released. */
export interface Migration {
  /** `0001_what_it_does`, the file's name. */
  name: string;
  /** Runs in a transaction of its own. Knows no schema type: those describe only the newest state. */
  up(db: Kysely<unknown>): Promise<void>;
}
