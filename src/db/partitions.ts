// Partitions of the big tables: made ahead of time by their ids' time, dropped whole when their rows are past retention. Nobody waits for
// either: not a send, not a backup, and not another process that does the same.

import type { Kysely } from 'kysely';
import { alone } from './lock-patience.ts';
import { readPartitions, tables } from './partitions/catalog.ts';
import { type Dropped, dropExpired } from './partitions/drop.ts';
import { makePartition } from './partitions/make.ts';
import { coveredUntil, missingRanges, spanMsFor } from './partitions/plan.ts';

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
export async function dropExpiredPartitions(db: Kysely<unknown>, now: number, retentionDays: number): Promise<Dropped> {
  const done = await alone(db, PARTITION_LOCK, { patienceMs: 0 }, (connection) =>
    dropExpired(connection, now, retentionDays),
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

const readByTable = async (db: Kysely<unknown>) => Map.groupBy(await readPartitions(db), ({ table }) => table);
