// Migrations: order, one at a time over all processes, all or nothing, never on a newer database.

import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { migrate, schemaState } from '../../../src/db/migrate.ts';
import { createIndexConcurrently } from '../../../src/db/migrations/concurrent-index.ts';
import { unreleased } from '../../../src/db/migrations/index.ts';
import type { Migration } from '../../../src/db/migrations/migration.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const { db } = database;

const create = (name: string, table: string): Migration => ({
  name,
  up: async (on: Kysely<unknown>) => {
    await sql`create table ${sql.table(table)} (id int)`.execute(on);
  },
});
const steps = [create('0001_one', 'one'), create('0002_two', 'two')];
const tables = async () =>
  (
    await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(
      db,
    )
  ).rows.map((row) => row.name);

beforeEach(async () => {
  await sql`drop schema public cascade; create schema public`.execute(db);
});

test('the listed ones run in order, once', async () => {
  expect(await schemaState(db, steps)).toEqual({ kind: 'behind', pending: ['0001_one', '0002_two'] });
  expect(await migrate(db, steps.slice(0, 1))).toEqual(['0001_one']);
  expect(await migrate(db, steps)).toEqual(['0002_two']);
  expect(await migrate(db, steps)).toEqual([]);
  expect(await schemaState(db, steps)).toEqual({ kind: 'current' });
});

test('many processes at once: each migration runs in one of them', async () => {
  const processes = Array.from({ length: 5 }, () => database.connect({ max: 1 }));
  const applied = await Promise.all(processes.map((each) => migrate(each.db, steps)));
  expect(applied.flat()).toEqual(['0001_one', '0002_two']);
  await Promise.all(processes.map((each) => each.close()));
});

