// An index built beside everybody's work: `create index` stops the writes of its table until it is done, and `create index concurrently` does not
// take a partitioned table. For such a one: an index of the parent alone, one of each partition concurrently, and each attached.
// For migrations with `inTransaction: false`. Broken off anywhere, it is run again.

import { type Kysely, sql } from 'kysely';
import { setFor, untilFree, withLocks } from '../lock-patience.ts';

export interface ConcurrentIndex {
  name: string;
  table: string;
  /** What stands behind the table's name: `(number, id) where number <> ''`. */
  definition: string;
}

/** Longest wait of one build for transactions that are older than it; it stops nobody. */
const oldTransactionsMs = 600_000;

interface PartitionIndex {
  partition: string;
  /** The partition's index that is attached to the parent's; null where there is none yet. */
  attached: string | null;
}

/** @throws when a long transaction keeps it from its locks for too long; nothing is lost by running it again. */
export async function createIndexConcurrently(
  connection: Kysely<unknown>,
  { name, table, definition }: ConcurrentIndex,
): Promise<void> {
  const [index, parent, columns] = [sql.id(name), sql.table(table), sql.raw(definition)];
  await withLocks(
    connection,
    (tx) => sql`create index if not exists ${index} on only ${parent} ${columns}`.execute(tx),
    untilFree,
  );
  // Looked at until nothing is missing: housekeeping may make a partition meanwhile, or drop one.
  for (let missing = await unattached(connection, table, name); missing.length > 0; ) {
    for (const partition of missing) {
      const own = `${partition.replace(/^.*\./, '').replaceAll('"', '')}_${name}`.slice(0, 63);
      await buildIndexConcurrently(connection, { name: own, table: partition, definition });
      await withLocks(
        connection,
        (tx) => sql`alter index ${index} attach partition ${sql.id(own)}`.execute(tx),
        untilFree,
      );
    }
    missing = await unattached(connection, table, name);
  }
}

/** Of a table without partitions; `table` is ready for SQL. @throws as `createIndexConcurrently` does. */
export async function buildIndexConcurrently(
  connection: Kysely<unknown>,
  { name, table, definition }: ConcurrentIndex,
): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${sql.lit(name)})`.execute(connection);
  if (rows[0]?.valid) return;
  const putBack = await setFor(connection, 'lock_timeout', String(oldTransactionsMs));
  try {
    // One that was broken off stays behind without being used.
    if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(connection);
    await sql`create index concurrently ${sql.id(name)} on ${sql.raw(table)} ${sql.raw(definition)}`.execute(
      connection,
    );
  } finally {
    await putBack();
  }
}

/** Partitions, ready for SQL, without an index that belongs to the parent's. */
async function unattached(connection: Kysely<unknown>, table: string, name: string): Promise<string[]> {
  const { rows } = await sql<PartitionIndex>`
    select i.inhrelid::regclass::text as partition,
      (select x.indexrelid::regclass::text from pg_index x join pg_inherits h on h.inhrelid = x.indexrelid
        where x.indrelid = i.inhrelid and h.inhparent = to_regclass(${sql.lit(name)})) as attached
    from pg_inherits i where i.inhparent = to_regclass(${sql.lit(table)}) and not i.inhdetachpending
    order by 1`.execute(connection);
  return rows.filter(({ attached }) => attached === null).map(({ partition }) => partition);
}
