// The command line over cells: what works on one database works on each of them.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { account } from '../../../src/cli/account.ts';
import { migrateDatabase } from '../../../src/cli/migrate.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { testDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';

const [home, other] = [await testDatabase(), await testDatabase()];
const folder = testFolder('cells-cli');
writeFileSync(
  join(folder, 'keys.json'),
  newKeyRing((size) => randomBytes(size)),
);

const cells = {
  cells: { b: other.url },
  epochs: [{ from: '1970-01-01T00:00:00Z', shards: { '0-511': 'home', '512-1023': 'b' } }],
};
const env = { DATABASE_URL: home.url, DATABASE_CELLS: JSON.stringify(cells), RAMZ_KEY_RING: join(folder, 'keys.json') };

async function run(verb: typeof account, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  expect(await verb(args, { env, say: (line) => lines.push(line) })).toBe(0);
  return lines;
}

test('migrate brings every cell up to date, and names each', async () => {
  const lines: string[] = [];
  expect(await migrateDatabase({ env, say: (line) => lines.push(line) })).toBe(0);
  const nothing = 'nothing to do: the database is up to date';
  expect(lines).toEqual([`cell home: ${nothing}`, `cell b: ${nothing}`]);
});

test('unlock forgets what any cell has counted of the number', async () => {
  const [created = ''] = await run(account, 'create', 'My Shop');
  const id = created.split(/ {2,}/).at(-1) ?? '';
  const number = '+213551234567';
  for (const { db } of [home, other]) {
    await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${id}, 'live', ${number}, 10, 100, true, now())`.execute(db);
  }
  await run(account, 'unlock', id, number);
  for (const { db } of [home, other]) expect((await sql`select from number_failure`.execute(db)).rows).toEqual([]);
});
