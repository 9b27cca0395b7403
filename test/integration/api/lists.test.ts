// Allow and block lists through the waist on a real database: who sees them, what is stored of a number, and what sends meet.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { numberHash } from '../../../src/core/limits/lists.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { withNextAsCurrent, withNextKey } from '../../../src/core/secrets/ring-text.ts';
import { findLists } from '../../../src/db/limits/lists.ts';
import { Accounts } from '../../../src/engine/accounts/accounts.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { LimitListService } from '../../../src/gen/ramz/v1/limit_list_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { ring, startProcess } from './accounts.ts';
import { newNumber, refusalOf, startProcess as startVerify } from './verify-service.ts';

const { createListEntry, listListEntries, deleteListEntry } = LimitListService.method;
const database = await testDatabase();
const api = await startProcess(database);
const actor = { kind: 'system', id: 'cli', name: 'test', address: '', requestId: '' } as const;

test('an entry is shown by its prefix or its masked number, to its own account and mode', async () => {
  const account = await api.newAccount();
  const add = async (value: string, list = 'block') =>
    (await api.call(account.live, createListEntry, { list, value, note: 'n' })).entry;
  const number = await add('+213 551 23 45 67');
  expect(number).toMatchObject({ list: 'block', value: '+2135*****67', note: 'n', createdBy: account.liveId });
  expect(await add('+213551*', 'allow')).toMatchObject({ list: 'allow', value: '+213551*' });
  expect((await add('+213551234567'))?.id).toBe(number?.id);
  const values = async (token: string, list = '') =>
    (await api.call(token, listListEntries, { list })).entries.map(({ value }) => value);
  expect(await values(account.live)).toEqual(['+213551*', '+2135*****67']);
  expect(await values(account.live, 'allow')).toEqual(['+213551*']);
  expect(await values(account.test)).toEqual([]);
  const page = await api.call(account.live, listListEntries, { pageSize: 1 });
  const next = await api.call(account.live, listListEntries, { pageSize: 1, pageToken: page.nextPageToken });
  expect(next.entries.map(({ value }) => value)).toEqual(['+2135*****67']);
  const id = number?.id ?? '';
  expect(await api.refused(account.test, deleteListEntry, { id })).toMatchObject({ code: 'list_entry_not_found' });
  await api.call(account.live, deleteListEntry, { id });
  expect(await api.refused(account.live, deleteListEntry, { id })).toMatchObject({ code: 'list_entry_not_found' });
  expect(await values(account.live)).toEqual(['+213551*']);
});

test('of a number only its keyed hash and its masked form are stored', async () => {
  const account = await api.newAccount();
  await api.call(account.live, createListEntry, { list: 'block', value: '+213551777888' });
  const { rows } = await sql<{ text: string }>`select to_jsonb(t)::text as text from limit_entry t
    union all select to_jsonb(t)::text from audit_event t`.execute(database.db);
  for (const { text } of rows) expect(text).not.toContain('551777888');
  const { block } = await findLists(api.db, { accountId: account.id, mode: 'live' });
  const { id, key } = ring.current('lists');
  expect(block.numbers.get(id)).toEqual(new Set([numberHash(key, '+213551777888').toString('hex')]));
});

test('the audit log says that an entry has a note, and not what is in it', async () => {
  const account = await api.newAccount();
  const entry = { list: 'block', value: '+213551777889', note: 'asked by phone (0551 77 78 89) for no codes' };
  const { entry: made } = await api.call(account.live, createListEntry, entry);
  expect(made).toMatchObject({ value: '+2135*****89', note: entry.note });
  await api.call(account.live, deleteListEntry, { id: made?.id ?? '' });
  const { rows } = await sql<{ before: object; after: object }>`select before, after from audit_event
    where target = ${made?.id} order by id`.execute(database.db);
  const shown = { list: 'block', value: '+2135*****89', note: '*****' };
  expect(rows).toEqual([
    { before: {}, after: shown },
    { before: shown, after: {} },
  ]);
});

const neither = ['', '+', '*', '+*', '+0*', '213551*', '+213551**', '+21*3551', '+12', '0551234567', '+213551234567*8'];
// A whole number as a prefix would be stored in clear.
test.each([...neither, '+213551234567*'])('%j is neither a number nor a prefix', async (value) => {
  const account = await api.newAccount();
  expect(await api.refused(account.live, createListEntry, { list: 'block', value })).toEqual({
    code: 'invalid_argument',
    field: 'value',
  });
});

