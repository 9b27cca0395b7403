// What a migration is. Those there are: index.ts.

import type { Kysely } from 'kysely';

/** One step forward; there is no way back but the next step. Never edited once released. */
export interface Migration {
  /** `0001_what_it_does`, the file's name. */
  name: string;
  /**
   * Runs in a transaction of its own that waits at most 200 ms for each lock, and again and again while others hold one: so that it may
   * be run beside a backup, it changes one big table and no more. Knows no schema type: those describe only the newest state.
   */
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * Name of the youngest migration that a program must know to go on working on the schema after this one. Default: what held before,
   * for this one only adds (a nullable column or one with a default, a table, an index). One that takes something away, or gives
   * another meaning to something, names the last migration of the release that first did without it, or itself.
   */
  compatibleFrom?: string;
  /**
   * False: `up` runs outside a transaction, as `create index concurrently` must (concurrent-index.ts). It may be broken off anywhere and is
   * then run again from the beginning. Default true.
   */
  inTransaction?: boolean;
}
