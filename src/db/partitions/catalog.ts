// The big tables and their partitions as the database's catalog has them.

import { type Kysely, sql } from 'kysely';
import { parseBound, type Range } from './plan.ts';

export interface PartitionedTable {
  name: string;
  /** Column it is partitioned by, and how its ids begin. */
  key: string;
  prefix: string;
}

export const tables: readonly PartitionedTable[] = [
  { name: 'verify_session', key: 'id', prefix: 'vrf_' },
  { name: 'message', key: 'id', prefix: 'msg_' },
  { name: 'receipt', key: 'id', prefix: 'rcp_' },
  { name: 'operator_reference', key: 'message_id', prefix: 'msg_' },
  { name: 'webhook_delivery', key: 'event_id', prefix: 'evt_' },
];

export interface Partition extends Range {
  table: string;
  /** Ready for SQL: quoted, and with its schema where the search path does not find it. */
  name: string;
  /** Begun to be detached: it takes no rows any more. */
  detaching: boolean;
  comment: string | null;
}

/** Every partition with bounds. One that is being dropped at this moment is left out. */
export async function readPartitions(db: Kysely<unknown>): Promise<Partition[]> {
  const { rows } = await sql<Omit<Partition, keyof Range> & { bound: string | null }>`
    select p.relname as "table", c.oid::regclass::text as name, i.inhdetachpending as detaching,
      pg_get_expr(c.relpartbound, c.oid) as bound, obj_description(c.oid, 'pg_class') as comment
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.oid in (${sql.join(tables.map(({ name }) => sql`to_regclass(${sql.lit(name)})`))})`.execute(db);
  return rows.flatMap(({ bound, ...row }) => {
    const range = bound === null ? null : parseBound(bound);
    return range ? [{ ...row, ...range }] : [];
  });
}

/** Tables that are no partitions and have this comment, ready for SQL. */
export async function readCommented(db: Kysely<unknown>, comment: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_description d on d.objoid = c.oid and d.objsubid = 0
    where d.classoid = 'pg_class'::regclass and d.description = ${sql.lit(comment)}
      and c.relkind = 'r' and not c.relispartition order by 1`.execute(db);
  return rows.map(({ name }) => name);
}
