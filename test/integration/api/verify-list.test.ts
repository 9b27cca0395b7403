// ListSessions: order, pages and what they are bound to, filters.
import { create } from '@bufbuild/protobuf';
import { TimestampSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { lowestId, timeOf } from '../../../src/core/ids.ts';
import { rowsPerPage } from '../../../src/db/verify/list.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { newCaller, newNumber, refusalOf, startProcess } from './verify-service.ts';

const database = await testDatabase();
const ramz = await startProcess(database);

/** Sessions one after another, so that their order is known; their ids, newest first. */
async function sessions(count: number, caller = newCaller(), more = {}) {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id, createdAt } = await ramz.send(caller, { to: newNumber(), ...more });
    ids.unshift(id);
    const made = Number(createdAt!.seconds) * 1000 + createdAt!.nanos / 1e6;
    await until(() => Date.now() > made, { what: 'the next millisecond', everyMs: 1 });
  }
  return { caller, ids };
}
const idsOf = (page: { sessions: { id: string }[] }) => page.sessions.map(({ id }) => id);

test('newest first, page by page, each session once', async () => {
  const { caller, ids } = await sessions(7);
  const seen: string[] = [];
  let pageToken = '';
  let pages = 0;
  do {
    const page = await ramz.list(caller, { pageSize: 3, pageToken });
    seen.push(...idsOf(page));
    pageToken = page.nextPageToken;
    pages += 1;
  } while (pageToken && pages < 10);
  expect(seen).toEqual(ids);
  expect(pages).toBe(3);
  expect(await ramz.list(caller, { pageSize: 7 })).toMatchObject({ nextPageToken: '' });
});

test('what opens later does not move the pages that follow', async () => {
  const { caller, ids } = await sessions(4);
  const first = await ramz.list(caller, { pageSize: 2 });
  await sessions(1, caller);
  expect(idsOf(await ramz.list(caller, { pageSize: 2, pageToken: first.nextPageToken }))).toEqual(ids.slice(2));
});

test('20 on a page by default, 100 at most', async () => {
  const { caller } = await sessions(21);
  const page = await ramz.list(caller);
  expect(page.sessions).toHaveLength(20);
  expect(page.nextPageToken).not.toBe('');
  for (const pageSize of [0, 101, -1]) {
    expect(await refusalOf(ramz.list(caller, { pageSize }))).toMatchObject({
      code: 'invalid_argument',
      field: 'page_size',
    });
  }
});

test('a token is of one list, one account and one mode', async () => {
  const { caller } = await sessions(3);
  const { nextPageToken: pageToken } = await ramz.list(caller, { pageSize: 1 });
  const refused = { code: 'invalid_page_token', field: 'page_token', httpStatus: 400 };
  for (const [who, request] of [
    [caller, { pageToken, status: 'pending' }],
    [caller, { pageToken, purpose: 'login' }],
    [caller, { pageToken, clientReference: 'null' }],
    [caller, { pageToken, delivery: 'sending' }],
    [caller, { pageToken: `${pageToken}A` }],
    [caller, { pageToken: 'nonsense' }],
    [newCaller(), { pageToken }],
    [{ ...caller, mode: 'test' as const }, { pageToken }],
  ] as const) {
    expect(await refusalOf(ramz.list(who, request))).toMatchObject(refused);
  }
  expect((await ramz.list(caller, { pageToken, pageSize: 50 })).sessions).toHaveLength(2);
});

test('filters add up', async () => {
  const caller = newCaller();
  const { ids: mine } = await sessions(2, caller, { clientReference: 'order-7' });
  const { ids: others } = await sessions(2, caller);
  const canceled = mine[1] ?? '';
  await ramz.cancel(caller, canceled);
  const { to, createdAt } = await ramz.get(caller, mine[0] ?? '');

  expect(idsOf(await ramz.list(caller, { clientReference: 'order-7' }))).toEqual(mine);
  expect(idsOf(await ramz.list(caller, { status: 'canceled' }))).toEqual([canceled]);
  expect(idsOf(await ramz.list(caller, { status: 'canceled', clientReference: 'order-8' }))).toEqual([]);
  expect(idsOf(await ramz.list(caller, { to: to.replace('+213', '+213 ') }))).toEqual([mine[0]]);
  expect(await refusalOf(ramz.list(caller, { to: '0550' }))).toMatchObject({
    code: 'invalid_phone_number',
    field: 'to',
  });
  // At or after; before.
  expect(idsOf(await ramz.list(caller, { createdAfter: createdAt! }))).toEqual([...others, mine[0]]);
  expect(idsOf(await ramz.list(caller, { createdBefore: createdAt! }))).toEqual([mine[1]]);
  const justAfter = { ...createdAt!, nanos: createdAt!.nanos + 1 };
  expect(idsOf(await ramz.list(caller, { createdAfter: justAfter }))).toEqual(others);
});

