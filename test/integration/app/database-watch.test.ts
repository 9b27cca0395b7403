// What a process says of its database: commits that wait for no standby, and a clock that is far from ours.
import { beforeEach, expect, test } from 'vitest';
import { createDatabaseWatch } from '../../../src/app/database-watch.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { testDatabase } from '../../support/database.ts';
import { execute } from '../../support/server.ts';

const database = await testDatabase();
let log = '';
const logger = createLogger('info', {
  write(line: string) {
    log += line;
  },
});
const metrics = createMetrics();
const clock = { fast: 0 };
const now = () => Date.now() + clock.fast;
const gauge = async (name: string) =>
  Number(new RegExp(`^ramz_database_${name} (\\S+)$`, 'm').exec(await metrics.register.metrics())?.[1]);
const only = () => [{ name: 'home', db: database.lanes }];
const watch = (sandbox = true) => createDatabaseWatch({ cells: only, now, sandbox, metrics, logger });

beforeEach(() => {
  log = '';
  clock.fast = 0;
});

test('without a standby: the measures say so, and outside a sandbox a line of the log, once', async () => {
  const outside = watch(false);
  await outside.open();
  await outside.look();
  expect([await gauge('synchronous_commit'), await gauge('synchronous_standbys')]).toEqual([0, 0]);
  expect(log.match(/"level":"(warn|error)".*(no commit waits for a standby|synchronous_commit is off)/g)).toHaveLength(
    1,
  );
  log = '';
  await watch().open();
  expect(log).toBe('');
});

test('a database role that commits without waiting for the disk is an error', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await execute(database.url, `alter database ${name} set synchronous_commit = off`);
  const again = database.connect({ lanes: 1 });
  const cells = () => [{ name: 'home', db: again.lanes }];
  const own = createDatabaseWatch({ cells, now, sandbox: false, metrics, logger });
  await own.open();
  expect(log).toMatch(/"level":"error".*synchronous_commit is off/);
});

test('the clocks agree within what the round trip leaves open', async () => {
  await watch().open();
  expect(Math.abs(await gauge('clock_offset_seconds'))).toBeLessThan(1);
  expect(log).toBe('');
});

test('a clock that is two seconds off is an alarm, once, and is over when it is right again', async () => {
  const running = watch();
  clock.fast = 2_500;
  await running.open();
  await running.look();
  expect(await gauge('clock_offset_seconds')).toBeCloseTo(-2.5, 0);
  expect(log.match(/"level":"error".*the database has another time: keep the clocks/g)).toHaveLength(1);
  clock.fast = 0;
  await running.look();
  expect(log).toContain('an alarm about the database is over');
});

test('no start with a clock that is further off than a lease lasts; a process that runs goes on', async () => {
  const running = watch();
  clock.fast = -15_000;
  await expect(running.open()).rejects.toThrow(/^the clocks of this host and of the database are 1\d\.\d s apart/);
  await expect(running.look()).resolves.toBeUndefined();
});

/** A database that says this of itself. */
const saying = ({ names = '', standbys = 0, aheadMs = 0, isAway = false }): Queryable => ({
  async query<Row>({ name }: { name: string }) {
    if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const said = name === 'clock' ? { at: Date.now() + aheadMs } : { commit: 'on', names, standbys, hidden: 0 };
    return { rows: [said as Row], rowCount: 1 };
  },
});

test('of several cells each is watched, and the worst is what the measures say', async () => {
  const cells = [
    { name: 'home', db: saying({ names: 'a', standbys: 1 }) },
    { name: 'b', db: saying({ names: 'a', standbys: 1 }) },
  ];
  const running = createDatabaseWatch({ cells: () => cells, now, sandbox: false, metrics, logger });
  const measured = async () => [await gauge('synchronous_commit'), await gauge('synchronous_standbys')];
  await running.open();
  await running.look();
  expect([await measured(), log]).toEqual([[1, 1], '']);
  cells[1] = { name: 'b', db: saying({ names: 'a', standbys: 0 }) };
  await running.look();
  expect(await measured()).toEqual([1, 0]);
  cells[1] = { name: 'b', db: saying({ aheadMs: -5_000 }) };
  await running.look();
  expect(await measured()).toEqual([0, 0]);
  expect(await gauge('clock_offset_seconds')).toBeCloseTo(-5, 0);
  expect(log).toMatch(/"cell":"b".*no commit waits for a standby/);
  expect(log).toMatch(/"cell":"b".*the database has another time/);
  log = '';
  // One that is away keeps nobody from looking at the others.
  cells[0] = { name: 'home', db: saying({ isAway: true }) };
  cells[1] = { name: 'b', db: saying({ names: 'a', standbys: 1 }) };
  await expect(running.look()).rejects.toThrow('ECONNREFUSED');
  expect(await measured()).toEqual([1, 1]);
  expect(log.match(/"cell":"b".*an alarm about the database is over/g)).toHaveLength(2);
});
