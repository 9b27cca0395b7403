// The service behind a real pgbouncer: session mode carries it, notices included; the others are refused by name.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect } from 'vitest';
import { shardForNumber } from '../../../src/core/ids.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../../src/db/client.ts';
import { checkServer } from '../../../src/db/connections/server.ts';
import { SessionRefused } from '../../../src/db/connections/session.ts';
import { NoticeListener, sendNotice } from '../../../src/db/fleet/notices.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { give, identity } from '../../support/debian-cluster.ts';
import { type DebianPostgres, debianPostgres } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { startProcess, startScript, type TestProcess } from '../../support/process.ts';
import { execute } from '../../support/server.ts';
import { testService } from '../../support/service.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const test = requireTool('initdb', 'pgbouncer');
const folder = testFolder('pgbouncer');
const postgres = toolPath('initdb') && toolPath('pgbouncer') ? await debianPostgres(folder) : undefined;
const running: TestProcess[] = [];
const opened: Database<Schema>[] = [];
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  for (const bouncer of running) await bouncer.end('SIGTERM');
  await postgres?.kill();
});

/** A pgbouncer before it, and before other databases of it, each by its name; the URL of the first. */
async function pooler(
  mode: 'session' | 'transaction' | 'statement',
  more = '',
  others: readonly string[] = [],
): Promise<string> {
  const port = await freePort();
  const file = join(folder, `${mode}.ini`);
  const { port: behind } = postgres as DebianPostgres;
  writeFileSync(
    file,
    `[databases]
${['postgres', ...others].map((name) => `${name} = host=127.0.0.1 port=${behind} user=admin`).join('\n')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${more}
`,
  );
  give(file);
  const bouncer = startProcess(toolPath('pgbouncer') ?? 'pgbouncer', { args: [file], ...identity() });
  running.push(bouncer);
  const url = `postgres://admin@127.0.0.1:${port}/postgres`;
  await until(() => execute(url, 'select 1').catch(() => null), { what: 'pgbouncer to take connections' });
  return url;
}

const needs = { connections: 10 };
/** Its configuration is Debian's. */
const asItComes = expect.stringContaining('set log_error_verbosity = terse');

test('session mode: each pool has its settings, and the operator has his', async () => {
  const url = await pooler('session');
  expect(await checkServer(url, needs)).toEqual({ kind: 'fit', warnings: [asItComes] });
  const { db, lanes, lists, close } = createDatabase<unknown>(
    `${url}?options=-c%20work_mem%3D5MB&statement_timeout=2500`,
  );
  try {
    const text = `select current_setting('jit') as jit, current_setting('enable_seqscan') as seqscan, current_setting('enable_sort') as sort,
      current_setting('plan_cache_mode') as plan, current_setting('work_mem') as memory, current_setting('statement_timeout') as timeout`;
    const usual = { jit: 'off', seqscan: 'on', sort: 'on', plan: 'auto', memory: '5MB', timeout: '2500ms' };
    expect((await sql.raw(text).execute(db)).rows).toEqual([usual]);
    expect((await lanes.query(text)).rows).toEqual([{ ...usual, seqscan: 'off', plan: 'force_generic_plan' }]);
    expect((await lists.query(text)).rows).toEqual([{ ...usual, seqscan: 'off', sort: 'off' }]);
  } finally {
    await close();
  }
});

test('session mode: the schema is made, and notices are heard', async () => {
  const url = await pooler('session', 'default_pool_size = 30');
  const database = createDatabase<unknown>(url, { max: 2, lanes: 1 });
  const heard: string[] = [];
  let listening = false;
  const listener = new NoticeListener({
    url,
    processId: 'prc_1',
    onNotice: (payload) => heard.push(payload),
    onListening: () => {
      listening = true;
    },
    onLost: () => {},
  });
  try {
    expect(await migrate(database.db)).not.toEqual([]);
    listener.start();
    await until(() => listening, { what: 'the listener to listen' });
    await sendNotice(database.lanes, 'prc_1', 'hello');
    await until(() => heard.length > 0, { what: 'the notice' });
    expect(heard).toEqual(['hello']);
  } finally {
    await listener.stop();
    await database.close();
  }
});

