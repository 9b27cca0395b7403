// What a starting process makes of partitions it can not have, who hears that they run out, what a clock that is wrong deletes: nothing, and what a
// process that is to end waits for: no more than the statement under way.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createHousekeeper } from '../../../src/app/housekeeper.ts';
import { readPartitions, tables } from '../../../src/db/partitions/plan.ts';
import { inside } from '../../../src/db/queryable.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { onDemand } from '../../../src/time/on-demand.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const { db } = database;
const hourMs = 3_600_000;
const begin = Date.parse('2026-11-22T12:00:00Z');

let log = '';
const logger = createLogger('info', {
  write(line: string) {
    log += line;
  },
});
const metrics = createMetrics();
const clock = { now: begin };
const retention = () => ({ retentionDays: 1, reportRetentionDays: 1, auditRetentionDays: 400 });
let isHomeAway = false;
const longest = async () => {
  if (isHomeAway) throw new Error('home is away');
  return retention();
};
const housekeeper = createHousekeeper({ dbs: () => [db], now: () => clock.now, retention, longest, metrics, logger });
const gauge = async () => Number(/^ramz_partition_horizon_seconds (\S+)$/m.exec(await metrics.register.metrics())?.[1]);

/** Somebody who changes the tables themselves, say by building an index: nothing can be attached meanwhile. */
const builder = new pg.Client({ connectionString: database.url });
await builder.connect();
afterAll(() => builder.end());
const hold = async () => {
  await builder.query('begin');
  await builder.query(`lock table ${tables.map(({ name }) => name).join(', ')} in share update exclusive mode`);
};

beforeEach(async () => {
  await builder.query('rollback'); // Of a test that failed.
  for (const { name } of await readPartitions(inside(db))) await sql`drop table ${sql.raw(name)}`.execute(db);
  clock.now = begin;
  log = '';
});

test("no start without today's partition", async () => {
  await hold();
  await expect(housekeeper.open()).rejects.toMatchObject({ code: '55P03' });
  await builder.query('rollback');
  await housekeeper.open();
  expect(housekeeper.horizonSeconds()).toBeGreaterThanOrEqual(3 * 24 * 3_600);
});

test("while today's partition is there, a start succeeds whatever the others come to", async () => {
  await housekeeper.open();
  clock.now += 2 * 24 * hourMs;
  await hold();
  await housekeeper.open();
  expect(log).toContain('partitions for later could not be made yet');
  await expect(housekeeper.keep()).rejects.toMatchObject({ code: '55P03' });
  await builder.query('rollback');
  await housekeeper.keep();
  expect(housekeeper.horizonSeconds()).toBeGreaterThanOrEqual(3 * 24 * 3_600);
});

test('under a day left: an alarm, once, and the gauge says how long; then the all-clear', async () => {
  await housekeeper.open();
  const seconds = housekeeper.horizonSeconds();
  expect(await gauge()).toBe(seconds);
  await housekeeper.look();
  expect(log).not.toContain('"level":"error"');
  clock.now += (seconds - 24 * 3_600 + 1) * 1_000;
  await hold();
  await housekeeper.look();
  await housekeeper.look();
  expect(await gauge()).toBe(24 * 3_600 - 1);
  expect(
    log.match(/"level":"error".*"code":"55P03".*"partition_horizon_seconds":86399.*partitions end soon/g),
  ).toHaveLength(1);
  clock.now += 25 * hourMs;
  await housekeeper.look();
  expect(await gauge()).toBe(0);
  await builder.query('rollback');
  await housekeeper.keep();
  expect(log).toContain('partitions reach far enough again');
});

test('a clock that jumps past the last partition has its partitions with the next look, which comes once a minute', async () => {
  await housekeeper.open();
  await housekeeper.keep();
  clock.now += 11 * 24 * hourMs;
  await housekeeper.look();
  expect(housekeeper.horizonSeconds()).toBeGreaterThanOrEqual(3 * 24 * 3_600);
  expect(await gauge()).toBe(housekeeper.horizonSeconds());
  expect(log).not.toContain('"level":"error"');
});

test('where it is not known what the others keep, nothing is deleted, and partitions are made all the same', async () => {
  await housekeeper.open();
  const before = (await readPartitions(inside(db))).map(({ name }) => name);
  clock.now = Date.now() + 11 * 24 * hourMs;
  isHomeAway = true;
  await expect(housekeeper.keep()).rejects.toThrow('home is away');
  isHomeAway = false;
  const after = (await readPartitions(inside(db))).map(({ name }) => name);
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after.length).toBeGreaterThan(before.length);
});

test('a clock that jumps ahead of the database makes its partitions, and deletes nothing', async () => {
  clock.now = Date.now();
  await housekeeper.open();
  await sql`insert into rate_bucket (key, tokens, updated_at) values ('key:young', 1, now())`.execute(db);
  const names = async () => (await readPartitions(inside(db))).map(({ name }) => name);
  const before = await names();
  clock.now += 45 * 24 * hourMs;
  await housekeeper.keep();
  expect(await names()).toEqual(expect.arrayContaining(before));
  expect(housekeeper.horizonSeconds()).toBeGreaterThanOrEqual(3 * 24 * 3_600);
  const { rows } = await sql`select from rate_bucket where key = 'key:young'`.execute(db);
  expect(rows).toHaveLength(1);
});

test('a process that is to end waits for the statement under way, and for none that would follow', async () => {
  clock.now = Date.now();
  await housekeeper.open();
  const old = sql`now() - interval '100 days'`;
  const row = sql`'acct_1', 'live', 'send', 'old', '', `;
  await sql`insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at) values (${row}'{}', ${old})`.execute(
    db,
  );
  await sql`insert into idempotency_claim (account_id, mode, route, key, request_hash, shard, created_at) values (${row}1, ${old})`.execute(
    db,
  );
  await sql`insert into rate_bucket (key, tokens, updated_at) values ('key:old', 1, ${old})`.execute(db);
  const left = async () => {
    const tables = ['idempotency', 'idempotency_claim', 'rate_bucket'];
    const counts = tables.map((table) =>
      sql<{ n: number }>`select count(*)::integer n from ${sql.table(table)} where
      ${sql.ref(table === 'rate_bucket' ? 'updated_at' : 'created_at')} < now() - interval '50 days'`.execute(db),
    );
    return (await Promise.all(counts)).map(({ rows }) => rows[0]?.n);
  };
  const failures: unknown[] = [];
  const run = (stopping: AbortSignal) => housekeeper.keep(stopping).then(() => null);

  await builder.query('begin');
  await builder.query('lock table idempotency in exclusive mode');
  const loop = onDemand({ distanceMs: 3_600_000, run, onError: (error) => failures.push(error) });
  const waits = sql`select from pg_locks where relation = 'idempotency'::regclass and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until(async () => (await waits.execute(db)).rows.length > 0, { what: 'the task to wait for its table' });
  const stopped = loop.stop();
  await builder.query('rollback');
  await stopped;
  expect(failures).toEqual([]);
  expect(await left()).toEqual([0, 1, 1]);

  await housekeeper.keep();
  expect(await left()).toEqual([0, 0, 0]);
});
