// Accounts as administrators find and control them, through the waist on a real database.
import { toJsonString } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService, type ListAccountsRequest } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { listAccounts, findAccount, approveAccount, suspendAccount, resumeAccount } = AdminService.method;
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
