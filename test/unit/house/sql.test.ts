// SQL is written in src/db only: a statement that lives beside its caller has another spelling of the columns, and no plan is tested.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, SRC, sourceFiles } from './imports.ts';

/** A statement handed to a connection, the builder's template, or a chain of the builder. */
const statement =
  /\bquery<|\.query\(\s*\{|\bsql(?:<[^`]*>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\.executeQuery\(/;
/** The beginning of a statement in a literal of a file. */
const text = /[`'"]\s*(?:with \w+ as|select [^`'"]+? from|insert into|update \w+ set|delete from \w+ where)\b/i;

const hasSql = (file: string, code: string): boolean =>
  statement.test(code) || text.test(code) || importsOf(file, code).some(({ target }) => target === 'kysely');

const outside = sourceFiles().filter((path) => !path.startsWith('db/'));

test('no file outside src/db has SQL or the query builder', () => {
  expect(outside.length).toBeGreaterThan(200);
  const withSql = outside.filter((path) => hasSql(path, readFileSync(join(SRC, path), 'utf8')));
  expect(withSql).toEqual([]);
});

test('the format of `holder`, and of a reference made from a number, is spelled in one module each', () => {
  const spelling = (format: RegExp) =>
    sourceFiles()
      .filter((path) => !path.startsWith('db/migrations/'))
      .filter((path) => format.test(readFileSync(join(SRC, path), 'utf8')));
  expect(spelling(/['"`](?:process|route)[/0]/)).toEqual(['db/fleet/holder.ts']);
  expect(spelling(/'to '|`to \$\{number\}`/)).toEqual(['db/receipts/receipts.ts']);
});

test.each([
  "const { rows } = await db.query<{ n: number }>({ name: 'n', text, values: [] });",
  "await this.#db.query({ name: 'n', text, values });",
  'await sql`select 1`.execute(db);',
  'const at = sql<Date>`now()`;',
  "import { sql } from 'kysely';",
  "import type { Kysely } from 'kysely';",
  "await tx.updateTable('account').set({ a }).execute();",
  "await db.selectFrom('account').selectAll().execute();",
  "const renewText = 'update bind_slot set lease_until = now()';",
  'const text = `\nwith w as materialized (select 1 as n) select w.n from w`;',
])('SQL is seen: %s', (code) => {
  expect(hasSql('engine/fleet/slots.ts', code)).toBe(true);
});

test.each([
  'const slots = await balanceSlots(db, { processId, shares });',
  "import { inside } from '../../db/inside.ts';",
  '// One query (`query.ts`) selects from the update.',
  "logger.info('delete from the list what is not needed');",
])('other code is let through: %s', (code) => {
  expect(hasSql('engine/fleet/slots.ts', code)).toBe(false);
});
