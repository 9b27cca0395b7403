// A database that counts the rows that each statement changes or deletes.
import type { Kysely, KyselyPlugin } from 'kysely';

/** The same database, and a count for each statement by it. */
export function countingRows<Schema>(db: Kysely<Schema>): { counted: Kysely<Schema>; counts: bigint[] } {
  const counts: bigint[] = [];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      counts.push(result.numAffectedRows ?? 0n);
      return result;
    },
  };
  return { counted: db.withPlugin(counting), counts };
}
