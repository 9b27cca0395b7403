// Migrations: order, one at a time over all processes, all or nothing, never on a newer database.
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { migrate, schemaState } from '../../../src/db/migrate.ts';
import type { Migration } from '../../../src/db/migrations/migration.ts';
import { testDatabase } from '../../support/database.ts';

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
  await migrate(db, steps);
  expect(await schemaState(db, steps.slice(0, 1))).toEqual({ kind: 'newer', unknown: ['0002_two'] });
  await expect(migrate(db, steps.slice(0, 1))).rejects.toThrow('0002_two');
});

test("the statement timeout of the connection's later users is back", async () => {
  const single = database.connect({ max: 1, statementTimeoutMs: 1234 });
  await migrate(single.db, steps);
  const timeout = await sql<{ value: string }>`select current_setting('statement_timeout') as value`.execute(single.db);
  expect(timeout.rows).toEqual([{ value: '1234ms' }]);
});
