// A rolling upgrade: the next version's migration is run under a process of this version. What only adds keeps it ready and able to start
// again; what takes something away takes it out, and its start says why. And a start that may not migrate, or that meets a database
// which takes no changes.

import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { migrations, unreleased } from '../../src/db/migrations/index.ts';
import type { Migration } from '../../src/db/migrations/migration.ts';
import { startScript } from '../support/process.ts';
import { execute } from '../support/server.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { database, sandbox } = service;
const db = database.db as never;

const adds: Migration = {
  name: '9001_adds',
  up: async (on) => {
    await sql`alter table verify_session add column seen_in_passing text`.execute(on);
  },
};
const breaks: Migration = {
  name: '9002_breaks',
  compatibleFrom: '9001_adds',
  up: async (on) => {
    await sql`alter table process drop column routes`.execute(on);
    await sql`alter table process add column routes jsonb not null default '{}'`.execute(on);
  },
};
const readyz = async (metrics: string) => {
  const response = await fetch(`${metrics}/readyz`);
  return { status: response.status, body: (await response.json()) as { database: string } };
};
/** A process that stood still for a moment says so first. */
const says = (metrics: string, wanted: { status: number; body?: { database: string } }) =>
  until(
    async () => {
      expect(await readyz(metrics)).toMatchObject(wanted);
      return true;
    },
    { what: `readiness ${JSON.stringify(wanted)}` },
  );
const verify = async ({ live }: Awaited<ReturnType<typeof service.startHere>>, to: string) => {
  const { id } = await live.send(to);
  return live.check(id, await sandbox.codeTo(to));
};
const serve = (env: Record<string, string> = {}) =>
  startScript('src/main.ts', { args: ['serve'], env: { ...service.env, ...env } });

afterEach(async () => {
  await sql`delete from schema_migration where name like '9%'`.execute(database.db);
  await sql`alter table verify_session drop column if exists seen_in_passing`.execute(database.db);
});

test('an additive migration of the next version: this one stays ready, works, and starts again', async () => {
  const old = await service.startHere();
  await says(old.metrics, { status: 200, body: { database: 'current' } });
  expect(await migrate(db, [...migrations, adds])).toEqual(['9001_adds']);
  await says(old.metrics, { status: 200, body: { database: 'compatible' } });
  expect(await verify(old, '+213551340001')).toMatchObject({ valid: true });
  await old.app.close();
  const again = await service.startHere();
  expect(await verify(again, '+213551340002')).toMatchObject({ valid: true });
  await again.app.close();
});

test('one that takes something away: not ready, and a start that says which', async () => {
  const old = await service.startHere();
  await migrate(db, [...migrations, adds, breaks]);
  await says(old.metrics, { status: 503, body: { database: 'newer' } });
  const refused = serve();
  expect(await refused.exit()).toMatchObject({ code: 1 });
  expect(refused.output()).toContain('the database is newer than this program: it has 9001_adds, 9002_breaks');
  expect(refused.output()).not.toContain('at startApp');
  await old.app.close();
});

test('a database from before the first release: a start that says what to do', async () => {
  await sql`insert into schema_migration (name, compatible_from) values (${unreleased}, ${unreleased})`.execute(db);
  const refused = serve();
  const ended = await refused.exit();
  await sql`delete from schema_migration where name = ${unreleased}`.execute(db);
  expect(ended).toMatchObject({ code: 1 });
  expect(refused.output()).toContain('let DATABASE_URL name an empty database');
  expect(refused.output()).not.toContain('at startApp');
});

test('RAMZ_MIGRATE=off: no start on an older database, and nothing is changed; a start on one that is up to date', async () => {
  const pending = migrations.map(({ name }) => name).join(', ');
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  const refused = serve({ RAMZ_MIGRATE: 'off' });
  expect(await refused.exit()).toMatchObject({ code: 1 });
  expect(refused.output()).toContain(
    `the database lacks ${pending}, and RAMZ_MIGRATE is off: run \`npm run migrate\` first`,
  );
  const { rows } = await sql`select to_regclass('schema_migration') as books`.execute(database.db);
  expect(rows).toEqual([{ books: null }]);
  const migrated = startScript('src/main.ts', { args: ['migrate'], env: service.env });
  expect(await migrated.exit()).toMatchObject({ code: 0 });
  expect(migrated.output()).toContain(`applied ${pending}`);
  const started = await service.startProcess({ RAMZ_MIGRATE: 'off' });
  await says(started.metrics, { status: 200 });
  await started.process.end();
});

test("a start during another process's migration: it says that it waits, and SIGTERM ends the wait", async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  let goesOn = true;
  const begun = Promise.withResolvers<void>();
  const slow: Migration = {
    name: '9000_slow',
    compatibleFrom: migrations[0]?.name ?? '',
    up: async (on) => {
      begun.resolve();
      // At work, as a long migration is: a transaction that is idle is ended after a while.
      while (goesOn) await sql`select pg_sleep(0.1)`.execute(on);
    },
  };
  const done = migrate(db, [slow, ...migrations]);
  await begun.promise;
  const migrating = startScript('src/main.ts', { args: ['migrate'], env: service.env });
  const waiting = serve();
  await waiting.waitFor(/"level":"info"[^\n]*"msg":"another process migrates the database: this one waits/);
  expect(await waiting.end()).toEqual({ code: 0, signal: null });
  expect(waiting.output()).toMatch(/"why":"SIGTERM","msg":"stopped before it was ready"/);
  await migrating.waitFor(/^another process migrates the database: this one waits/m);
  goesOn = false;
  await done;
  expect(await migrating.exit()).toMatchObject({ code: 0 });
});

test('a database that takes no changes, as a standby does: the start says so', async () => {
  const { url } = database;
  const name = new URL(url).pathname.slice(1);
  // By connections of their own: one of the pool's that is made meanwhile would take no changes for as long as it lives.
  await execute(url, `alter database "${name}" set default_transaction_read_only = on`);
  const refused = serve();
  const ended = await refused.exit();
  await execute(url, `begin read write; alter database "${name}" reset default_transaction_read_only; commit`);
  expect(ended).toMatchObject({ code: 1 });
  expect(refused.output()).toContain('the database takes no changes');
  await until(() => refused.output().includes('DATABASE_URL must name the primary'), { what: 'what to do about it' });
});
