// The audit log as accounts and administrators read it: whose changes each of them sees, by filter and page, and for how long.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { audit } from '../../../src/db/accounts/audit.ts';
import { forgetAuditEvents, listAuditEvents } from '../../../src/db/accounts/audit-list.ts';
import { resumeAccount as resume } from '../../../src/db/accounts/control.ts';
import { inTransaction } from '../../../src/db/changes.ts';
import { rowsPerPage } from '../../../src/db/verify/list.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { AuditService } from '../../../src/gen/ramz/v1/audit_pb.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { listAuditEvents: listOwn } = AuditService.method;
const { listAdminAuditEvents, suspendAccount, resumeAccount, updateAccountLimits } = AdminService.method;
const { updateAccount } = AccountService.method;
const { createApiKey } = ApiKeyService.method;
const database = await testDatabase();
const api = await startProcess(database);
const dayMs = 86_400_000;

const cli = { kind: 'administrator', id: 'cli', requestId: '' } as const;

const actions = (events: readonly { action: string }[]) => events.map(({ action }) => action);
const own = async (token: string, filter: object = {}) => (await api.call(token, listOwn, filter)).auditEvents;
const everything = async (filter: object = {}) =>
  (await api.call(adminToken, listAdminAuditEvents, filter)).auditEvents;

describe('an account', () => {
  test('sees what its keys and what administrators did, with before and after', async () => {
    const { id, live, liveId } = await api.newAccount();
    await api.call(live, updateAccount, { language: 'en', inCountryOnly: true });
    await api.call(adminToken, suspendAccount, { id, reason: 'a key was stolen' });
    await api.call(adminToken, resumeAccount, { id });
    const events = await own(live);
    expect(actions(events)).toEqual([
      'resume_account',
      'suspend_account',
      'update_account',
      ...actions(events).slice(3),
    ]);
    expect(actions(events).slice(3).sort()).toEqual(['create_account', 'create_api_key', 'create_api_key']);
    expect(events[2]).toMatchObject({ accountId: id, target: id, test: false, address: '127.0.0.1' });
    expect(events[2]?.actor).toMatchObject({ kind: 'key', id: liveId, name: 'first live key' });
    expect(events[2]?.changes).toMatchObject([
      { field: 'in_country_only', before: 'false', after: 'true' },
      { field: 'language', before: 'ar', after: 'en' },
    ]);
    expect(events[1]?.actor).toMatchObject({ kind: 'administrator', id: 'bootstrap', name: 'RAMZ_ADMIN_TOKEN' });
    expect(events[1]?.changes.map(({ field }) => field)).toEqual(['suspended_at']);
    expect(JSON.stringify(events.map(({ changes }) => changes))).not.toContain('stolen');
    const [resumed, suspended] = await everything({ target: id });
    const reason = { field: 'suspended_reason', after: 'a key was stolen' };
    expect(suspended?.changes).toContainEqual(expect.objectContaining(reason));
    expect(resumed?.changes).toContainEqual(
      expect.objectContaining({ ...reason, before: reason.after, after: 'null' }),
    );
  });

  test('does not see from where administrators act, nor who has a login on their machines', async () => {
    const { id, live } = await api.newAccount();
    await api.call(adminToken, suspendAccount, { id });
    await resume(api.db, { id, now: new Date(api.now()), actor: { ...cli, name: 'root', address: 'db-1.internal' } });
    api.authenticator.clear();
    const [resumed, suspended] = await own(live);
    expect(suspended).toMatchObject({ actor: { kind: 'administrator', name: 'RAMZ_ADMIN_TOKEN' }, address: '' });
    expect(resumed).toMatchObject({ actor: { kind: 'administrator', id: 'cli', name: '' }, address: '' });
    const [all] = await everything({ target: id, action: 'resume_account' });
    expect(all).toMatchObject({ actor: { id: 'cli', name: 'root' }, address: 'db-1.internal' });
  });

  test('sees nothing of another, and with a test key nothing but test mode', async () => {
    const [one, other] = [await api.newAccount(), await api.newAccount()];
    await api.call(one.test, createApiKey, { name: 'of test mode' });
    expect(new Set((await own(one.live)).map(({ accountId }) => accountId))).toEqual(new Set([one.id]));
    expect(new Set((await own(one.test)).map((event) => event.test))).toEqual(new Set([true]));
    expect(await own(other.live, { target: one.id })).toEqual([]);
    const { nextPageToken } = await api.call(one.live, listOwn, { pageSize: 1 });
    expect(await api.refused(other.live, listOwn, { pageToken: nextPageToken })).toMatchObject({
      code: 'invalid_page_token',
    });
    const reader = await api.call(one.live, createApiKey, { name: 'r', scopes: ['read'] });
    expect(await api.refused(reader.apiKey?.key ?? '', listOwn)).toMatchObject({ code: 'missing_scope' });
  });
});

