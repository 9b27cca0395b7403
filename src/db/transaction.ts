// One transaction over several statements, for the floors above, which know no query builder.

import type { Db, Tx } from './schema.ts';

/** Commits when `work` resolves and rolls back when it throws. */
export const inTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work);