test('a number that was listed before the rotation of the key stands on the list once', async () => {
  const account = await api.newAccount();
  const owner = { accountId: account.id, mode: 'live' } as const;
  const first = newKeyRing(randomBytes);
  const rotated = withNextAsCurrent(withNextKey(first, 'lists', randomBytes).json, 'lists');
  const value = newNumber();
  const under = (json: string) => {
    const parsed = parseKeyRing(json);
    if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
    const { lists } = new Accounts({ ...api.tools, ring: parsed.ring });
    return lists.add(owner, { list: 'block', value, note: '', actor });
  };
  const before = await under(first);
  expect(before.kind).toBe('listed');
  expect(await under(rotated)).toEqual(before);
  expect(await under(first)).toEqual(before);
  expect(await api.tools.accounts.lists.list(owner, { list: null, limit: 10, before: null })).toHaveLength(1);
});

test('an account has 1,000 entries at most', async () => {
  const account = await api.newAccount();
  await sql`insert into limit_entry (id, account_id, mode, list, prefix, created_at, created_by)
    select 'lst_' || n, ${account.id}, 'live', 'block', '+1' || n, now(), '' from generate_series(1, 999) n`.execute(
    database.db,
  );
  const add = (value: string) => ({ list: 'block', value });
  await api.call(account.live, createListEntry, add('+2131*'));
  expect(await api.refused(account.live, createListEntry, add('+2132*'))).toMatchObject({ code: 'too_many_resources' });
  await api.call(account.live, createListEntry, add('+2131*'));
});

test('a ring without its key takes prefixes only', async () => {
  const { lists: _, ...older } = JSON.parse(newKeyRing((size) => Buffer.alloc(size, 7)));
  const parsed = parseKeyRing(JSON.stringify(older));
  expect(parsed.kind).toBe('ok');
  expect(parsed.kind === 'ok' && parsed.ring.has('lists')).toBe(false);
});

test('blocked sends are refused in live and in test mode, and the platform answers as the account does', async () => {
  const views = new AccountViews(createAccountSource(api.db));
  const verify = await startVerify(database, { accounts: views, ring });
  const [mine, theirs] = [await api.newAccount(), await api.newAccount()];
  const live = (account: { id: string }) => ({ accountId: account.id, mode: 'live' }) as const;
  const [number, other] = [newNumber(), newNumber()];
  const send = (account: { id: string }, to: string) => verify.send(live(account), { to });
  await api.call(mine.live, createListEntry, { list: 'block', value: number });
  await api.tools.accounts.lists.add(null, { list: 'block', value: other, note: '', actor });
  views.clear();
  const own = await refusalOf(send(mine, number));
  expect(own).toMatchObject({ code: 'destination_not_allowed', field: 'to', metadata: { rule: 'block_list' } });
  expect(await refusalOf(send(mine, other))).toEqual(own);
  expect(await refusalOf(send(theirs, other))).toEqual(own);
  await send(theirs, number);
  // An allow list opens nothing that is blocked.
  await api.call(mine.live, createListEntry, { list: 'allow', value: '+213*' });
  views.clear();
  expect(await refusalOf(send(mine, number))).toEqual(own);
});

test('numbers that are allowed are not counted for their end user', async () => {
  const views = new AccountViews(createAccountSource(api.db));
  const one = { sendsPerHour: 1, sendsPerDay: 1 };
  const verify = await startVerify(database, {
    accounts: views,
    ring,
    clientLimits: { ip: one, device: one, userAgent: one },
  });
  const account = await api.newAccount();
  const caller = { accountId: account.id, mode: 'live' } as const;
  const client = { deviceId: 'd' };
  await verify.send(caller, { to: newNumber(), client });
  expect(await refusalOf(verify.send(caller, { to: newNumber(), client }))).toMatchObject({
    code: 'client_rate_limited',
  });
  const number = newNumber();
  await api.call(account.live, createListEntry, { list: 'allow', value: number });
  views.clear();
  await verify.send(caller, { to: number, client });
});