describe('an administrator', () => {
  test('sees everything, by account, actor, action, target and time, page by page', async () => {
    const { id, live, liveId } = await api.newAccount();
    for (const sendsPerSecond of [5, 6, 7]) await api.call(adminToken, updateAccountLimits, { id, sendsPerSecond });
    await api.call(live, updateAccount, { name: 'Renamed' });
    expect(actions(await everything({ accountId: id, action: 'update_account_limits' }))).toHaveLength(3);
    expect(actions(await everything({ actorId: liveId }))).toEqual(['update_account']);
    expect(await everything({ target: id, createdAfter: timestampFromMs(api.now() + 1_000) })).toEqual([]);
    expect(await everything({ target: id, createdBefore: timestampFromMs(api.now() - 60_000) })).toEqual([]);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await api.call(adminToken, listAdminAuditEvents, { accountId: id, pageSize: 2, pageToken });
      seen.push(...page.auditEvents.map((event) => event.id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual((await everything({ accountId: id, pageSize: 100 })).map((event) => event.id));
    expect(new Set(seen).size).toBe(7);
  });

  test('limits: what is omitted stays, 0 goes back to the deployment’s', async () => {
    const { id } = await api.newAccount();
    const change = async (limits: object) =>
      (await api.call(adminToken, updateAccountLimits, { id, ...limits })).account?.limits;
    expect(await change({ sendsPerSecond: 5, unlimitedNumbers: true })).toMatchObject({
      sendsPerSecond: 5,
      unlimitedNumbers: true,
    });
    expect(await change({ sendsPerNumberPerDay: 9, clientIpSendsPerDay: 7 })).toMatchObject({
      sendsPerSecond: 5,
      sendsPerNumberPerDay: 9,
      clientIpSendsPerDay: 7,
    });
    const after = await change({ sendsPerSecond: 0, unlimitedNumbers: false });
    expect(after).toMatchObject({ unlimitedNumbers: false, sendsPerNumberPerDay: 9, clientIpSendsPerDay: 7 });
    expect(after?.sendsPerSecond).toBeUndefined();
  });
});

test('a page examines a bounded number of rows, and the next goes on from there', async () => {
  const { db } = await testDatabase();
  await sql`insert into audit_event (id, at, account_id, action, target, actor_kind, actor_id, actor_name, address, request_id, before, after)
    select 'aud_' || lpad(n::text, 26, '0'), now(), 'acct_1', case when n = 1 then 'rare' else 'often' end, 'x', 'system', '', '', '', '', '{}', '{}'
    from generate_series(1, ${rowsPerPage + 10}::integer) n`.execute(db);
  const filter = { mode: null, actorId: null, target: null, since: null, until: null };
  const look = (before: string | null) =>
    listAuditEvents(db as never, { ...filter, accountId: 'acct_1', action: 'rare' }, { limit: 5, before });
  const first = await look(null);
  expect(first.items).toEqual([]);
  expect(first.next).not.toBeNull();
  const second = await look(first.next);
  expect(second).toMatchObject({ items: [{ action: 'rare' }], next: null });
});

test('old rows are forgotten, those of the last 90 days whatever is asked', async () => {
  const { db } = api;
  const ages = [10, 80, 95, 500];
  const write = (days: number) =>
    inTransaction(db, (tx) => {
      const at = new Date(Date.now() - days * dayMs);
      return audit(tx, { at, actor: tester, action: 'aged', target: `${days}`, accountId: null });
    });
  for (const days of ages) await write(days);
  const left = async () => {
    const rows = await db.selectFrom('audit_event').select('target').where('action', '=', 'aged').execute();
    return rows.map(({ target }) => Number(target)).sort((one, other) => one - other);
  };
  await forgetAuditEvents(database.plain, Date.now() - 400 * dayMs);
  expect(await left()).toEqual([10, 80, 95]);
  await forgetAuditEvents(database.plain, Date.now());
  expect(await left()).toEqual([10, 80]);
});

test('what may be a number is masked where people write as they like; amounts, addresses and times stay', async () => {
  const at = new Date();
  const kept = {
    prefixes: ['+2135512'],
    addresses: ['203.0.113.128/25'],
    spend_per_day: '1000000.00',
    expires_at: '2026-03-01T10:15:30.120Z',
  };
  const after = {
    ...kept,
    name: 'Phone of 0551 77 78 88',
    suspended_reason: '٠٥٥١٧٧٧٨٨٨ called',
    url: 'https://a/+213551777888',
  };
  await inTransaction(database.db, (tx) =>
    audit(tx, { at, actor: tester, action: 'written', target: 'here', accountId: null, after }),
  );
  const { rows } = await sql<{ after: object }>`select after from audit_event where action = 'written'`.execute(
    database.db,
  );
  expect(rows[0]?.after).toEqual({
    ...kept,
    name: 'Phone of *****',
    suspended_reason: '***** called',
    url: 'https://a/+2135*****88',
  });
});

test('a number in the name of a key, or of the person who uses it, is in no row', async () => {
  const { live } = await api.newAccount();
  const names = { name: 'desk 0551 66 77 88', person: 'Amina 0551 66 77 88', scopes: ['manage' as const] };
  const made = await api.call(live, createApiKey, names);
  await api.call(made.apiKey?.key ?? '', updateAccount, { language: 'en' });
  const { rows } = await sql<{ row: string }>`select e::text as row from audit_event e
    where actor_id = ${made.apiKey?.id ?? ''} or target = ${made.apiKey?.id ?? ''}`.execute(database.db);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/66 ?77 ?88/);
});
