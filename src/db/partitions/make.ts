// A new partition is made as a table of its own and then attached, which needs no lock that a read or a write would wait for:
// `create table … partition of` asks for ACCESS EXCLUSIVE on the whole table, and behind a backup everybody would queue for it.

import { type Kysely, sql } from 'kysely';
import { timeOf } from '../../core/ids.ts';
import { withLocks } from '../lock-patience.ts';
import type { PartitionedTable } from './catalog.ts';
import type { Range } from './plan.ts';

/** Rows are updated a few times soon after they are inserted: room on the page keeps that cheap (HOT), vacuum early. */
const storage = sql`with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`;

/** Makes and attaches it in one transaction, so that nothing half-made stays behind. Returns its name. */
export function makePartition(db: Kysely<unknown>, table: PartitionedTable, range: Range): Promise<string> {
  const from = sql.lit(range.from);
  const to = sql.lit(range.to);
  const key = sql.id(table.key);
  return withLocks(db, async (tx) => {
    const name = await freeName(tx, table.name, timeOf(range.from));
    const [parent, child] = [sql.table(table.name), sql.table(name)];
    // Indexes come along, and are attached to those of the parent. An identity column would not: a partition has none of its own.
    await sql`create table ${child} (like ${parent} including all excluding identity) ${storage}`.execute(tx);
    // Says what the bounds say, so that attaching need not look at any row.
    const check = sql.id(`${name}_bound`);
    await sql`alter table ${child} add constraint ${check}
      check (${key} is not null and ${key} >= ${from} and ${key} < ${to})`.execute(tx);
    await sql`alter table ${parent} attach partition ${child} for values from (${from}) to (${to})`.execute(tx);
    await sql`alter table ${child} drop constraint ${check}`.execute(tx);
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
