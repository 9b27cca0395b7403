// The plan of partitions: the big tables, their partitions in the database's catalog, and which ranges are missing or expired. Existing ones
// count as they are, whatever settings they were made with. All but the reads of the catalog is pure.

import { type Kysely, sql } from 'kysely';
import { lowestId, timeOf } from '../../core/ids.ts';
import { dayMs, hourMs } from '../../time/wall-clock.ts';
import type { Queryable } from '../queryable.ts';

/** A partition holds ids from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  from: string;
  to: string;
}

export interface PartitionedTable {
  name: string;
  /** Column it is partitioned by, and how its ids begin. */
  key: string;
  prefix: string;
  /** Percent of a page that inserts fill: the rest keeps updates on it. */
  fillfactor: number;
}

export const tables: readonly PartitionedTable[] = [
  // The sessions of a page were sent together, and are saved together: each needs room for another version at the same time.
  { name: 'verify_session', key: 'id', prefix: 'vrf_', fillfactor: 50 },
  { name: 'session_timeline', key: 'session_id', prefix: 'vrf_', fillfactor: 100 },
  { name: 'message', key: 'id', prefix: 'msg_', fillfactor: 50 },
  { name: 'receipt', key: 'id', prefix: 'rcp_', fillfactor: 100 },
  { name: 'operator_reference', key: 'message_id', prefix: 'msg_', fillfactor: 100 },
  // As of sessions: stored together, and marked together, each once.
  { name: 'webhook_delivery', key: 'event_id', prefix: 'evt_', fillfactor: 50 },
];

export interface Partition extends Range {
  table: string;
  /** Ready for SQL: quoted, and with its schema where the search path does not find it. */
  name: string;
  /** Begun to be detached: it takes no rows any more. */
  detaching: boolean;
  /** Of a role that is ours: else it is dropped by a function with the rights of its owner. */
  ours: boolean;
  /** Its rows may be read and changed by its own name, and not only by the table's. */
  usable: boolean;
  /** Rows at the last `analyze`; -1 before the first. */
  rows: number;
  comment: string | null;
}

/** Bounds that are open: before and behind every id. */
export const lowest = '';
export const highest = '~';

/** Partitions that hold rows stay few: a look-up without a time walks over all of them. */
const mostWithRows = 8;
/** There is room for at least this many spans after now, and for at least so many days. */
const spansAhead = 2;
const leastAheadMs = 3 * dayMs;
/** A process whose clock is late makes ids of the day before. */
const clockSlackMs = hourMs;

/** Length of a new partition, so that `retentionDays` of rows lie in few. */
export const spanMsFor = (retentionDays: number): number =>
  Math.max(1, Math.ceil(retentionDays / (mostWithRows - 2))) * dayMs;

/** The ranges to make so that every id from today on, and several spans ahead, has its partition: gaps first. */
export function missingRanges(prefix: string, have: readonly Range[], now: number, spanMs: number): Range[] {
  const sorted = inOrder(have);
  const until = lowestId(prefix, now + Math.max(spansAhead * spanMs, leastAheadMs));
  const unit = sorted.length === 0 ? spanMs : dayMs;
  const missing: Range[] = [];
  let at = lowestId(prefix, Math.floor((now - clockSlackMs) / unit) * unit);
  while (at < until) {
    const next = sorted.find(({ to }) => to > at);
    if (next && next.from <= at) {
      at = next.to;
      continue;
    }
    const whole = lowestId(prefix, timeOf(at) + spanMs);
    const to = next && next.from < whole ? next.from : whole;
    missing.push({ from: at, to });
    at = to;
  }
  return missing;
}

/** Until when every id from `now` on has its partition, Unix ms; `now` itself where there is none for it. */
export function coveredUntil(prefix: string, have: readonly Range[], now: number): number {
  let at = lowestId(prefix, now);
  for (const { from, to } of inOrder(have)) {
    if (to === highest && from <= at) return Number.POSITIVE_INFINITY;
    if (from <= at && to > at) at = to;
  }
  return timeOf(at);
}

/** Whether even its youngest row is past retention. */
export const isExpired = ({ to }: Range, now: number, retentionDays: number): boolean =>
  to !== highest && timeOf(to) < now - retentionDays * dayMs;

const inOrder = (ranges: readonly Range[]): Range[] =>
  ranges.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));

const bound = /^FOR VALUES FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$/;

/** The range in the text of `pg_get_expr(relpartbound, oid)`; null for a partition without bounds (DEFAULT). */
export function parseBound(text: string): Range | null {
  const found = bound.exec(text);
  return found && { from: found[1] ?? lowest, to: found[2] ?? highest };
}

const partitionsText = `
  select p.relname as "table", c.oid::regclass::text as name, i.inhdetachpending as detaching,
    pg_has_role(c.relowner, 'usage') as ours,
    has_schema_privilege(c.relnamespace, 'usage') and has_table_privilege(c.oid, 'select')
      and has_table_privilege(c.oid, 'update') as usable, c.reltuples::double precision as rows,
    pg_get_expr(c.relpartbound, c.oid) as bound, obj_description(c.oid, 'pg_class') as comment
  from unnest($1::text[]) given (name) join pg_class p on p.oid = to_regclass(given.name)
  join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid`;

/** Every partition with bounds. One that is being dropped at this moment is left out. */
export async function readPartitions(db: Queryable): Promise<Partition[]> {
  type Row = Omit<Partition, keyof Range> & { bound: string | null };
  const values = [tables.map(({ name }) => name)];
  const { rows } = await db.query<Row>({ name: 'partitions', text: partitionsText, values });
  return rows.flatMap(({ bound, ...row }) => {
    const range = bound === null ? null : parseBound(bound);
    return range ? [{ ...row, ...range }] : [];
  });
}

/** Tables that are no partitions and have this comment: their names, ready for SQL, and whether they are of a role that is ours. */
export async function readCommented(db: Kysely<unknown>, comment: string): Promise<{ name: string; ours: boolean }[]> {
  const { rows } = await sql<{ name: string; ours: boolean }>`
    select c.oid::regclass::text as name, pg_has_role(c.relowner, 'usage') as ours
    from pg_class c join pg_description d on d.objoid = c.oid and d.objsubid = 0
    where d.classoid = 'pg_class'::regclass and d.description = ${sql.lit(comment)}
      and c.relkind = 'r' and not c.relispartition order by 1`.execute(db);
  return rows;
}
