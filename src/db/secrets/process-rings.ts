// What processes say of their key rings, and the keys that a rotation has announced to all of them. Both are at home, beside the leases.

import { type KnownKey, lackedKeys, type RingReport } from '../../core/secrets/ring-report.ts';
import type { Queryable } from '../queryable.ts';

/** What a process says of itself. */
export interface ProcessReport {
  host: string;
  pid: number;
  /** Names of the cells that it works on, home's among them. Absent: it is of an older release. */
  cells?: readonly string[];
  ring: RingReport;
}

export interface ProcessRing {
  processId: string;
  /** Null where it says nothing: it is of an older release, or is starting. */
  report: ProcessReport | null;
  /** For how long it has said so, ms; null as above. */
  sinceMs: number | null;
}

/** For people: where to look for it. */
export const processName = ({ processId, report }: ProcessRing): string =>
  report ? `${processId} (${report.host}, pid ${report.pid})` : processId;

/** A line for each process that lacks some of the keys; none for one that lacks none. */
export const lackingLines = (processes: readonly ProcessRing[], keys: readonly KnownKey[]): string[] =>
  processes.flatMap((process) => {
    const lacked = lackedKeys(process.report?.ring ?? {}, keys).map(({ id }) => id);
    return lacked.length === 0 ? [] : [`  ${processName(process)} lacks ${lacked.join(', ')}`];
  });

/** The process says what it holds; the row is there since its lease began. The same report leaves its date. */
export async function reportRing(db: Queryable, processId: string, report: ProcessReport): Promise<void> {
  const text = `update process set key_ring = $2::jsonb,
      key_ring_since = case when key_ring = $2::jsonb then key_ring_since else now() end
    where id = $1`;
  await db.query({ name: 'process.key_ring', text, values: [processId, JSON.stringify(report)] });
}

/** The rings of the processes whose lease runs, the oldest process first. */
export async function readRings(db: Queryable): Promise<ProcessRing[]> {
  const text = `select id, key_ring, (extract(epoch from now() - key_ring_since) * 1000)::double precision as since_ms
    from process where lease_until > now() order by id`;
  const { rows } = await db.query<{ id: string; key_ring: ProcessReport | null; since_ms: number | null }>({
    name: 'process.key_rings',
    text,
    values: [],
  });
  return rows.map(({ id, key_ring, since_ms }) => ({ processId: id, report: key_ring, sinceMs: since_ms }));
}

export interface AnnouncedKey extends KnownKey {
  /** No process may make a thing with it any more. */
  removed: boolean;
}

export async function announcedKeys(db: Queryable): Promise<AnnouncedKey[]> {
  const text = `select purpose, id, check_value as check, removed_at is not null as removed from announced_key order by id`;
  return (await db.query<AnnouncedKey>({ name: 'announced_key.all', text, values: [] })).rows;
}

/** Those of the keys that were removed: nothing may be made with them any more. */
export const withdrawnOf = <Key extends KnownKey>(keys: readonly Key[], announced: readonly AnnouncedKey[]): Key[] =>
  keys.filter(({ id }) => announced.some((key) => key.removed && key.id === id));

/** Announces keys: from then on no process starts without them. */
export async function announceKeys(db: Queryable, keys: readonly KnownKey[]): Promise<void> {
  const text = `insert into announced_key (purpose, id, check_value) select * from unnest($1::text[], $2::text[], $3::text[])
    on conflict (id) do nothing`;
  const columns = [keys.map(({ purpose }) => purpose), keys.map(({ id }) => id), keys.map(({ check }) => check)];
  await db.query({ name: 'announced_key.make', text, values: columns });
}

/** What `markRemoved` found of the key: null = it was not announced. */
export type MarkedBefore = 'announced' | 'removed' | null;

/** From then on no process starts that would make things with the key. */
export async function markRemoved(db: Queryable, { purpose, id, check }: KnownKey): Promise<MarkedBefore> {
  // What stands beside the change reads the row as it was before.
  const text = `with marked as (
      insert into announced_key (purpose, id, check_value, removed_at) values ($1, $2, $3, now())
      on conflict (id) do update set removed_at = coalesce(announced_key.removed_at, now()))
    select case when removed_at is null then 'announced' else 'removed' end as before from announced_key where id = $2`;
  const values = [purpose, id, check];
  const { rows } = await db.query<{ before: 'announced' | 'removed' }>({ name: 'announced_key.remove', text, values });
  return rows[0]?.before ?? null;
}

/**
 * Takes `markRemoved` back, and leaves what it found. A key that was not announced must not be by this: a process that lacks it would not start
 * any more.
 */
export async function keepAfterAll(db: Queryable, id: string, before: MarkedBefore): Promise<void> {
  if (before === 'removed') return;
  const query =
    before === 'announced'
      ? { name: 'announced_key.keep', text: 'update announced_key set removed_at = null where id = $1' }
      : { name: 'announced_key.forget', text: 'delete from announced_key where id = $1' };
  await db.query({ ...query, values: [id] });
}

/** Has every process read its ring again. */
export async function askToReread(db: Queryable): Promise<void> {
  const text = `update change_counter set value = value + 1 where name = 'keys'`;
  await db.query({ name: 'keys.changed', text, values: [] });
}
