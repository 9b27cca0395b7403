// Partitions of the big tables: made ahead of time by their ids' time, dropped whole when their rows are past retention.

import { type Kysely, sql } from 'kysely';
import { lowestId } from '../core/ids.ts';

/** Tables and the prefix of the id they are partitioned by. */
const tables = {
  verify_session: 'vrf_',
  message: 'msg_',
  receipt: 'rcp_',
  operator_reference: 'msg_',
  webhook_delivery: 'evt_',
} as const;

const dayMs = 86_400_000;
/** Partitions in use at once stay few: a look-up without a time walks over all of them. */
const mostPartitions = 8;

/** Rows are updated a few times soon after they are inserted: room on the page keeps that cheap (HOT), vacuum early. */
const storage = sql`with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`;

/** Days a partition spans, so that `retentionDays` of rows never lie in more than `mostPartitions`. */
export const partitionDays = (retentionDays: number): number =>
  Math.max(1, Math.ceil(retentionDays / (mostPartitions - 2)));

/** Makes the partition of `now` and the next one where they are missing. Safe to run in several processes at once. */
export async function ensurePartitions(db: Kysely<unknown>, now: number, retentionDays: number): Promise<void> {
  const spanMs = partitionDays(retentionDays) * dayMs;
  const current = Math.floor(now / spanMs) * spanMs;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('ramz partitions'))`.execute(tx);
    for (const [table, prefix] of Object.entries(tables)) {
      for (const start of [current, current + spanMs]) {
        const name = partitionName(table, start);
        await sql`create table if not exists ${sql.id(name)} partition of ${sql.id(table)}
          for values from (${sql.lit(lowestId(prefix, start))}) to (${sql.lit(lowestId(prefix, start + spanMs))}) ${storage}`.execute(
          tx,
        );
      }
    }
  });
}

/** Drops partitions whose youngest row is past retention. Returns their names. */
export async function dropExpiredPartitions(
  db: Kysely<unknown>,
  now: number,
  retentionDays: number,
): Promise<string[]> {
  const spanMs = partitionDays(retentionDays) * dayMs;
  const { rows } = await sql<{ parent: string; name: string }>`
    select p.relname as parent, c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(Object.keys(tables))}) and pg_table_is_visible(c.oid)`.execute(db);
  const expired = rows.filter(({ name }) => startOf(name) + spanMs < now - retentionDays * dayMs);
  for (const { name } of expired) await sql`drop table if exists ${sql.id(name)}`.execute(db);
  return expired.map(({ name }) => name);
}

/** `message_p20261119`: the partition that begins on that day (UTC). */
const partitionName = (table: string, start: number): string =>
  `${table}_p${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;

function startOf(name: string): number {
  const day = /_p(\d{4})(\d\d)(\d\d)$/.exec(name);
  return day ? Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : Number.POSITIVE_INFINITY;
}
