// Which index each hot statement takes while its partition is empty, when every index that fits costs the same. Lanes plan once a
// connection and keep to it: what is taken for an empty table is taken for a million rows.
import { beforeAll, expect, test } from 'vitest';
import { claimOrphans, claimRoutes, openSessionsAt, openSessionsOf } from '../../../src/db/fleet/claims.ts';
import { cohorts, recentSends } from '../../../src/db/limits/traffic.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { anyMessage, findReferences } from '../../../src/db/receipts/receipts.ts';
import { earliestSent, findFirstSends, firstSendsSince, markFirstSms } from '../../../src/db/reports/first-sends.ts';
import { listSessions } from '../../../src/db/verify/list.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { saveParts } from '../../../src/db/verify/save-batches.ts';
import { saveText } from '../../../src/db/verify/save-text.ts';
import { findSessions, loadSessions } from '../../../src/db/verify/sessions.ts';
import { markDeliveries } from '../../../src/db/webhooks/attempts.ts';
import { heldAccounts, holdDeliveries, releaseHolds } from '../../../src/db/webhooks/holds.ts';
import { ownDeliveries, takeOverDeliveries } from '../../../src/db/webhooks/recovery.ts';
import { claimRetries, returnDeliveries } from '../../../src/db/webhooks/retries.ts';
import { toOpenItem } from '../../../src/engine/sessions/change.ts';
import { testDatabase } from '../../support/database.ts';
import { genericPlan } from '../../support/plan.ts';
import { everySession, Story } from '../../support/session.ts';

const database = await testDatabase({ lanes: 1 });
beforeAll(() => ensurePartitions(database.db, Date.now(), 30));

/** As the lanes plan it. */
async function planOf(text: string): Promise<string> {
  const client = await database.lanes.connect();
  try {
    return (await genericPlan(client, text)).join('\n');
  } finally {
    client.release();
  }
}

/** Indexes of a table in the statement's plan, without the partition's name. */
async function indexesOn(table: string, text: string): Promise<string[]> {
  const plan = await planOf(text);
  const found = [...plan.matchAll(new RegExp(`(?:using|Index Scan on) ${table}_p\\d+_(\\w+)`, 'g'))].map(
    ([, name = '']) => name,
  );
  expect(found.length).toBeGreaterThan(0);
  return [...new Set(found)];
}

/** The text of the statement that a function sends. */
async function textOf(run: (db: Queryable) => Promise<unknown>): Promise<string> {
  let sent = '';
  const query = async ({ text }: { text: string }) => {
    sent = text;
    return { rows: [], rowCount: 0 };
  };
  await run({ query } as never);
  return sent;
}

const key = { accountId: 'acct_1', id: 'vrf_1' };
const anything = everySession('acct_1');

test('a save finds its sessions by their key', async () => {
  expect(await indexesOn('verify_session', saveText(new Set(saveParts)))).toEqual(['pkey']);
});

test('references are found by their key, and not by their message, as an erasure finds them', async () => {
  const wanted = { operator: 'atlas', references: ['r'], number: '+213550000001', inDoubt: true, before: anyMessage };
  for (const text of [saveText(new Set(saveParts)), await textOf((db) => findReferences(db, [wanted]))])
    expect(await indexesOn('operator_reference', text)).toEqual(['pkey']);
});

test('a look at sessions finds them by their key, and their messages by their session', async () => {
  const text = await textOf((db) => loadSessions(db, [key]));
  expect(await indexesOn('verify_session', text)).toEqual(['pkey']);
  expect(await planOf(text)).toMatch(/message_p\d+_pkey.*\n +Index Cond: \(session_id = s.id\)/);
  expect(await planOf(text)).toMatch(/session_timeline_p\d+_pkey.*\n +Index Cond: \(session_id = s.id\)/);
});