test('session mode: the whole service works through it', async () => {
  const url = await pooler('session', 'default_pool_size = 40');
  const connect = (options: DatabaseOptions = {}) => {
    const database = createDatabase<Schema>(url, { max: 2, lanes: 1, ...options });
    opened.push(database);
    return database;
  };
  const database = connect();
  await migrate(database.plain);
  const service = await testService({ database: { ...database, url, connect } });
  const { live, app } = await service.startHere();
  const { id } = await live.send('+213551370001');
  expect(await live.check(id, await service.sandbox.codeTo('+213551370001'))).toMatchObject({ valid: true });
  await app.close();
});

test('session mode: one of them is the router of two cells, which are known by the name of the database', async () => {
  const { url: direct } = postgres as DebianPostgres;
  const names = ['ramz_a', 'ramz_b'];
  for (const name of names) await execute(direct, `create database ${name}`);
  const before = await pooler('session', 'default_pool_size = 40', names);
  const [url = '', second = ''] = names.map((name) => before.replace(/\/postgres$/, `/${name}`));
  const connect = (options: DatabaseOptions = {}) => {
    const database = createDatabase<Schema>(url, { max: 2, lanes: 1, ...options });
    opened.push(database);
    return database;
  };
  const database = connect();
  await migrate(database.plain);
  const service = await testService({ database: { ...database, url, connect } });
  const epochs = [{ from: '1970-01-01T00:00:00Z', shards: { '0-511': 'home', '512-1023': 'b' } }];
  const cells = JSON.stringify({ cells: { b: second }, epochs });
  const { live, process } = await service.startProcess({ DATABASE_CELLS: cells });
  const numbers = Array.from({ length: 8 }, (_, n) => `+21355137010${n}`);
  for (const to of numbers) {
    const { id } = await live.send(to);
    expect(await live.check(id, await service.sandbox.codeTo(to))).toMatchObject({ valid: true });
  }
  await process.end('SIGTERM');
  const ofSecond = createDatabase<Schema>(second, { max: 1, lanes: 1 });
  opened.push(ofSecond);
  const { rows } = await sql<{ number: string }>`select number from verify_session`.execute(ofSecond.db);
  expect(rows.map(({ number }) => number).sort()).toEqual(numbers.filter((to) => shardForNumber(to) > 511));
  expect(rows.length).toBeGreaterThan(0);
});

test('serve and migrate end with the reason where the pooler is in transaction mode', async () => {
  const env = {
    DATABASE_URL: await pooler('transaction'),
    RAMZ_KEYS: newKeyRing((size) => randomBytes(size)),
    HOST: '127.0.0.1',
    PORT: '0',
    GRPC_PORT: '0',
  };
  const started = ['serve', 'migrate'].map((verb) => startScript('src/main.ts', { args: [verb], env }));
  for (const program of started) {
    expect(await program.exit()).toMatchObject({ code: 1 });
    expect(program.output()).toMatch(
      /^a connection pooler in transaction or statement mode is before the database: set it to session mode/m,
    );
  }
});

for (const [mode, settings] of [
  ['transaction', ''],
  ['transaction', 'server_round_robin = 1\nmin_pool_size = 3'],
  ['transaction', 'default_pool_size = 1'],
  ['statement', ''],
] as const) {
  test(`${mode} mode ${settings.replace('\n', ', ')} is refused by name`, async () => {
    expect(await checkServer(await pooler(mode, settings), needs)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^a connection pooler .*pool_mode = session/),
    });
  });
}

test('a setting that the database refuses is named', async () => {
  const { lanes, close } = createDatabase(`${(postgres as DebianPostgres).url}?options=-c%20jit_above=1`);
  await expect(lanes.query('select 1')).rejects.toSatisfy(
    (error) => error instanceof SessionRefused && /refuses a session setting: .*jit_above/.test(error.message),
  );
  await close();
});

test('a Postgres with fewer connections than a process takes is refused, one that is nearly full warned of', async () => {
  const { url } = postgres as DebianPostgres;
  expect(await checkServer(url, { connections: 98 })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('97 connections, and one process takes 98'),
  });
  expect(await checkServer(url, { connections: 97 })).toMatchObject({
    kind: 'fit',
    warnings: [expect.stringMatching(/^the database has \d+ of 97 connections left/), asItComes],
  });
});
