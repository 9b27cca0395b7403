// The limits that an account sees: those in force for it and its key, and what is used of its budgets at this moment.
import { beforeEach, expect, test } from 'vitest';
import { inherited, unrestricted } from '../../../src/core/limits/key-restrictions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { AccountViews } from '../../../src/engine/accounts/views.ts';
import { AccountLimits, type LimitsOwner } from '../../../src/engine/limits/account-limits.ts';
import type { SettledRequest } from '../../../src/engine/verify/send.ts';
import { plainAccount } from '../../support/account.ts';
import { homeOf } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { windowsThatLast } from '../../support/windows.ts';

const database = await testDatabase();
beforeEach(windowsThatLast);

async function limited(own: Partial<typeof plainAccount> = {}) {
  const { accountId } = sendRequest();
  const budget = { sendsPerDay: 10, spendPerHour: { DZD: '50' } };
  const views = new AccountViews({ load: async (id) => ({ ...plainAccount, id, ...own }) });
  const { engine, settings } = await testEngine(database, { sms: new ScriptedChannel(), budget, accounts: views });
  const limits = new AccountLimits({ views, settings, home: inside(homeOf(database).db) });
  const send = async (by: Partial<SettledRequest> = {}) => {
    const result = await engine.starter.sendSettled({ ...sendRequest(), accountId, ...by });
    await engine.budgets.close();
    return result.kind;
  };
  const of = (mode: 'live' | 'test' = 'live', key: Partial<LimitsOwner> = {}) =>
    limits.of({ accountId, mode, keyId: 'key_1', ...key });
  return { of, send };
}

test('a budget says what is used and left, and when it is whole again', async () => {
  const { of, send } = await limited();
  expect(await send()).toBe('sent');
  expect(await send()).toBe('sent');
  const { budgets } = await of();
  expect(budgets).toEqual([
    {
      budget: 'spend_per_hour',
      currency: 'DZD',
      apiKeyId: '',
      limit: '50',
      used: '5',
      left: '45',
      windowEndsAt: expect.any(Number),
    },
    {
      budget: 'sends_per_day',
      currency: '',
      apiKeyId: '',
      limit: '10',
      used: '2',
      left: '8',
      windowEndsAt: expect.any(Number),
    },
  ]);
  expect(budgets.map(({ windowEndsAt }) => windowEndsAt % 3_600_000)).toEqual([0, 0]);
  expect(budgets.every(({ windowEndsAt }) => windowEndsAt > Date.now() - 60_000)).toBe(true);
});

test('a key sees its own budgets and those of the keys it descends from, and no other key of the account does', async () => {
  const parent = { keyId: 'key_1', restrictions: { ...unrestricted, budget: { sendsPerHour: 3 } } };
  const made = inherited(parent, { ...unrestricted, budget: { sendsPerHour: 2 } });
  if (made.kind !== 'ok' || !made.restrictions) throw new Error(made.kind);
  const { of, send } = await limited({ budget: 'none' });
  await send({ apiKeyId: 'key_1', restrictions: parent.restrictions });
  await send({ apiKeyId: 'key_2', restrictions: made.restrictions });
  expect((await of('live', parent)).budgets).toMatchObject([
    { budget: 'sends_per_hour', apiKeyId: 'key_1', used: '2', left: '1' },
  ]);
  expect((await of('live', { keyId: 'key_2', restrictions: made.restrictions })).budgets).toMatchObject([
    { budget: 'sends_per_hour', apiKeyId: 'key_2', used: '1', left: '1' },
    { budget: 'sends_per_hour', apiKeyId: 'key_1', used: '2', left: '1' },
  ]);
  expect((await of('live', { keyId: 'key_3' })).budgets).toEqual([]);
});

test('in test mode, and where the rule is off, nothing is counted', async () => {
  const off = await limited({ ruleModes: { budget: 'off' } });
  const state = await off.of();
  expect(state.budgets).toEqual([]);
  expect(state.ruleModes).toContainEqual({ rule: 'budget', mode: 'off' });
  expect(state.sendsPerNumberPerDay).toBeGreaterThan(0);
  expect(await off.of('test')).toMatchObject({ budgets: [], sendsPerNumberPerHour: 0, sendsPerNumberPerDay: 0 });
});

test('of limits per number the lower counts: its own, or that of all accounts together', async () => {
  const within = await limited({ sendsPerNumberPerHour: 299, sendsPerNumberPerDay: 2999 });
  expect(await within.of()).toMatchObject({ sendsPerNumberPerHour: 299, sendsPerNumberPerDay: 2999 });
  const above = await limited({ sendsPerNumberPerHour: 1000, sendsPerNumberPerDay: 5000 });
  expect(await above.of()).toMatchObject({ sendsPerNumberPerHour: 300, sendsPerNumberPerDay: 3000 });
  const free = await limited({ sendsPerNumberPerHour: 1000, unlimitedNumbers: true });
  expect(await free.of()).toMatchObject({ sendsPerNumberPerHour: 0, sendsPerNumberPerDay: 0 });
});

test('at once an account may make the sends of a second, whatever the burst', async () => {
  const { accountBurst } = (await testEngine(database, { sms: new ScriptedChannel() })).settings.sendLimits;
  const fast = await limited({ sendsPerSecond: accountBurst + 1.5 });
  expect(await fast.of()).toMatchObject({ sendsPerSecond: accountBurst + 1.5, sendsBurst: accountBurst + 2 });
  const slow = await limited({ sendsPerSecond: 1 });
  expect(await slow.of()).toMatchObject({ sendsBurst: accountBurst });
});
