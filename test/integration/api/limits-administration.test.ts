// Limits of accounts as administrators change them, the stops of all accounts, and the lists for all accounts: through the waist on a real
// database.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { findLists } from '../../../src/db/limits/lists.ts';
import { insertStop } from '../../../src/db/limits/stops.ts';
import { AdminService, type UpdateAccountLimitsRequestSchema } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { LimitListService } from '../../../src/gen/ramz/v1/limit_list_pb.ts';
import { LimitsService } from '../../../src/gen/ramz/v1/limits_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { updateAccountLimits, findAccount, listAdminAuditEvents } = AdminService.method;
const { listAccountStops, liftAccountStop } = AdminService.method;
const { createPlatformEntry, listPlatformEntries, deletePlatformEntry } = AdminService.method;
const { listStops } = LimitsService.method;
const { createListEntry, listListEntries } = LimitListService.method;
const database = await testDatabase();
const api = await startProcess(database, { hasAdminToken: true });

type Change = MessageInitShape<typeof UpdateAccountLimitsRequestSchema>;
const changer = async () => {
  const { id } = await api.newAccount();
  const change = async (limits: Change) =>
    (await api.call(adminToken, updateAccountLimits, { id, ...limits } as Change)).account?.limits;
  const refused = (limits: Change) => api.refused(adminToken, updateAccountLimits, { id, ...limits } as Change);
  const stored = async () =>
    (await api.db.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow()).limits;
  return { id, change, refused, stored };
};

test('rules are replaced as a whole, and named by their own words', async () => {
  const { change, refused, stored } = await changer();
  expect((await change({ ruleModes: { client_limit: 'monitor', budget: 'off' } }))?.ruleModes).toEqual({
    client_limit: 'monitor',
    budget: 'off',
  });
  // What is not named stays.
  expect((await change({ sendsPerSecond: 7 }))?.ruleModes).toEqual({ client_limit: 'monitor', budget: 'off' });
  expect((await change({ ruleModes: { block_list: 'monitor' } }))?.ruleModes).toEqual({ block_list: 'monitor' });
  const before = await stored();
  expect(await refused({ ruleModes: { block_list: 'off', captcha: 'off' } })).toEqual({
    code: 'invalid_argument',
    field: 'rule_modes.captcha',
  });
  expect(await refused({ ruleModes: { budget: 'on' } })).toEqual({
    code: 'invalid_argument',
    field: 'rule_modes.budget',
  });
  expect(await stored()).toEqual(before);
  expect((await change({ ruleModes: {}, updateMask: { paths: ['rule_modes'] } }))?.ruleModes).toEqual({});
  expect(await stored()).toEqual({ sends_per_second: 7 });
});

test('a budget is replaced as a whole; what it leaves out is the deployment’s', async () => {
  const { change, refused, stored } = await changer();
  const budget = {
    sendsPerDay: 0,
    spendPerHour: { DZD: '2500.50' },
    unlimited: ['spend_per_day', 'spend_per_hour:USD'],
  };
  expect((await change({ budget }))?.budget).toMatchObject({ ...budget, spendPerDay: {} });
  expect(await stored()).toEqual({
    budget: { sends_per_day: 0, spend_per_hour: { DZD: '2500.50', USD: null }, spend_per_day: null },
  });
  expect((await change({ sendsPerSecond: 9, updateMask: { paths: ['sends_per_second'] } }))?.budget).toMatchObject(
    budget,
  );
  expect((await change({ budget: { sendsPerHour: 1_000_000_000 } }))?.budget).toMatchObject({
    sendsPerHour: 1_000_000_000,
    spendPerHour: {},
    unlimited: [],
  });
  const before = await stored();
  for (const [wrong, field] of [
    [{ spendPerDay: { DZD: '1e3' } }, 'budget.spend_per_day.DZD'],
    [{ spendPerDay: { dinar: '1' } }, 'budget.spend_per_day.dinar'],
    [{ sendsPerDay: -1 }, 'budget.sends_per_day'],
    [{ unlimited: ['sends_per_week'] }, 'budget.unlimited[0]'],
    [{ sendsPerDay: 5, unlimited: ['sends_per_hour', 'sends_per_day'] }, 'budget.unlimited[1]'],
    [{ spendPerDay: { DZD: '5' }, unlimited: ['spend_per_day'] }, 'budget.unlimited[0]'],
  ] as const)
    expect(await refused({ budget: wrong as never }), field).toEqual({ code: 'invalid_argument', field });
  expect(await stored()).toEqual(before);
  // Emptied by the mask alone.
  expect((await change({ updateMask: { paths: ['budget'] } }))?.budget).toBeUndefined();
  expect(await stored()).toEqual({ sends_per_second: 9 });
});

