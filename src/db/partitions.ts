// Partitions of the big tables. They are made ahead of time by the time in their ids, and dropped whole when their rows are past retention.
// Neither makes a send, a backup or another process that does the same wait.

import { type Kysely, sql } from 'kysely';
import { timeOf } from '../core/ids.ts';
import { alone, withLocks } from './lock-patience.ts';
import { type Dropped, dropExpired } from './partitions/drop.ts';
import {
  coveredUntil,
  isExpired,
  missingRanges,
  type PartitionedTable,
  type Range,
  readPartitions,
  spanMsFor,
  tables,
} from './partitions/plan.ts';
import { inside } from './queryable.ts';

const PARTITION_LOCK = 0x72616d7c; // Beside that of the migrations.

/** Another process makes what is missing, and seldom takes as long. */
const patienceMs = 5_000;

/**
 * Makes the partitions that are missing from today on and for several spans ahead; returns their names. Safe to run in several
 * processes at once. @throws when a table was not to be had, or another process is at it for longer than 5 s: what was made stays.
 */
export async function ensurePartitions(db: Kysely<unknown>, now: number, retentionDays: number): Promise<string[]> {
  if ((await missing(db, now, retentionDays)).length === 0) return [];
  const done = await alone(db, PARTITION_LOCK, { patienceMs }, async (connection) => {
    const made: string[] = [];
    // Read again: the holder of the lock before may have made some.
    for (const { table, range } of await missing(connection, now, retentionDays)) {
      made.push(await makePartition(connection, table, range));
    }
    return made;
  });
  if (done) return done.result;
  if ((await missing(db, now, retentionDays)).length === 0) return [];
  throw new Error('another process has been busy with the partitions for too long');
}

/** Drops partitions whose youngest row is past retention. Another process that does so at this moment is left to it. */
export function dropExpiredPartitions(
  db: Kysely<unknown>,
  now: number,
  retentionDays: number,
  stopping?: AbortSignal,
): Promise<Dropped> {
  return drop(db, (range) => isExpired(range, now, retentionDays), stopping);
}

/** Drops what a process had begun to drop, whatever the retention is now: a service that does not own the tables can't finish all of it. */
export const dropBegunPartitions = (db: Kysely<unknown>): Promise<Dropped> => drop(db, () => false);

async function drop(db: Kysely<unknown>, isPast: (range: Range) => boolean, stopping?: AbortSignal): Promise<Dropped> {
  const done = await alone(db, PARTITION_LOCK, { patienceMs: 0 }, (connection) =>
    dropExpired(connection, isPast, stopping),
  );
  return done?.result ?? { dropped: [], postponed: [] };
}

/** For how long from `now` on every new row has its partition, in each of the tables; ms. 0: something can't be stored now. */
export async function partitionHorizonMs(db: Kysely<unknown>, now: number): Promise<number> {
  const byTable = await readByTable(db);
  const ends = tables.map(({ name, prefix }) => coveredUntil(prefix, byTable.get(name) ?? [], now));
  return Math.max(0, Math.min(...ends) - now);
}

async function missing(db: Kysely<unknown>, now: number, retentionDays: number) {
  const byTable = await readByTable(db);
  return tables.flatMap((table) =>
    missingRanges(table.prefix, byTable.get(table.name) ?? [], now, spanMsFor(retentionDays)).map((range) => ({
      table,
      range,
    })),
  );
}

const readByTable = async (db: Kysely<unknown>) => Map.groupBy(await readPartitions(inside(db)), ({ table }) => table);

/** By a function with the rights of the tables' owner (migrations/beginning/partitions.ts). Returns the partition's name. */
function makePartition(
  db: Kysely<unknown>,
  { name: table, fillfactor }: PartitionedTable,
  range: Range,
): Promise<string> {
  return withLocks(db, async (tx) => {
    const name = await freeName(tx, table, timeOf(range.from));
    await sql`select ramz_make_partition(${table}::text::regclass, ${name}, ${range.from}, ${range.to}, ${fillfactor})`.execute(
      tx,
    );
    return name;
  });
}

/** `message_p20261119`: the one that begins on that day (UTC); `message_p20261119_2` where something else has the name. */
async function freeName(db: Kysely<unknown>, table: string, start: number): Promise<string> {
  const plain = `${table}_p${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? plain : `${plain}_${n}`;
    const { rows } = await sql<{ taken: boolean }>`select to_regclass(${sql.lit(name)}) is not null as taken`.execute(
      db,
    );
    if (!rows[0]?.taken) return name;
  }
}
