// Partitions in a real database: every change of retention, what becomes of old ones, and that nobody waits for any of it.
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { idSource, lowestId, timeOf } from '../../../src/core/ids.ts';
import { mark } from '../../../src/db/partitions/drop.ts';
import { readPartitions, spanMsFor, tables } from '../../../src/db/partitions/plan.ts';
import { dropExpiredPartitions, ensurePartitions, partitionHorizonMs } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { toOpenItem } from '../../../src/engine/sessions/change.ts';
import { testDatabase } from '../../support/database.ts';
import { request, Story } from '../../support/session.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const { db } = database;
const dayMs = 86_400_000;
const now = Date.parse('2026-11-22T12:00:00Z');
const settings = [1, 7, 30, 31, 60, 90, 365];

beforeEach(async () => {
  for (const { name } of await readPartitions(inside(db))) await sql`drop table ${sql.raw(name)}`.execute(db);
  await sql`truncate pending_number`.execute(db);
});

let numbers = 0;
/** Stores one session of each of these times, with its message. */
async function storeAt(times: readonly number[]): Promise<void> {
  const items = times.map((time) => {
    const ids = idSource({ now: () => time, randomBytes });
    numbers += 1;
    const to = `+2135${String(numbers).padStart(8, '0')}`;
    const { session } = new Story({ request: { ...request, id: ids('vrf_'), to } });
    const messages = session.messages.map((message) => ({ ...message, id: ids('msg_') }));
    return toOpenItem({ ...session, messages, version: 1 }, 'process/1', null);
  });
  const results = await openSessions(database.lanes, items);
  expect(results.every(({ kind }) => kind === 'opened')).toBe(true);
}

const daysFrom = (start: number, ms: number) =>
  Array.from({ length: Math.ceil(ms / dayMs) }, (_, day) => start + day * dayMs);

describe.each(settings)('retention was %i days', (before) => {
  test.each(settings)('and is %i now: a session can be stored on each day of the next two spans', async (after) => {
    await ensurePartitions(db, now, before);
    await ensurePartitions(db, now, after);
    expect(await partitionHorizonMs(db, now)).toBeGreaterThanOrEqual(2 * spanMsFor(after));
    await storeAt(daysFrom(now, 2 * spanMsFor(after)));
  });
});

test('the days between, which an earlier release left out after 30 -> 90, get their partition', async () => {
  for (const { name, prefix } of tables) {
    for (const [from, to] of [
      ['2026-11-18', '2026-11-23'],
      ['2026-11-23', '2026-11-28'],
      ['2026-12-03', '2026-12-18'],
    ] as const) {
      const [low, high] = [from, to].map((day) => sql.lit(lowestId(prefix, Date.parse(day))));
      const child = sql.id(`${name}_p${from.replaceAll('-', '')}`);
      await sql`create table ${child} partition of ${sql.table(name)} for values from (${low}) to (${high})`.execute(
        db,
      );
    }
  }
  await expect(storeAt([Date.parse('2026-11-30')])).rejects.toThrow('no partition of relation');
  expect(await partitionHorizonMs(db, now)).toBe(Date.parse('2026-11-28') - now);
  await ensurePartitions(db, now, 90);
  await storeAt([Date.parse('2026-11-30')]);
  expect(await partitionHorizonMs(db, now)).toBeGreaterThanOrEqual(2 * spanMsFor(90));
});

test('lower retention drops by what partitions hold, not by what the new setting would have made of them', async () => {
  await ensurePartitions(db, now, 365); // spans of 61 days
  const partitions = await readPartitions(inside(db));
  const first = partitions
    .filter(({ table }) => table === 'verify_session')
    .toSorted((a, b) => (a.to < b.to ? -1 : 1))[0]!;
  await storeAt([timeOf(first.to) - 1]);
  const stored = () => sql<{ n: number }>`select count(*)::integer as n from verify_session`.execute(db);
  // Of a partition that seemed to be a day long this was the sixtieth day.
  expect(await dropExpiredPartitions(db, timeOf(first.to) + dayMs, 1)).toEqual({ dropped: [], postponed: [] });
  expect((await stored()).rows).toEqual([{ n: 1 }]);
  const { dropped } = await dropExpiredPartitions(db, timeOf(first.to) + dayMs + 1, 1);
  expect(dropped.toSorted()).toEqual(
    partitions
      .filter(({ to }) => timeOf(to) === timeOf(first.to))
      .map(({ name }) => name)
      .toSorted(),
  );
  expect((await stored()).rows).toEqual([{ n: 0 }]);
});

test('a partition has the indexes of its table, each attached, and its settings', async () => {
  await ensurePartitions(db, now, 30);
  const { rows } = await sql<{ table: string; own: number; attached: number; parents: number; options: string[] }>`
    select c.relname as table,
      (select count(*)::integer from pg_index x where x.indrelid = c.oid and x.indisvalid) as own,
      (select count(*)::integer from pg_index x join pg_inherits h on h.inhrelid = x.indexrelid where x.indrelid = c.oid) as attached,
      (select count(*)::integer from pg_index x where x.indrelid = i.inhparent) as parents,
      c.reloptions as options
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`.execute(db);
  expect(rows.length).toBeGreaterThanOrEqual(3 * tables.length);
  for (const row of rows) {
    expect(row, row.table).toMatchObject({ own: row.parents, attached: row.parents });
    const table = tables.find(({ name }) => row.table.startsWith(name));
    expect(row.options).toContain(`fillfactor=${table?.fillfactor}`);
  }
  const { rows: checks } = await sql`select conname from pg_constraint where conname like '%\\_bound'`.execute(db);
  expect(checks).toEqual([]);
});

