// The limits that an account sees: those in force for it and its key, and what is used of its budgets at this moment.
import { expect, test } from 'vitest';
import type { OwnBudget } from '../../../src/core/limits/budget.ts';
import { inside } from '../../../src/db/queryable.ts';
import { AccountViews } from '../../../src/engine/accounts/views.ts';
import { AccountLimits } from '../../../src/engine/limits/account-limits.ts';
import { plainAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();

async function limited(own: Partial<typeof plainAccount> = {}) {
  const { accountId } = sendRequest();
  const budget = { sendsPerDay: 10, spendPerHour: { DZD: '50' } };
  const views = new AccountViews({ load: async (id) => ({ ...plainAccount, id, ...own }) });
  const { engine, settings } = await testEngine(database, { sms: new ScriptedChannel(), budget, accounts: views });
  const limits = new AccountLimits({ views, settings, home: inside(database.db) });
  const send = async (apiKeyId?: string) => {
    const result = await engine.starter.sendSettled({
      ...sendRequest(),
      accountId,
      ...(apiKeyId === undefined ? {} : { apiKeyId }),
    });
    await engine.budgets.close();
    return result.kind;
  };
  const of = (mode: 'live' | 'test' = 'live', keyId = 'key_1') => limits.of({ accountId, mode, keyId });
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

test('a key sees its own budgets, and no other key of the account does', async () => {
  const keyBudgets = new Map<string, OwnBudget>([['key_1', { sends_per_hour: 3 }]]);
  const { of, send } = await limited({ keyBudgets, budget: 'none' });
  await send('key_1');
  expect((await of()).budgets).toMatchObject([{ budget: 'sends_per_hour', apiKeyId: 'key_1', used: '1', left: '2' }]);
  expect((await of('live', 'key_2')).budgets).toEqual([]);
});

test('in test mode, and where the rule is off, nothing is counted', async () => {
  const off = await limited({ ruleModes: { budget: 'off' } });
  const state = await off.of();
  expect(state.budgets).toEqual([]);
  expect(state.ruleModes).toContainEqual({ rule: 'budget', mode: 'off' });
  expect(state.sendsPerNumberPerDay).toBeGreaterThan(0);
  expect(await off.of('test')).toMatchObject({ budgets: [], sendsPerNumberPerHour: 0, sendsPerNumberPerDay: 0 });
});