test('purpose and delivery filter, alone and together', async () => {
  const caller = newCaller();
  const { ids: logins } = await sessions(2, caller, { purpose: 'login' });
  const { ids: payments } = await sessions(1, caller, { purpose: 'payment' });
  const { ids: others } = await sessions(1, caller);
  const delivered = logins[1] ?? '';
  const message = await until(() => ramz.sms?.sent.find(({ sessionId }) => sessionId === delivered), {
    what: 'the message',
  });
  await ramz.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  expect(idsOf(await ramz.list(caller, { purpose: 'login' }))).toEqual(logins);
  expect(idsOf(await ramz.list(caller, { delivery: 'delivered' }))).toEqual([delivered]);
  expect(idsOf(await ramz.list(caller, { delivery: 'sending' }))).toEqual([...others, ...payments, logins[0]]);
  expect(idsOf(await ramz.list(caller, { delivery: 'sending', purpose: 'login' }))).toEqual([logins[0]]);
  expect(idsOf(await ramz.list(caller, { purpose: 'Login' }))).toEqual([]);
  const unknown = { code: 'invalid_argument', field: 'delivery' };
  expect(await refusalOf(ramz.list(caller, { delivery: 'lost' }))).toMatchObject(unknown);
});

test('a page without any session goes on while there are more to look at', async () => {
  const { caller, ids } = await sessions(1);
  const [id = ''] = ids;
  const { rows } = await database.lanes.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = 'verify_session'::regclass and attnum > 0 and not attisdropped`,
  );
  const columns = rows.map(({ column }) => column);
  // A minute younger, and all of them over.
  const later = lowestId('vrf_', timeOf(id) + 60_000).slice(0, 18);
  const changed: Record<string, string> = {
    id: `'${later}' || lpad(n::text, 12, '0')`,
    status: `'verified'`,
    next_at: 'null',
  };
  await database.lanes.query(`insert into verify_session (${columns.join(', ')})
    select ${columns.map((column) => changed[column] ?? `s.${column}`).join(', ')}
    from verify_session s, generate_series(1, ${rowsPerPage + 10}) n where s.id = '${id}'`);
  const filter = { status: 'pending', pageSize: 5 };
  const first = await ramz.list(caller, filter);
  expect(first.sessions).toEqual([]);
  expect(first.nextPageToken).not.toBe('');
  const second = await ramz.list(caller, { ...filter, pageToken: first.nextPageToken });
  expect(idsOf(second)).toEqual([id]);
  expect(second.nextPageToken).toBe('');
});

test.each([
  ['after the year 1', { createdAfter: timestampFromMs(-62_135_596_800_000) }, 1],
  ['before the year 1', { createdBefore: timestampFromMs(-62_135_596_800_000) }, 0],
  ['after the year 9999', { createdAfter: timestampFromMs(253_402_300_799_000) }, 0],
  ['before the end of time', { createdBefore: create(TimestampSchema, { seconds: 2n ** 62n }) }, 1],
])('times far away: %s', async (_, filter, expected) => {
  const { caller } = await sessions(1);
  expect((await ramz.list(caller, filter)).sessions).toHaveLength(expected);
});

test('a listed session has its costs, but neither messages nor timeline', async () => {
  const { caller, ids } = await sessions(1);
  const taken = async () => (await ramz.get(caller, ids[0] ?? '')).messages[0]?.status === 'submitted';
  await until(taken, { what: 'the carrier to take the message' });
  const [listed] = (await ramz.list(caller)).sessions;
  const whole = await ramz.get(caller, ids[0] ?? '');
  expect(whole.messages).toHaveLength(1);
  const { messages: _, timeline: __, $typeName: ___, ...plain } = whole;
  expect(listed).toEqual({ $typeName: 'ramz.v1.SessionSummary', ...plain });
  expect(listed?.totalCost).toMatchObject([{ amount: '2.50', currency: 'DZD' }]);
});

test('a national number is refused with the form that it would have, and one that lost its plus sign with how to write it', async () => {
  const home = await startProcess(database, { settings: { service: { homeCountry: 'DZ' } } });
  const caller = newCaller();
  const told = async (call: Promise<unknown>) => (await refusalOf(call)).message;
  const meant = /plus sign, country code, subscriber number, e\.g\. \+213551234567$/;
  expect(await told(home.send(caller, { to: '0551234567' }))).toMatch(meant);
  expect(await told(home.check(caller, { to: '0551234567', code: '123456' }))).toMatch(meant);
  expect(await told(home.list(caller, { to: '0551234567' }))).toMatch(meant);
  expect(await told(home.list(caller, { to: ' 213551234567' }))).toMatch(/in a query a plus sign is written %2B$/);
});
