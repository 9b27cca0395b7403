// The table of architecture.md that says where each table lies: it has every table of the schema, and no statement of the plans' guard
// touches both what lies at home and what lies in cells.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const docs = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const migrations = join(root, 'src/db/migrations');
const plans: Record<string, string> = JSON.parse(
  readFileSync(join(root, 'test/integration/guard/plans.snapshot.json'), 'utf8'),
);

const rows = [...docs.matchAll(/^\| (`.*`) \| (home|cell|each) \| /gm)];
const listed = rows.flatMap(([, names = '', place = '']) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, table = '']) => [table, place] as const),
);
const placeOf = new Map(listed);

/** Where one statement touches both, and why it may. */
const allowed = [
  // A budget that warns (db/limits/budgets.ts) stores the event at home, in the statement that grants.
  'lanes: insert budget, insert webhook_delivery, read budget, read webhook_endpoint, update budget',
  // An event about an account is stored at home, in the transaction of what it reports.
  'pool: insert webhook_delivery, insert webhook_retry, read webhook_endpoint',
];
/** The pulse looks for parked receipts at home, where each of them is, too. */
const isPulse = (name: string) => name.includes('read bind_slot') && name.includes('read parked_receipt');

test('every table of the schema is listed once', () => {
  const files = readdirSync(migrations, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join(migrations, file), 'utf8'));
  const made = texts.flatMap((text) =>
    [...text.matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, table]) => table),
  );
  expect(made.length).toBeGreaterThan(25);
  expect(listed.map(([table]) => table).sort()).toEqual(made.sort());
});

test('no statement touches what lies at home and what lies in a cell', () => {
  const mixed = Object.entries(plans).filter(([name, found]) => {
    const touched = [...name.matchAll(/(?:read|insert|update|delete) (\w+)/g), ...found.matchAll(/(?:^| · )(\w+)/g)];
    const places = new Set(touched.map(([, table = '']) => placeOf.get(table)));
    return places.has('home') && places.has('cell') && !isPulse(name);
  });
  expect(mixed.map(([name]) => name)).toEqual(allowed);
});
