// Lists of an account with very many rows: each page looks at a bounded number of them, whatever is filtered for, and the list goes on where
// a page stopped looking.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idSource, isId, lowestId } from '../../../src/core/ids.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import type { Reads } from '../../../src/db/queryable.ts';
import { type ListPage, listSessions, rowsPerPage, type SessionFilter } from '../../../src/db/verify/list.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { listDeliveries } from '../../../src/db/webhooks/deliveries.ts';
import { toOpenItem } from '../../../src/engine/sessions/change.ts';
import { testDatabase } from '../../support/database.ts';
import { everySession, request, Story } from '../../support/session.ts';

const database = await testDatabase();
const reads: Reads = database.lists;
const now = Date.now();
const sessions = 200_000;
const deliveries = 60_000;
const accountId = request.accountId;
const endpointId = 'whe_1';
const owner = { accountId, mode: 'live' as const };

/** The n-th id of this moment, in SQL: they sort as they are numbered. */
const idSql = (prefix: string) => `'${lowestId(prefix, now).slice(0, 18)}' || lpad(n::text, 12, '0')`;

const client = new pg.Client({ connectionString: database.url });
beforeAll(async () => {
  await client.connect();
  await ensurePartitions(database.db, now, 30);
  const ids = idSource({ now: () => now - 1_000, randomBytes });
  const { session } = new Story({ request: { ...request, id: ids('vrf_') } });
  const messages = session.messages.map((message) => ({ ...message, id: ids('msg_') }));
  const [opened] = await openSessions(database.lanes, [
    toOpenItem({ ...session, messages, version: 1 }, 'process/1', null),
  ]);
  expect(opened).toMatchObject({ kind: 'opened' });
  // Many like that one. Every 40,000th failed; three have a reference of their own, every tenth one it shares; one number in a hundred.
  const changed: Record<string, string> = {
    id: idSql('vrf_'),
    status: `case when n % 40000 = 7 then 'failed' else 'verified' end`,
    client_reference: `case when n % 66666 = 5 then 'order-1' when n % 10 = 0 then 'login' else '' end`,
    number: `'+21355' || lpad((n % 100)::text, 7, '0')`,
    next_at: 'null',
    holder: 'null',
  };
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = 'verify_session'::regclass and attnum > 0 and not attisdropped`,
  );
  const columns = rows.map(({ column }) => column);
  await client.query(`insert into verify_session (${columns.join(', ')})
    select ${columns.map((column) => changed[column] ?? `s.${column}`).join(', ')}
    from verify_session s, generate_series(1, ${sessions}) n where s.id = '${session.id}'`);
  await client.query(`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at)
    select '${accountId}', ${idSql('evt_')}, '${endpointId}', 'live', 'session.verified', '{}',
      case when n % 20000 = 3 then 'failed' else 'delivered' end, now() from generate_series(1, ${deliveries}) n`);
  await client.query('analyze verify_session, webhook_delivery');
}, 180_000);
afterAll(() => client.end());

/** Runs a list and says how many rows of the table its statements looked at. */
async function measured<Item>(table: string, list: (db: Reads) => Promise<Item>) {
  let looked = 0;
  const db: Reads = {
    async query<Row>(statement: { name: string; text: string; values: unknown[] }) {
      const explained = `explain (analyze, format json) ${statement.text}`;
      const { rows } = await database.lists.query(explained, statement.values);
      looked += rowsOf(rows[0]['QUERY PLAN'][0].Plan, table);
      return reads.query<Row>(statement);
    },
  };
  return { page: await list(db), looked };
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
function rowsOf(plan: Plan, table: string): number {
  const own = plan['Relation Name']?.startsWith(table)
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each, table), own);
}

async function all<Item>(pageAfter: (before: string | null) => Promise<ListPage<Item>>) {
  const items: Item[] = [];
  const sizes: number[] = [];
  let before: string | null = null;
  do {
    const page: ListPage<Item> = await pageAfter(before);
    items.push(...page.items);
    sizes.push(page.items.length);
    before = page.next;
  } while (before !== null && sizes.length < 1_000);
  return { items, sizes };
}

const anything: SessionFilter = { ...everySession(owner.accountId), mode: owner.mode };
/** The rows themselves, those that say where the next page begins, and those of the page. */
const most = 2 * rowsPerPage + 101;

describe('sessions', () => {
  test.each<[string, Partial<SessionFilter>]>([
    ['nothing', {}],
    ['a rare status', { status: 'failed' }],
    ['a status that none has', { status: 'canceled' }],
    ['the other mode', { mode: 'test' }],
    ['a number', { number: '+213550000042' }],
    ['a number that is nobody', { number: '+213559999999' }],
    ['a reference', { clientReference: 'order-1' }],
    ['a reference that very many share', { clientReference: 'login' }],
    ['a reference that none has', { clientReference: 'order-2' }],
    ['a shared reference and a rare status', { clientReference: 'login', status: 'failed' }],
    ['a purpose that none has', { purpose: 'payment' }],
    ['a delivery that none has', { delivery: 'exhausted' }],
    ['a number and a purpose', { number: '+213550000042', purpose: 'payment' }],
    ['a number and a reference', { number: '+213550000042', clientReference: 'order-1' }],
    ['a time in the past', { createdUntil: now - 3_600_000 }],
    ['a time that has not come', { createdFrom: now + 30_000 }],
  ])('filtered by %s: a page looks at a bounded number of rows', async (_, filter) => {
    for (let round = 0; round < 7; round += 1) {
      // After five rounds a prepared statement has its lasting plan.
      const list = (db: Reads) => listSessions(db, { ...anything, ...filter }, { limit: 100, before: null });
      const { looked } = await measured('verify_session', list);
      expect(looked).toBeLessThanOrEqual(most);
    }
  });

  test('a page without any goes on, and at the end each that matches was listed once', async () => {
    const failed = await all((before) => listSessions(reads, { ...anything, status: 'failed' }, { limit: 20, before }));
    expect(failed.items.map(({ session }) => Number(session.id.slice(-12)))).toEqual([
      160_007, 120_007, 80_007, 40_007, 7,
    ]);
    expect(failed.sizes.length).toBeGreaterThanOrEqual(sessions / rowsPerPage);
    expect(failed.sizes.filter((size) => size === 0).length).toBeGreaterThan(30);
  });

  test('where a page stopped looking is an id, as a page token wants it', async () => {
    const { items, next } = await listSessions(reads, { ...anything, status: 'canceled' }, { limit: 20, before: null });
    expect(items).toEqual([]);
    expect(isId('vrf_', next)).toBe(true);
    expect(Number(next?.slice(-12))).toBe(sessions - rowsPerPage + 1);
  });

  test('by a reference they are found at once, whatever else the account has', async () => {
    const page = await listSessions(reads, { ...anything, clientReference: 'order-1' }, { limit: 20, before: null });
    expect(page.items.map(({ session }) => Number(session.id.slice(-12)))).toEqual([133_337, 66_671, 5]);
    expect(page.next).toBeNull();
    const { looked } = await measured('verify_session', (db) =>
      listSessions(db, { ...anything, clientReference: 'order-1' }, { limit: 20, before: null }),
    );
    expect(looked).toBeLessThan(20);
  });
});

describe('deliveries', () => {
  test.each([[null], ['failed'], ['pending']])(
    'with status %s: a page looks at a bounded number of rows',
    async (status) => {
      for (let round = 0; round < 7; round += 1) {
        const list = (db: Reads) => listDeliveries(db, owner, endpointId, { limit: 100, before: null, status });
        const { looked } = await measured('webhook_delivery', list);
        expect(looked).toBeLessThanOrEqual(most);
      }
    },
  );

  test('the list goes on over pages without any', async () => {
    const failed = await all((before) =>
      listDeliveries(reads, owner, endpointId, { limit: 20, before, status: 'failed' }),
    );
    expect(failed.items.map(({ eventId }) => Number(eventId.slice(-12)))).toEqual([40_003, 20_003, 3]);
    expect(failed.sizes.length).toBeGreaterThanOrEqual(deliveries / rowsPerPage);
  });

  test('of another account or mode there are none', async () => {
    for (const stranger of [
      { ...owner, accountId: 'acct_2' },
      { ...owner, mode: 'test' as const },
    ]) {
      const { items } = await all((before) =>
        listDeliveries(reads, stranger, endpointId, { limit: 20, before, status: null }),
      );
      expect(items).toEqual([]);
    }
  });
});
