// What a starting process makes of partitions it can not have, who hears that they run out, and what a clock that is wrong deletes: nothing.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createHousekeeper } from '../../../src/app/housekeeper.ts';
import { readPartitions, tables } from '../../../src/db/partitions/plan.ts';
import { inside } from '../../../src/db/queryable.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { testDatabase } from '../../support/database.ts';

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
const housekeeper = createHousekeeper({ dbs: () => [db], now: () => clock.now, retention, metrics, logger });
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
  await housekeeper.look();
  await housekeeper.look();
  expect(await gauge()).toBe(24 * 3_600 - 1);
  expect(log.match(/"level":"error".*"partition_horizon_seconds":86399.*partitions end soon/g)).toHaveLength(1);
  clock.now += 25 * hourMs;
  await housekeeper.look();
  expect(await gauge()).toBe(0);
  await housekeeper.keep();
  expect(log).toContain('partitions reach far enough again');
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
