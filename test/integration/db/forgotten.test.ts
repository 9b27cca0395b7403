// What a crash of Postgres may make it forget, and what a standby never has: the rows of unlogged tables. docs/abuse.md says what that means.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();

test('a crash of the database forgets counts of sends, and nothing that costs money, guards a code or was told', async () => {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relpersistence = 'u' and relnamespace = 'public'::regnamespace order by 1`.execute(
    database.db,
  );
  expect(rows.map(({ name }) => name)).toEqual(['rate_bucket']);
});
