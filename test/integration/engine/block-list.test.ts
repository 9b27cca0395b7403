// A block list of the platform, which no account is to search: what it refuses is counted as what goes out, and whatever else refuses a send does
// so first.
import { expect, test } from 'vitest';
import { noLists } from '../../../src/core/limits/lists.ts';
import { type AccountView, AccountViews } from '../../../src/engine/accounts/views.ts';
import type { SettledRequest } from '../../../src/engine/verify/send.ts';
import { plainAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();
const blocked = '+213559000001';

async function shop(change: Partial<AccountView> = {}) {
  const accounts = new AccountViews({
    load: async (id) => ({ ...plainAccount, id, sendsPerSecond: 0.001, ...change }),
    platformLists: async () => ({ ...noLists, block: { prefixes: ['+213559'], numbers: new Map() } }),
  });
  const sendLimits = { accountBurst: 5 };
  const { engine } = await testEngine(database, { sms: new ScriptedChannel(), accounts, sendLimits });
  const accountId = ids('acct_');
  return async (change: Partial<SettledRequest> = {}) => {
    const result = await engine.starter.sendSettled({ ...sendRequest(), accountId, ...change });
    return result.kind === 'guarded' ? result.finding.reason : result.kind;
  };
}

test('takes a token of the rate for each number that it refuses', async () => {
  const send = await shop();
  for (let nth = 0; nth < 4; nth += 1) expect(await send({ to: blocked })).toBe('block_list');
  expect(await send()).toBe('sent');
  expect(await send()).toBe('account_limited');
  expect(await send({ to: blocked })).toBe('account_limited');
});

test('is not asked where an end user or a key has had enough: the answer is that of any number', async () => {
  const send = await shop();
  const restrictions = { addresses: [], prefixes: [], sendsPerDay: 1 };
  const key = { apiKeyId: ids('key_'), restrictions };
  expect(await send({ ...key, to: blocked })).toBe('block_list');
  // What it refused is no send of the key.
  expect(await send(key)).toBe('sent');
  expect(await send(key)).toBe('sends_per_day');
  expect(await send({ ...key, to: blocked })).toBe('sends_per_day');
});

test('is not asked in a stopped prefix: the answer is that of any number there, and costs nothing', async () => {
  const [startedAt, endsAt] = [Date.now() - 1_000, Date.now() + 3_600_000];
  const stop = { id: ids('stop_'), rule: 'sequential_numbers', reason: 'adjacent', prefix: '+21355' } as const;
  const send = await shop({ stops: [{ ...stop, startedAt, endsAt, liftedAt: null }] });
  for (let nth = 0; nth < 10; nth += 1) {
    expect(await send({ to: blocked })).toBe('adjacent');
    expect(await send({ to: '+213558000001' })).toBe('adjacent');
  }
});