test('one that waits for another says so once, and ends when it is told to', async () => {
  const gate = Promise.withResolvers<void>();
  let hasBegun = false;
  const slow: Migration = {
    name: '0002_slow',
    up: () => {
      hasBegun = true;
      return gate.promise;
    },
  };
  await migrate(db, steps.slice(0, 1));
  const first = migrate(db, [steps[0]!, slow]);
  await until(() => hasBegun, { what: 'the first one to have the lock' });
  const ending = new AbortController();
  let said = 0;
  const onWait = () => {
    said += 1;
  };
  const other = database.connect({ max: 1 });
  const waiting = expect(migrate(other.db, steps, { onWait, signal: ending.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await until(() => said > 0, { what: 'it to wait' });
  ending.abort();
  await waiting;
  expect(said).toBe(1);
  gate.resolve();
  expect(await first).toEqual(['0002_slow']);
});

test('a failing one leaves nothing behind, keeps those before it, and releases the lock', async () => {
  const broken: Migration = {
    name: '0002_broken',
    up: async (on) => {
      await sql`create table half (id int)`.execute(on);
      await sql`select 1/0`.execute(on);
    },
  };
  await expect(migrate(db, [steps[0]!, broken])).rejects.toThrow('division by zero');
  expect(await tables()).toEqual(['one', 'schema_migration']);
  expect(await migrate(db, steps)).toEqual(['0002_two']);
});

test('a newer database is refused and not touched', async () => {
  await migrate(db, [steps[0]!, { ...steps[1]!, compatibleFrom: '0002_two' }]);
  expect(await schemaState(db, steps.slice(0, 1))).toEqual({ kind: 'newer', unknown: ['0002_two'] });
  await expect(migrate(db, [steps[0]!, create('0003_three', 'three')])).rejects.toThrow('0002_two');
  expect(await tables()).toEqual(['one', 'schema_migration', 'two']);
});

describe('a program that is older than its database', () => {
  const newer = (more: Partial<Migration>) => [...steps, { ...create('0003_three', 'three'), ...more }];

  test('goes on where what was added since is only added', async () => {
    await migrate(db, newer({}));
    expect(await schemaState(db, steps)).toEqual({ kind: 'compatible', unknown: ['0003_three'] });
    expect(await migrate(db, steps)).toEqual([]);
    // One release older still: nothing was taken away since.
    expect(await schemaState(db, steps.slice(0, 1))).toMatchObject({ kind: 'compatible' });
  });

  test('is refused where something was taken away after the last version it knows', async () => {
    await migrate(db, newer({ compatibleFrom: '0002_two' }));
    expect(await schemaState(db, steps)).toMatchObject({ kind: 'compatible' });
    expect(await schemaState(db, steps.slice(0, 1))).toEqual({ kind: 'newer', unknown: ['0002_two', '0003_three'] });
  });

  test('one breaking migration holds for all that follow it', async () => {
    const breaking = newer({ compatibleFrom: '0003_three' });
    await migrate(db, [...breaking, create('0004_four', 'four')]);
    expect(await schemaState(db, breaking)).toMatchObject({ kind: 'compatible', unknown: ['0004_four'] });
    expect(await schemaState(db, steps)).toMatchObject({ kind: 'newer' });
    await expect(migrate(db, steps)).rejects.toThrow('0003_three, 0004_four');
  });

  test('is refused when the database lacks something of its own', async () => {
    await migrate(db, [steps[0]!, newer({})[2]!]);
    expect(await schemaState(db, steps)).toEqual({ kind: 'newer', unknown: ['0003_three'] });
  });
});

test('one that was made before the first release is refused, with what to do, and not changed', async () => {
  await sql`create table schema_migration (name text primary key, applied_at timestamptz default now())`.execute(db);
  await sql`insert into schema_migration (name) values (${unreleased}), ('0002_webhook_holder')`.execute(db);
  expect(await schemaState(db)).toEqual({ kind: 'unreleased' });
  await expect(migrate(db)).rejects.toThrow(/from before the first release .*let DATABASE_URL name an empty database/);
  expect(await tables()).toEqual(['schema_migration']);
});

describe('beside a transaction that reads', () => {
  const alter: Migration = {
    name: '0002_column',
    up: async (on) => {
      await sql`alter table one add column note text`.execute(on);
    },
  };

  test('it waits in turns, and in between everybody else goes on', async () => {
    await migrate(db, steps.slice(0, 1));
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select * from one');
    const done = migrate(db, [steps[0]!, alter], { patience: { attempts: 1_000, pauseMs: 50 } });
    // Each insert would wait for the migration, and the migration for the reader, to the end of the reader.
    const writer = database.connect({ max: 1 });
    for (let n = 0; n < 50; n += 1) await sql`insert into one values (${n})`.execute(writer.db);
    await reader.query('rollback');
    await reader.end();
    expect(await done).toEqual(['0002_column']);
  });

  test('it gives up after its patience, says why, and has changed nothing', async () => {
    await migrate(db, steps.slice(0, 1));
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select * from one');
    const tried = migrate(db, [steps[0]!, alter], { patience: { attempts: 2, pauseMs: 10 } });
    await expect(tried).rejects.toThrow(/migration 0002_column: others hold a lock .*end long transactions/);
    await reader.end();
    expect(await migrate(db, [steps[0]!, alter])).toEqual(['0002_column']);
  });
});

describe('an index of a partitioned table, built concurrently', () => {
  const parted: Migration = {
    name: '0001_parted',
    up: async (on) => {
      await sql`create table parted (id int, note text) partition by range (id)`.execute(on);
      for (const n of [0, 1, 2]) {
        const [from, to] = [sql.lit(n * 100), sql.lit(n * 100 + 100)];
        await sql`create table ${sql.id(`parted_${n}`)} partition of parted for values from (${from}) to (${to})`.execute(
          on,
        );
      }
      await sql`insert into parted select n, 'note ' || n from generate_series(0, 299) n`.execute(on);
    },
  };
  const index = { name: 'parted_note', table: 'parted', definition: "(note, id) where note <> ''" };
  const indexed = (up: Migration['up']): Migration => ({ name: '0002_index', up, inTransaction: false });
  const build = indexed((on) => createIndexConcurrently(on, index));
  const state = async () =>
    (
      await sql<{ index: string; valid: boolean; attached: boolean }>`
        select indexrelid::regclass::text as index, indisvalid as valid,
          exists (select from pg_inherits where inhrelid = indexrelid) as attached
        from pg_index where indrelid::regclass::text like 'parted%' order by 1`.execute(db)
    ).rows;
  const whole = [
    { index: 'parted_0_parted_note', valid: true, attached: true },
    { index: 'parted_1_parted_note', valid: true, attached: true },
    { index: 'parted_2_parted_note', valid: true, attached: true },
    { index: 'parted_note', valid: true, attached: false },
  ];

  test('each partition has its own, attached', async () => {
    expect(await migrate(db, [parted, build])).toEqual(['0001_parted', '0002_index']);
    expect(await state()).toEqual(whole);
  });

  test('writes go on while it is built and waits for an old transaction', async () => {
    await migrate(db, [parted]);
    const old = new pg.Client({ connectionString: database.url });
    await old.connect();
    await old.query('begin isolation level repeatable read');
    await old.query('select * from parted');
    const done = migrate(db, [parted, build]);
    const building = async () =>
      (
        await sql`select from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'`.execute(
          db,
        )
      ).rows.length > 0;
    await until(building, { what: 'the build to wait for the old transaction' });
    const writer = database.connect({ max: 1 });
    for (let n = 0; n < 20; n += 1) await sql`update parted set note = 'new' where id = ${n * 10}`.execute(writer.db);
    await old.query('rollback');
    await old.end();
    expect(await done).toEqual(['0002_index']);
    expect(await state()).toEqual(whole);
  });

  test('one that was broken off in the middle is taken up again', async () => {
    await migrate(db, [parted]);
    await sql`create index parted_note on only parted (note, id) where note <> ''`.execute(db);
    await sql`create index parted_0_parted_note on parted_0 (note, id) where note <> ''`.execute(db);
    await sql`alter index parted_note attach partition parted_0_parted_note`.execute(db);
    // A build that fails leaves an index behind that is not valid.
    const failing = sql`create unique index concurrently parted_1_parted_note on parted_1 ((id % 2))`.execute(db);
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await migrate(db, [parted, build])).toEqual(['0002_index']);
    expect(await state()).toEqual(whole);
  });
});

test("the statement timeout of the connection's later users is back", async () => {
  const single = database.connect({ max: 1, statementTimeoutMs: 1234 });
  await migrate(single.db, steps);
  const timeout = await sql<{ value: string }>`select current_setting('statement_timeout') as value`.execute(single.db);
  expect(timeout.rows).toEqual([{ value: '1234ms' }]);
});
