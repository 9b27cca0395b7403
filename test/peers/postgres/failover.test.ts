// A primary and a streaming standby of Debian's Postgres, both named in DATABASE_URL: the primary is killed, the standby promoted, and the
// service goes on by itself, with every code that it had confirmed.
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { readServerState } from '../../../src/db/connections/server.ts';
import { prepareSchema } from '../../../src/db/migrate.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { databaseAt } from '../../support/database.ts';
import { give, runProgram } from '../../support/debian-cluster.ts';
import { type DebianPostgres, debianPostgres, startCluster } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { execute } from '../../support/server.ts';
import { testService } from '../../support/service.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const test = requireTool('initdb', 'pg_basebackup');
const folder = testFolder('failover');
const pair = toolPath('pg_basebackup') ? await start() : undefined;

async function start() {
  const primary = await debianPostgres(folder);
  const own = give(testFolder('standby'));
  const files = join(own, 'cluster');
  const source = primary.url.replace('/postgres', '/');
  runProgram('pg_basebackup', ['-D', files, '-R', '-X', 'stream', '-c', 'fast', '-d', source]);
  const standby = await startCluster(files);
  afterAll(async () => {
    await standby.kill();
    await primary.kill();
  });
  await execute(primary.url, `alter system set synchronous_standby_names = '*'`);
  await execute(primary.url, 'select pg_reload_conf()');
  const attached = async () =>
    (await execute(primary.url, `select 1 from pg_stat_replication where sync_state = 'sync'`)).rows.length > 0;
  await until(attached, { what: 'the standby to be synchronous' });
  // The standby stands first: it is passed over.
  const url = `postgres://admin@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
  expect(await prepareSchema(url, { migrate: true })).toMatchObject({ kind: 'ready' });
  const service = await testService({ errorsExpected: true, database: databaseAt<Schema>(url) });
  return { primary, standby, url, service, server: await service.startHere() };
}

const known = () => pair as NonNullable<typeof pair>;

test('how many standbys commits wait for is seen by a role with pg_monitor, and by no other', async () => {
  const { primary } = known();
  await execute(primary.url, 'create role plain login; create role watcher login in role pg_monitor');
  const state = async (role: string) => {
    const { lanes, close } = createDatabase(primary.url.replace('admin', role), { lanes: 1 });
    return readServerState(lanes, Date.now).finally(close);
  };
  expect(await state('watcher')).toMatchObject({ waitsForStandby: true, losesOnCrash: false, standbys: 1 });
  expect(await state('plain')).toMatchObject({ waitsForStandby: true, losesOnCrash: false, standbys: null });
  const { standby } = known();
  const behind = createDatabase(standby.url, { lanes: 1 });
  expect(await readServerState(behind.lanes, Date.now).finally(behind.close)).toMatchObject({ standbys: 0 });
});

test('one host that is a standby is refused where one that takes changes is wanted', async () => {
  const { standby } = known();
  const { lanes, close } = createDatabase(`${standby.url}?target_session_attrs=read-write`, { lanes: 1 });
  await expect(lanes.query('select 1')).rejects.toMatchObject({ code: '25006' });
  await close();
  expect(await prepareSchema(`${standby.url}?target_session_attrs=read-write`, { migrate: true })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('takes no changes'),
  });
});

test('the primary is killed and the standby promoted: the service goes on, and has what it confirmed', async () => {
  const { primary, standby, service, server } = known();
  const { live } = server;
  const before = await live.send('+213551350001');
  const code = await service.sandbox.codeTo('+213551350001');
  expect(await live.check(before.id, code)).toMatchObject({ valid: true });
  expect(await server.log()).not.toContain('no commit waits for a standby');

  await primary.kill();
  const ready = async () => (await fetch(`${server.http}/readyz`)).status;
  await until(async () => (await ready()) === 503, { what: 'the service to miss its database' });
  await execute(standby.url, 'select pg_promote()');
  await until(async () => (await ready()) === 200, { what: 'the service to be ready again' });

  expect(await live.check(before.id, code)).toMatchObject({ valid: false, status: 'verified' });
  const after = await until(() => live.send('+213551350002').catch(() => null), { what: 'a send' });
  expect(await live.check(after.id, await service.sandbox.codeTo('+213551350002'))).toMatchObject({ valid: true });
});

test('a host that turns read-only under a connection is left for the one that is not', async () => {
  const { standby } = known();
  const other: DebianPostgres = await debianPostgres(testFolder('second'));
  const urls = [other, standby].map(({ port }) => `127.0.0.1:${port}`);
  const { db, close } = createDatabase<unknown>(`postgres://admin@${urls.join(',')}/postgres`, { max: 1 });
  const port = async () => {
    const { rows } = await sql<{ port: string }>`create table if not exists made (n integer)`
      .execute(db)
      .then(() => sql<{ port: string }>`select current_setting('port') as port`.execute(db));
    return Number(rows[0]?.port);
  };
  try {
    expect(await port()).toBe(other.port);
    // The session that is there keeps it: as after a switch by the operator's own hand.
    await sql`set default_transaction_read_only = on`.execute(db);
    await expect(sql`insert into made values (1)`.execute(db)).rejects.toMatchObject({ code: '25006' });
    await until(async () => (await port().catch(() => 0)) === standby.port, { what: 'the other host' });
  } finally {
    await close();
    await other.kill();
  }
});
