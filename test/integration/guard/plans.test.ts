// The snapshot of how the database finds rows at 200,000 sessions: for every statement that a story makes the service send, which index
// of which table. It is no promise to anybody, but a look that loses its index is an outage at the first busy hour; write it anew
// with `-u` where a statement or an index changes with intent.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAnyBound } from '../../../src/db/fleet/slots.ts';
import { readPartitions } from '../../../src/db/partitions/plan.ts';
import { inside } from '../../../src/db/queryable.ts';
import { anyMessage, findReferences, numberReference } from '../../../src/db/receipts/receipts.ts';
import { saveParts } from '../../../src/db/verify/save-batches.ts';
import { saveText } from '../../../src/db/verify/save-text.ts';
import { markText } from '../../../src/db/webhooks/attempts.ts';
import { returnDeliveries } from '../../../src/db/webhooks/retries.ts';
import { runMaintenance } from '../../../src/engine/fleet/maintenance.ts';
import { genericPlan } from '../../support/plan.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';
import { Explainer } from './plans/explain.ts';
import { fill } from './plans/fill.ts';
import { recordStatements } from './plans/record.ts';
import { tell } from './plans/story.ts';

const file = join(import.meta.dirname, 'plans.snapshot.json');

/** At a start, and once an hour: few rows were put there since, and an index would cost every send. */
const readsAll = [
  'lanes: read administrator, read api_key, read limit_entry, read waba, read webhook_endpoint: api_key, Seq Scan',
  'lanes: read administrator, read api_key, read limit_entry, read waba, read webhook_endpoint: webhook_endpoint, Seq Scan',
  'pool: delete pending_number, read verify_session: pending_number, Seq Scan',
];

const recorded = recordStatements();
afterAll(() => recorded.stop());
const service = await testService();
const explainer = new Explainer(service.database.url);
afterAll(() => explainer.close());
/** So many that a look through all of them would be noticed. */
const manyRows = 100_000;
/** By the name of the statement. */
const looks = new Map<string, Set<string>>();

beforeAll(async () => {
  await tell(service);
  // A process asks so until a bind is up somewhere: one whose first bind is quick never does.
  const { lanes } = service.database;
  await isAnyBound(lanes);
  // Nor does a process that ends with no webhook waiting, or that meets no receipt of a message in doubt.
  await returnDeliveries(lanes, 'prc_none', []);
  const [number, operator] = ['+213550000001', 'atlas'];
  await findReferences(lanes, [
    { operator, references: [numberReference(number)], number, inDoubt: false, before: anyMessage },
  ]);
  // That of the start met empty tables, of which some are read through where they have anything.
  const retention = { retentionDays: 30, reportRetentionDays: 90, auditRetentionDays: 400 };
  await sql`insert into number_failure (account_id, mode, number, failures, window_ends_at)
    values ('acct_none', 'live', ${number}, 1, now())`.execute(service.database.db);
  await runMaintenance(service.database.plain, Date.now(), retention);
  await explainer.learn();
  await allSent();
  const statements = [...recorded.statements.values()];
  recorded.stop();
  await fill(service.database.url);
  await explainer.learn();
  for (const statement of statements) {
    const found = await explainer.looks(statement);
    if (found.length === 0) continue;
    const name = explainer.nameOf(statement);
    looks.set(name, new Set([...(looks.get(name) ?? []), ...found]));
  }
}, 900_000);

/** What loops send comes when its turn is; what never comes is missed below, by its name. */
async function allSent(): Promise<void> {
  const wanted = Object.keys(JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{}'));
  const missing = () => {
    const sent = new Set([...recorded.statements.values()].map((statement) => explainer.nameOf(statement)));
    return wanted.filter((name) => !sent.has(name));
  };
  await until(() => missing().length === 0, { what: 'every statement to be sent', timeoutMs: 120_000 }).catch(() => {});
}

test('each statement finds its rows by the index it found them by', async () => {
  const sorted = [...looks].sort(([one], [other]) => (one < other ? -1 : 1));
  const all = Object.fromEntries(sorted.map(([name, found]) => [name, [...found].sort().join(' · ')]));
  await expect(`${JSON.stringify(all, null, 2)}\n`).toMatchFileSnapshot(file);
});

test('none reads a big table from end to end', () => {
  const reading = [...looks].flatMap(([name, found]) =>
    [...found].filter((look) => look.endsWith('Seq Scan')).map((look) => `${name}: ${look}`),
  );
  expect(reading.sort()).toEqual(readsAll);
});

test('a save and a mark that name a partition find their rows there by their keys', async () => {
  const partitions = await readPartitions(inside(service.database.plain));
  const fullest = (table: string) => {
    const [first] = partitions.filter((each) => each.table === table).toSorted((a, b) => b.rows - a.rows);
    if (!first || first.rows < manyRows) throw new Error(`${table} has no partition of many rows`);
    return first.name;
  };
  const [verify_session, message, operator_reference, webhook_delivery] = [
    fullest('verify_session'),
    fullest('message'),
    fullest('operator_reference'),
    fullest('webhook_delivery'),
  ];
  const keys = {
    [verify_session]: ['account_id', 'id'],
    // Of one session, which has few.
    [message]: ['session_id'],
    [operator_reference]: ['operator', 'reference', 'message_id'],
    [webhook_delivery]: ['endpoint_id', 'event_id'],
  };
  const client = await service.database.lanes.connect();
  try {
    const save = saveText(new Set(saveParts), { verify_session, message, operator_reference });
    const texts = [save, markText(webhook_delivery)];
    const plans: string[] = [];
    for (const text of texts) plans.push((await genericPlan(client, text)).join('\n'));
    const plan = plans.join('\n');
    for (const [name, columns] of Object.entries(keys)) {
      const scans = plan.match(new RegExp(`(Scan.* on ${name} \\w+ .*|Bitmap .*${name}_.*)\\n.*`, 'g')) ?? [];
      expect(scans.length, name).toBeGreaterThan(0);
      for (const scan of scans) {
        expect(scan).toContain(`using ${name}_pkey`);
        expect(scan).toMatch(new RegExp(`Index Cond: .*${columns.map((column) => `\\(${column} = `).join('.*')}`));
      }
    }
  } finally {
    client.release();
  }
});
