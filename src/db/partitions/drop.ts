// The end of a partition past retention: it is detached while reads and writes go on, and dropped when no statement uses it.
// The catalog shows what a crash or a long reader left half-done, and the next turn finishes it.

import { type Kysely, sql } from 'kysely';
import { isLockTimeout, withLocks, withLocksOutside } from '../lock-patience.ts';
import { inside } from '../queryable.ts';
import { type Partition, type Range, readCommented, readPartitions } from './plan.ts';

export interface Dropped {
  dropped: string[];
  /**
   * Past retention, and tried again at the next turn: a transaction still reads from their table, or they are detached and another role's, which
   * alone may drop them then.
   */
  postponed: string[];
}

/** Comment of a partition before it is detached: only a table with it is ever dropped, never one that an operator keeps by hand. */
export const mark = 'ramz: past retention, to be dropped';

/** Nothing hurries, and while this goes on no other process makes partitions. */
const shortly = { attempts: 2, pauseMs: 100 };

/**
 * Finishes what is half-done, and drops partitions that are `isPast`.
 * @param connection one connection outside a transaction: `detach … concurrently` waits for transactions, its own included.
 */
export async function dropExpired(
  connection: Kysely<unknown>,
  isPast: (range: Range) => boolean,
  stopping?: AbortSignal,
): Promise<Dropped> {
  const [dropped, postponed]: [string[], string[]] = [[], []];
  const unlessHeld = async (name: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (!postponed.includes(name)) postponed.push(name);
      return false;
    }
  };

  const partitions = await readPartitions(inside(connection));
  // A table can have one partition half-detached and no more: while that one waits for a reader, the others wait for it.
  const stuck = new Set(partitions.filter(({ detaching }) => detaching).map(({ table }) => table));
  for (const each of partitions.filter(({ detaching, comment }) => detaching && comment === mark)) {
    if (stopping?.aborted) break;
    const finish = () => (each.ours ? detach(connection, each, 'finalize') : dropByFunction(connection, each));
    if (!(await unlessHeld(each.name, finish))) continue;
    stuck.delete(each.table);
    if (!each.ours) dropped.push(each.name);
  }
  for (const each of partitions) {
    if (stopping?.aborted) break;
    if (each.detaching || !isPast(each)) continue;
    if (stuck.has(each.table)) {
      postponed.push(each.name);
      continue;
    }
    if (!each.ours) {
      if (await unlessHeld(each.name, () => dropByFunction(connection, each))) dropped.push(each.name);
      continue;
    }
    const gone = await unlessHeld(each.name, async () => {
      const { name } = each;
      await withLocks(
        connection,
        (tx) => sql`comment on table ${sql.raw(name)} is ${sql.lit(mark)}`.execute(tx),
        shortly,
      );
      await detach(connection, each, 'concurrently');
    });
    if (!gone) stuck.add(each.table);
  }

  for (const { name, ours } of stopping?.aborted ? [] : await readCommented(connection, mark)) {
    if (stopping?.aborted) break;
    if (!ours) {
      postponed.push(name);
      continue;
    }
    const drop = () => withLocks(connection, (tx) => sql`drop table ${sql.raw(name)}`.execute(tx), shortly);
    if (await unlessHeld(name, drop)) dropped.push(name);
  }
  return { dropped, postponed };
}

/**
 * For a role that may only read and write rows (migrations/beginning/partitions.ts); one that is half-detached as well. Others wait while it waits:
 * 200 ms at most.
 */
const dropByFunction = (connection: Kysely<unknown>, { name }: Partition) =>
  withLocks(connection, (tx) => sql`select ramz_drop_partition(${name}::text::regclass)`.execute(tx), shortly);

/**
 * `concurrently` waits for every transaction that has touched the table; where one goes on for long it gives up in the middle, and
 * the partition then takes no rows and no new statement reads it. Only `finalize` goes on from there, and so does the next try.
 */
async function detach(connection: Kysely<unknown>, { table, name }: Partition, how: 'concurrently' | 'finalize') {
  let next = how;
  await withLocksOutside(
    connection,
    async () => {
      const statement = sql`alter table ${sql.table(table)} detach partition ${sql.raw(name)} ${sql.raw(next)}`;
      try {
        await statement.execute(connection);
      } catch (error) {
        if (isLockTimeout(error) && (await isDetaching(connection, name))) next = 'finalize';
        throw error;
      }
    },
    shortly,
  );
}

async function isDetaching(connection: Kysely<unknown>, name: string): Promise<boolean> {
  const partitions = await readPartitions(inside(connection));
  return partitions.some((each) => each.name === name && each.detaching);
}