test('a send finds its place and its tokens by their key, while these tables are empty too', async () => {
  const limits = { perHour: 1, perDay: 1, platformPerHour: 1, platformPerDay: 1 };
  const item = toOpenItem(new Story().session, 'process/1', null, limits);
  const plan = await planOf(await textOf((db) => openSessions(db, [item])));
  expect(plan).toMatch(/using pending_number_pkey.*\n +Index Cond: \(\(shard = .*\) AND \(account_id = /);
  expect(plan).toMatch(/rate_bucket_pkey.*\n +Index Cond: \(key = ANY/);
  // What meets in a batch does so by sorting or hashing.
  expect(plan).not.toMatch(/Nested Loop.*\n(.*\n){1,3}.*CTE Scan on (asked|by_account|passing|granted|bucket_rows)/);
});

test('wrong codes are found by their number', async () => {
  expect(await planOf(saveText(new Set(['guards'])))).toMatch(
    /using number_failure_pkey.*\n +Index Cond: \(\(account_id = /,
  );
});

test('a list finds costs by their session', async () => {
  const text = await textOf((db) => listSessions(db, anything, { limit: 1, before: null }));
  expect(await planOf(text)).toMatch(/message_p\d+_pkey.*\n +Index Cond: \(session_id = s.id\)/);
});

test('what many accounts have sent of late is found by the keys of their sessions and rollups', async () => {
  const wanted = { accountIds: ['acct_1', 'acct_2'], since: Date.now(), limit: 1 };
  expect(await indexesOn('verify_session', await textOf((db) => recentSends(db, wanted)))).toEqual(['pkey']);
  const counted = await textOf((db) => cohorts([db], { ...wanted, now: Date.now() }));
  // Of several databases each is asked twice.
  const texts = new Set([counted]);
  const query = async ({ text }: { text: string }) => {
    texts.add(text);
    return { rows: [{ accountId: 'acct_1', range: '+2135', unverified: 20 }] };
  };
  await cohorts([{ query }, { query }] as never, { ...wanted, now: Date.now() });
  expect(texts.size).toBe(3);
  for (const text of texts) expect(await planOf(text)).toMatch(/rollup_pkey.*\n +Index Cond: \(\(account_id = ANY/);
});

test('receipts are found by their session', async () => {
  const text = await textOf((db) => findSessions(db, [key]));
  expect(await indexesOn('verify_session', text)).toEqual(['pkey']);
  expect(await planOf(text)).toMatch(/receipt_p\d+_pkey.*\n +Index Cond: \(session_id = /);
});

const nobody = { holder: '', now: 0, leaseUntil: 0, limit: 1 };

test.each<[string, (db: Queryable) => Promise<unknown>]>([
  ['marked', (db) => markDeliveries(db, [])],
  ['given back', (db) => returnDeliveries(db, '', [])],
  ['claimed', (db) => claimRetries(db, { ...nobody, except: [] })],
  ['held', (db) => holdDeliveries(db, '', [])],
  ['taken over', (db) => takeOverDeliveries(db, { holders: [], endpoints: [], now: 0, leaseMs: 0, limit: 1 })],
  ['looked for', (db) => ownDeliveries(db, { ...nobody, endpoints: [], from: '', until: '' })],
])('webhooks are %s by their only key', async (_, run) => {
  expect(await indexesOn('webhook_delivery', await textOf(run))).toEqual(['pkey']);
});

test.each<[string, (db: Queryable) => Promise<unknown>, string]>([
  ['due', (db) => claimRetries(db, { ...nobody, except: [] }), 'webhook_retry_due'],
  ['held', (db) => releaseHolds(db, '', { now: 0, limit: 1 }), 'webhook_retry_held'],
  ['held for any account', (db) => heldAccounts(db, { after: '', limit: 1 }), 'webhook_retry_held'],
  [
    'of a dead process',
    (db) => takeOverDeliveries(db, { holders: [], endpoints: [], now: 0, leaseMs: 0, limit: 1 }),
    'webhook_retry_due',
  ],
])('retries that are %s are found by an index', async (_, run, index) => {
  const plan = await planOf(await textOf(run));
  expect(plan).toContain(index);
  expect(plan).not.toContain('Seq Scan on webhook_retry');
});

test.each<[string, (db: Queryable) => Promise<unknown>]>([
  ['of some shards', (db) => openSessionsOf(db, '', 0, 1)],
  ['by their keys', (db) => openSessionsAt(db, '', [key])],
  ['of dead processes', (db) => claimOrphans(db, '', [key])],
  ['for a route', (db) => claimRoutes(db, '', [], 1)],
])('recovery finds sessions %s by their whole key', async (_, run) => {
  const text = await textOf(run);
  expect(await indexesOn('verify_session', text)).toEqual(['pkey']);
  expect(await planOf(text)).toMatch(wholeKey);
  expect(await planOf(text)).not.toMatch(/Seq Scan/);
});

test('what is still to be done is found by its shard, and what waits for a route by the route', async () => {
  const plan = await planOf(await textOf((db) => openSessionsOf(db, '', 0, 1)));
  for (const table of ['pending_number', 'unsettled'])
    expect(plan).toMatch(new RegExp(`${table}_pkey.*\\n +Index Cond: \\(\\(shard >= `));
  const queued = await planOf(await textOf((db) => claimRoutes(db, '', [], 1)));
  expect(queued).toMatch(/using route_queue_pkey.*\n +Index Cond: \(route = /);
});

const wholeKey = /Index Cond: \(\((?:account_id|session_id) = .*\) AND \(id >?= .*\)\)/;
const sent = { accountId: 'acct_1', sessionId: 'vrf_1', messageId: 'msg_1', submittedAt: 0, connectedAt: 0 };

test.each<[string, (db: Queryable) => Promise<unknown>]>([
  ['found, by SMS', (db) => findFirstSends(db, 'sms', 0, [sent])],
  ['found, by the own number', (db) => findFirstSends(db, 'app', 0, [sent])],
  ['compared, by SMS', (db) => earliestSent(db, [sent])],
  ['compared, by the own number', (db) => firstSendsSince(db, [sent])],
  ['marked', (db) => markFirstSms(db, [sent])],
])('first sends are %s: no row is read by its account alone', async (_, run) => {
  const plan = await planOf(await textOf(run));
  expect(plan).toMatch(wholeKey);
  expect(plan).not.toMatch(/Seq Scan|Index Cond: \(account_id = [^)]*\)\n/);
});