test('several processes at once: each partition is made once', async () => {
  const processes = Array.from({ length: 4 }, () => database.connect({ max: 2 }));
  const made = await Promise.all(processes.map((each) => ensurePartitions(each.db, now, 30)));
  expect(made.flat().length).toBe(new Set(made.flat()).size);
  expect((await readPartitions(inside(db))).map(({ name }) => name).toSorted()).toEqual(made.flat().toSorted());
  const later = now + 60 * dayMs;
  const dropped = await Promise.all(processes.map((each) => dropExpiredPartitions(each.db, later, 7)));
  expect(new Set(dropped.flatMap((each) => each.dropped)).size).toBe(dropped.flatMap((each) => each.dropped).length);
  await Promise.all(processes.map((each) => each.close()));
});

test('a table that has the name of a partition, but is none, is left alone', async () => {
  await sql`create table verify_session_p20261120 (kept text)`.execute(db);
  const made = await ensurePartitions(db, now, 1);
  expect(made).toContain('verify_session_p20261122');
  await sql`create table message_p20261126 (kept text)`.execute(db);
  expect(await ensurePartitions(db, now + 2 * dayMs, 1)).toContain('message_p20261126_2');
  await dropExpiredPartitions(db, now + 90 * dayMs, 1);
  const { rows } =
    await sql`select relname from pg_class where relname in ('verify_session_p20261120', 'message_p20261126')
    order by 1`.execute(db);
  expect(rows).toEqual([{ relname: 'message_p20261126' }, { relname: 'verify_session_p20261120' }]);
  await sql`drop table verify_session_p20261120, message_p20261126`.execute(db);
});

/** A transaction of somebody else, who reads and takes their time. */
async function withReader<T>(how: 'lock' | 'select', work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    if (how === 'lock')
      await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
    else for (const { name } of tables) await client.query(`select count(*) from ${name}`);
    return await work();
  } finally {
    await client.end();
  }
}

describe.each(['lock', 'select'] as const)('beside a long reader (%s)', (how) => {
  test('partitions are made, and old ones are dropped after it has gone', async () => {
    await ensurePartitions(db, now, 7);
    const later = now + 60 * dayMs;
    const old = (await readPartitions(inside(db))).map(({ name }) => name).toSorted();
    await withReader(how, async () => {
      const waits = lockWaits();
      onTestFinished(async () => void (await waits.stop()));
      expect(await ensurePartitions(db, later, 7)).not.toEqual([]);
      const { dropped, postponed } = await dropExpiredPartitions(db, later, 7);
      expect(dropped).toEqual([]);
      expect(postponed).not.toEqual([]);
      await storeAt([later, later + 2 * dayMs]);
      expect(await waits.stop()).toEqual([]);
    });
    const { dropped, postponed } = await dropExpiredPartitions(db, later, 7);
    expect(postponed).toEqual([]);
    expect(dropped.toSorted()).toEqual(old);
    expect(await leftOver()).toEqual([]);
  });
});

test('what a crash left half-detached, or detached and not dropped, is finished', async () => {
  await ensurePartitions(db, now, 7);
  const later = now + 60 * dayMs;
  const [first, second] = (await readPartitions(inside(db))).filter(({ table }) => table === 'message');
  await sql`comment on table ${sql.raw(first!.name)} is ${sql.lit(mark)}`.execute(db);
  await sql`comment on table ${sql.raw(second!.name)} is ${sql.lit(mark)}`.execute(db);
  await sql`alter table message detach partition ${sql.raw(second!.name)}`.execute(db);
  await withReader('lock', async () => {
    // As a process does that is killed while it waits for the reader.
    await database
      .connect({ max: 1 })
      .db.connection()
      .execute(async (connection: Kysely<unknown>) => {
        await sql`set lock_timeout = 50`.execute(connection);
        const detach = sql`alter table message detach partition ${sql.raw(first!.name)} concurrently`.execute(
          connection,
        );
        await expect(detach).rejects.toMatchObject({ code: '55P03' });
      });
  });
  expect((await readPartitions(inside(db))).find(({ name }) => name === first!.name)).toMatchObject({
    detaching: true,
  });
  const { dropped, postponed } = await dropExpiredPartitions(db, later, 7);
  expect(postponed).toEqual([]);
  expect(dropped).toEqual(expect.arrayContaining([first!.name, second!.name]));
  expect(await leftOver()).toEqual([]);
});

const leftOver = async () => {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    where obj_description(c.oid, 'pg_class') = ${sql.lit(mark)}`.execute(db);
  return rows;
};

/** Looks for statements of others that wait for a lock on a table for longer than the lock timeout and some slack. */
function lockWaits() {
  const seen: string[] = [];
  let stopped = false;
  const look = async () => {
    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    await until(
      async () => {
        const { rows } = await watcher.query<{ query: string }>(
          `select a.query from pg_locks l join pg_stat_activity a using (pid)
           where not l.granted and l.locktype = 'relation' and l.waitstart < clock_timestamp() - interval '10 seconds'`,
        );
        seen.push(...rows.map(({ query }) => query));
        return stopped;
      },
      { what: 'the end of the watch', everyMs: 50 },
    );
    await watcher.end();
  };
  const done = look();
  return {
    stop: async () => {
      stopped = true;
      await done;
      return seen;
    },
  };
}
