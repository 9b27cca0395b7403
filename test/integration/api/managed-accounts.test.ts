// Accounts as administrators find and control them, through the waist on a real database.
import { toJsonString } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService, type ListAccountsRequest } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { AuditService } from '../../../src/gen/ramz/v1/audit_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const {
  listAccounts,
  findAccount,
  approveAccount,
  suspendAccount,
  resumeAccount,
  closeAccount,
  reopenAccount,
  unlockNumber,
  revokeAllAccountKeys,
  listAdminAuditEvents,
} = AdminService.method;
const { createAccount, getAccount } = AccountService.method;
const database = await testDatabase();
const api = await startProcess(database, { hasAdminToken: true, openRegistration: true });

async function account(name: string, token = adminToken) {
  const { account: made, liveKey, testKey } = await api.call(token, createAccount, { name });
  if (!made || !liveKey || !testKey) throw new Error('no account');
  return { id: made.id, live: liveKey.key, test: testKey.key };
}

async function all(request: Partial<Pick<ListAccountsRequest, 'search' | 'status'>>, pageSize = 100) {
  const found: string[] = [];
  let pageToken = '';
  do {
    const page = await api.call(adminToken, listAccounts, { ...request, pageSize, pageToken });
    expect(page.accounts.length).toBeLessThanOrEqual(pageSize);
    found.push(...page.accounts.map(({ name }) => name));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
}

test('found by name, by the beginning of the id, and by status; newest first', async () => {
  const first = await account('Alpha shop');
  await account('Beta 100%');
  await account('Gamma SHOP');
  await account('delta_shop', '');
  expect(await all({ search: 'shop' }, 1)).toEqual(['delta_shop', 'Gamma SHOP', 'Alpha shop']);
  expect(await all({ search: first.id })).toEqual(['Alpha shop']);
  expect(await all({ search: '%' })).toEqual(['Beta 100%']);
  expect(await all({ search: 'a_s' })).toEqual(['delta_shop']);
  expect(await all({ status: 'waiting' })).toEqual(['delta_shop']);
  expect(await all({ search: 'shop', status: 'active' })).toEqual(['Gamma SHOP', 'Alpha shop']);
  const { nextPageToken } = await api.call(adminToken, listAccounts, { search: 'shop', pageSize: 1 });
  expect(await api.refused(adminToken, listAccounts, { search: 'other', pageToken: nextPageToken })).toMatchObject({
    code: 'invalid_page_token',
  });
});

test('one that waits has its live key refused until it is approved; its test key works', async () => {
  const { id, live, test: own } = await account('Waiting', '');
  expect(await api.refused(live, getAccount, {})).toMatchObject({ code: 'account_not_approved' });
  await api.call(own, getAccount);
  expect((await api.call(adminToken, approveAccount, { id })).account).toMatchObject({ status: 'active' });
  await api.call(live, getAccount);
});

test('suspended and resumed, with a reason that the account does not see', async () => {
  const { id, live } = await account('Suspended');
  const { account: suspended } = await api.call(adminToken, suspendAccount, { id, reason: 'a stolen key' });
  expect(suspended).toMatchObject({ status: 'suspended', suspendedReason: 'a stolen key' });
  expect(await api.refused(live, getAccount, {})).toMatchObject({ code: 'account_suspended' });
  // Without a reason the one before stays.
  expect((await api.call(adminToken, suspendAccount, { id })).account?.suspendedReason).toBe('a stolen key');
  expect(await all({ status: 'suspended' })).toEqual(['Suspended']);
  expect((await api.call(adminToken, resumeAccount, { id })).account).toMatchObject({ status: 'active', limits: {} });
  expect(toJsonString(getAccount.output, await api.call(live, getAccount))).not.toContain('stolen');
  const { account: found } = await api.call(adminToken, findAccount, { id });
  expect(found?.suspendedAt).toBeUndefined();
});

test('closed and reopened as it was before, with a reason that the account does not see', async () => {
  const { id, live, test: own } = await account('Closing');
  const { account: closed } = await api.call(adminToken, closeAccount, { id, reason: 'contract ended' });
  expect(closed).toMatchObject({ status: 'closed', closedReason: 'contract ended' });
  const [at, purgeAt] = [closed?.closedAt?.seconds ?? 0n, closed?.purgeAt?.seconds ?? 0n];
  expect(purgeAt - at).toBe(30n * 86_400n);
  for (const key of [live, own])
    expect(await api.refused(key, getAccount, {})).toMatchObject({ code: 'account_closed' });
  for (const method of [suspendAccount, resumeAccount])
    expect(await api.refused(adminToken, method, { id })).toMatchObject({ code: 'account_closed', field: 'id' });
  // Closing again changes nothing, and without a reason the one before stays.
  expect((await api.call(adminToken, closeAccount, { id })).account).toEqual(closed);
  expect(await all({ status: 'closed' })).toEqual(['Closing']);
  expect(await all({ status: 'suspended' })).toEqual([]);
  const { account: reopened } = await api.call(adminToken, reopenAccount, { id });
  expect(reopened).toMatchObject({ status: 'active', closedReason: '', suspendedReason: '' });
  expect([reopened?.closedAt, reopened?.suspendedAt, reopened?.purgeAt]).toEqual([undefined, undefined, undefined]);
  expect((await api.call(adminToken, reopenAccount, { id })).account).toEqual(reopened);

  const log = await api.call(live, AuditService.method.listAuditEvents, { target: id });
  const [reopening, again, first] = log.auditEvents;
  expect([reopening, again, first].map((event) => event?.action)).toEqual([
    'reopen_account',
    'close_account',
    'close_account',
  ]);
  expect(first?.changes.map(({ field }) => field)).toEqual(['closed_at', 'suspended_at']);
});

test('one that was suspended before it was closed is suspended again', async () => {
  const { id, live } = await account('Suspended and closed');
  await api.call(adminToken, suspendAccount, { id, reason: 'a stolen key' });
  await api.call(adminToken, closeAccount, { id });
  const { account: reopened } = await api.call(adminToken, reopenAccount, { id });
  expect(reopened).toMatchObject({ status: 'suspended', suspendedReason: 'a stolen key' });
  expect(await api.refused(live, getAccount, {})).toMatchObject({ code: 'account_suspended' });
  await api.call(adminToken, resumeAccount, { id });
  await api.call(live, getAccount);
});

test('a number is unlocked; with a cell away that is unavailable, and asked once more it forgets what is left', async () => {
  const { db: away } = createDatabase<Schema>('postgres://127.0.0.1:1/away');
  let isAway = false;
  const process = await startProcess(database, { hasAdminToken: true, cell: () => (isAway ? away : api.db) });
  const { id } = await account('Locked');
  const to = '+213551234567';
  const lock = (mode: string) =>
    sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${id}, ${mode}, ${to}, 10, 100, true, now())`.execute(database.db);
  await lock('live');
  await lock('test');
  const unlock = (request: object = {}) => process.call(adminToken, unlockNumber, { id, to, ...request });
  expect((await unlock({ test: true })).unlocked).toMatchObject([{ test: true, failuresInRow: 100 }]);
  isAway = true;
  expect(await process.refused(adminToken, unlockNumber, { id, to })).toMatchObject({ code: 'unavailable' });
  isAway = false;
  expect((await unlock()).unlocked).toMatchObject([{ test: false, failuresInRow: 100 }]);
  expect((await unlock()).unlocked).toEqual([]);
});

test('all keys are revoked; asked once more it lists none, and the audit log has them', async () => {
  const { id } = await account('Leaked');
  const { apiKeys } = await api.call(adminToken, revokeAllAccountKeys, { id });
  expect(apiKeys.map(({ test }) => test).sort()).toEqual([false, true]);
  expect((await api.call(adminToken, revokeAllAccountKeys, { id })).apiKeys).toEqual([]);
  const { auditEvents } = await api.call(adminToken, listAdminAuditEvents, { accountId: id });
  const revoked = auditEvents.filter(({ action }) => action === 'revoke_api_key').map(({ target }) => target);
  expect(revoked.sort()).toEqual(apiKeys.map((key) => key.id).sort());
});
