// Whatever is put into a batch comes out of Postgres as it went in.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columns } from '../../../src/db/columns.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();

const batch = columns({ t: 'text', i: 'integer', b: 'boolean', at: 'ms', j: 'json', o: 'bytea', h: 'hex', l: 'texts' });

/** Text as Postgres takes it: no NUL, no half of a surrogate pair. */
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
const awkward = fc.constantFrom(
  '',
  'NULL',
  'null',
  '"',
  '\\',
  '\\"',
  '{a,b}',
  ' ',
  '\n\t',
  "'",
  '\u2028',
  '"\u2028\u007f\u0085"',
  '{"a":"\\n"}',
  '"\n',
  'code \u0005 é ١٢٣',
);
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')));

const row = fc.record({
  t: fc.option(fc.oneof(awkward, text)),
  i: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  b: fc.option(fc.boolean()),
  at: fc.option(fc.integer({ min: 0, max: 4_102_444_800_000 })),
  j: fc.option(
    fc.oneof(
      json,
      awkward.map((value) => ({ [value]: value })),
    ),
  ),
  o: fc.option(fc.uint8Array({ maxLength: 20 }).map((octets) => Buffer.from(octets))),
  h: fc.option(fc.uint8Array({ maxLength: 20 }).map((octets) => Buffer.from(octets).toString('hex'))),
  l: fc.option(fc.array(fc.oneof(awkward, text), { maxLength: 3 })),
});

test('a batch is read back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
      const result = await database.lanes.query(batch.select(1), batch.parameters(rows));
      const read = result.rows.map((each) => ({
        ...each,
        at: each.at === null ? null : each.at.getTime(),
        h: each.h === null ? null : each.h.toString('hex'),
      }));
      // A JSON null is SQL's null: no column that is `json` tells them apart.
      expect(read).toEqual(rows);
    }),
    { numRuns: 300 },
  );
});

test('a number that is none fails its statement', async () => {
  const rows = [{ t: null, i: 1.5, b: null, at: null, j: null, o: null, h: null, l: null }];
  await expect(database.lanes.query(batch.select(1), batch.parameters(rows))).rejects.toMatchObject({ code: '22P02' });
});