test('an account without any budget is shown as one that no budget limits, and can be made so', async () => {
  const { id, change, stored } = await changer();
  const limits = JSON.stringify({ budget: 'none' });
  await api.db.updateTable('account').set({ limits }).where('id', '=', id).execute();
  const unlimited = ['sends_per_hour', 'sends_per_day', 'spend_per_hour', 'spend_per_day'];
  const { account } = await api.call(adminToken, findAccount, { id });
  expect(account?.limits?.budget).toMatchObject({ spendPerHour: {}, spendPerDay: {}, unlimited });
  await change({ budget: { unlimited } });
  const none = { sends_per_hour: null, sends_per_day: null, spend_per_hour: null, spend_per_day: null };
  expect(await stored()).toEqual({ budget: none });
});

test('the audit log has each field before and after', async () => {
  const { id, change } = await changer();
  await change({ ruleModes: { client_limit: 'monitor' } });
  await change({ budget: { sendsPerDay: 9 } });
  const { auditEvents } = await api.call(adminToken, listAdminAuditEvents, {
    accountId: id,
    action: 'update_account_limits',
  });
  expect(auditEvents[0]?.changes).toMatchObject([{ field: 'budget', after: '{"sends_per_day":9}' }]);
});

const stopped = async (accountId: string, id: string, now = Date.now()) => {
  const stop = { rule: 'sequential_numbers', reason: 'adjacent', sent: 40, verified: 0, enforced: true } as const;
  await api.db.transaction().execute((tx) => insertStop(tx, { ...stop, id, accountId, prefix: '+2135512', now }, []));
};

test('stops of all accounts are listed and lifted; their accounts see the operator of the service', async () => {
  const [one, other] = [await api.newAccount(), await api.newAccount()];
  const [old, first, second] = [7, 7, 7].map((shard) => api.ids('stop_', shard)).sort() as [string, string, string];
  await stopped(one.id, old, Date.now() - 7_200_000);
  await stopped(one.id, first);
  await stopped(other.id, second);
  const all = async (request: object = {}) => {
    const { stops } = await api.call(adminToken, listAccountStops, request);
    return stops.map(({ accountId, stop }) => [accountId, stop?.id]);
  };
  expect(await all()).toEqual([
    [other.id, second],
    [one.id, first],
    [one.id, old],
  ]);
  expect(await all({ active: true, accountId: one.id })).toEqual([[one.id, first]]);
  const page = await api.call(adminToken, listAccountStops, { pageSize: 1, active: true });
  const next = { pageSize: 1, active: true, pageToken: page.nextPageToken };
  expect(await all(next)).toEqual([[one.id, first]]);
  expect(await api.refused(adminToken, listAccountStops, { ...next, active: false })).toMatchObject({
    code: 'invalid_page_token',
  });
  expect(await api.refused(one.live, listAccountStops, {})).toMatchObject({ code: 'invalid_admin_token' });

  const lifted = (await api.call(adminToken, liftAccountStop, { id: first })).stop;
  expect(lifted).toMatchObject({ accountId: one.id, stop: { id: first, liftedBy: 'bootstrap' } });
  expect(lifted?.stop?.liftedAt).toBeDefined();
  // Lifting again has no effect.
  expect((await api.call(adminToken, liftAccountStop, { id: first })).stop).toEqual(lifted);
  expect(await all({ active: true })).toEqual([[other.id, second]]);
  const { auditEvents } = await api.call(adminToken, listAdminAuditEvents, { action: 'lift_stop' });
  expect(auditEvents).toMatchObject([{ accountId: one.id, target: first }]);
  expect((await api.call(one.live, listStops, {})).stops).toMatchObject([
    { id: first, liftedBy: 'operator' },
    { id: old, liftedBy: '' },
  ]);
  expect(await api.refused(adminToken, liftAccountStop, { id: one.id })).toEqual({
    code: 'stop_not_found',
    field: 'id',
  });
});

test('the lists for all accounts are kept apart from those of an account', async () => {
  const { live } = await api.newAccount();
  const own = (await api.call(live, createListEntry, { list: 'block', value: '+213551*' })).entry;
  const { entry } = await api.call(adminToken, createPlatformEntry, {
    list: 'block',
    value: '+213551234567',
    note: 'n',
  });
  expect(entry).toMatchObject({ list: 'block', value: '+2135*****67', note: 'n', createdBy: 'bootstrap' });
  await api.call(adminToken, createPlatformEntry, { list: 'allow', value: '+213552*' });
  const values = async (list = '') =>
    (await api.call(adminToken, listPlatformEntries, { list })).entries.map(({ value }) => value);
  expect(await values()).toEqual(['+213552*', '+2135*****67']);
  expect(await values('block')).toEqual(['+2135*****67']);
  expect((await api.call(live, listListEntries, {})).entries.map(({ value }) => value)).toEqual(['+213551*']);
  expect(await api.refused(adminToken, deletePlatformEntry, { id: own?.id ?? '' })).toEqual({
    code: 'list_entry_not_found',
    field: 'id',
  });
  await api.call(adminToken, deletePlatformEntry, { id: entry?.id ?? '' });
  expect(await values()).toEqual(['+213552*']);
  expect((await findLists(api.db, null)).allow.prefixes).toEqual(['+213552']);
  const { auditEvents } = await api.call(adminToken, listAdminAuditEvents, { action: 'delete_list_entry' });
  expect(auditEvents).toMatchObject([{ accountId: '', target: entry?.id }]);
});
