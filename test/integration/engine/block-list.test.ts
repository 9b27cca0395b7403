// A block list of the platform, which no account is to search: it is asked when nothing else refuses a send, and what it refuses is counted for the
// account's rate.
import { expect, test } from 'vitest';
import { shardForNumber } from '../../../src/core/ids.ts';
import { noLists } from '../../../src/core/limits/lists.ts';
import { type AccountView, AccountViews } from '../../../src/engine/accounts/views.ts';
import { Guard } from '../../../src/engine/limits/guard.ts';
import type { SettledRequest } from '../../../src/engine/verify/send.ts';
import { plainAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { codeRing, ids, ReadyChannel, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const blocked = '+213559000001';

async function shop(change: Partial<AccountView> = {}, options: Parameters<typeof testEngine>[1] = {}) {
  const prefixes = ['+213559'];
  const accounts = new AccountViews({
    load: async (id) => ({ ...plainAccount, id, sendsPerSecond: 0.001, ...change }),
    platformLists: async () => ({ ...noLists, block: { prefixes, numbers: new Map() } }),
  });
  const clock = { now: Date.now() };
  const sendLimits = { accountBurst: 5, ...options.sendLimits };
  const sms = options.sms ?? new ScriptedChannel();
  const { engine } = await testEngine(database, { ...options, sms, accounts, sendLimits, now: () => clock.now });
  const accountId = ids('acct_');
  const send = async (change: Partial<SettledRequest> = {}) => {
    const result = await engine.starter.sendSettled({ ...sendRequest(), accountId, ...change });
    return result.kind === 'guarded' ? result.finding.reason : result.kind;
  };
  return { send, block: (number: string) => prefixes.push(number), clock, engine, accountId };
}

const many = { accountBurst: 100 };

test("a refusal by the block list takes a token of the account's rate", async () => {
  const { send } = await shop();
  for (let nth = 0; nth < 4; nth += 1) expect(await send({ to: blocked })).toBe('block_list');
  expect(await send()).toBe('sent');
  expect(await send()).toBe('account_limited');
  expect(await send({ to: blocked })).toBe('account_limited');
});

test.each([
  ['resend_too_soon', {}],
  ['sends_per_hour', { budget: { sends_per_hour: 1 } }],
])("what anything else refuses takes nothing of the account's rate: %s", async (word, account) => {
  const { send } = await shop(account);
  const to = '+213551234567';
  expect(await send({ to })).toBe('sent');
  for (let nth = 0; nth < 20; nth += 1)
    await until(async () => (await send({ to })) === word, { what: 'the token to be back' });
});

test('a limit of an end user or a key answers before the block list, as for any other number', async () => {
  const { send } = await shop();
  const restrictions = { addresses: [], prefixes: [], sendsPerDay: 1 };
  const key = { apiKeyId: ids('key_'), restrictions };
  expect(await send({ ...key, to: blocked })).toBe('block_list');
  // What it refused is no send of the key.
  expect(await send(key)).toBe('sent');
  expect(await send(key)).toBe('sends_per_day');
  expect(await send({ ...key, to: blocked })).toBe('sends_per_day');
});

test('a stopped prefix answers before the block list, as for any other number in it, and costs nothing', async () => {
  const [startedAt, endsAt] = [Date.now() - 1_000, Date.now() + 3_600_000];
  const stop = { id: ids('stop_'), rule: 'sequential_numbers', reason: 'adjacent', prefix: '+21355' } as const;
  const { send } = await shop({ stops: [{ ...stop, startedAt, endsAt, liftedAt: null }] });
  for (let nth = 0; nth < 10; nth += 1) {
    expect(await send({ to: blocked })).toBe('adjacent');
    expect(await send({ to: '+213558000001' })).toBe('adjacent');
  }
});

test('an exhausted budget answers before the block list, and nothing is taken from a budget', async () => {
  const { send } = await shop({}, { budget: { sendsPerDay: 1 }, sendLimits: many });
  for (let nth = 0; nth < 3; nth += 1) expect(await send({ to: blocked })).toBe('block_list');
  expect(await send()).toBe('sent');
  for (let nth = 0; nth < 10; nth += 1) {
    expect(await send()).toBe('sends_per_day');
    expect(await send({ to: `+2135590001${nth}0` })).toBe('sends_per_day');
  }
});

test('the block list of the platform is not asked for a test key, which pays for nothing and could search it', () => {
  // What a rule objects to has no settings.
  const guard = new Guard({ ring: codeRing, now: Date.now } as ConstructorParameters<typeof Guard>[0]);
  const lists = { ...noLists, block: { prefixes: ['+213559'], numbers: new Map() } };
  const found = (mode: 'live' | 'test', own: typeof lists | null) =>
    guard
      .findings(
        { ...sendRequest(), mode, to: blocked },
        { ...plainAccount, lists: own ?? noLists },
        own ? noLists : lists,
      )
      .map(({ reason }) => reason);
  expect([found('live', null), found('test', null)]).toEqual([['block_list'], []]);
  expect([found('live', lists), found('test', lists)]).toEqual([['block_list'], ['block_list']]);
});

test('a cascade without a usable leg answers before the block list', async () => {
  const { send } = await shop({}, { sendLimits: many });
  const cascade: SettledRequest['cascade'] = [{ channel: 'voice', timeoutMs: 45_000 }];
  for (let nth = 0; nth < 10; nth += 1) {
    expect(await send({ cascade })).toBe('no_route');
    expect(await send({ cascade, to: `+2135590002${nth}0` })).toBe('no_route');
  }
});

test('a busy operator answers before the block list, and the place of a blocked send is given back', async () => {
  const sms = new ReadyChannel();
  const { send } = await shop({}, { sms });
  expect(await send({ to: blocked })).toBe('block_list');
  expect(sms.taken).toBe(0);
  expect(sms.sent).toEqual([]);
  const busy = new ScriptedChannel();
  const { send: queue, engine } = await shop({}, { sms: busy });
  engine.backlog.ms = () => 60_000;
  expect(await queue()).toBe('overloaded');
  expect(await queue({ to: blocked })).toBe('overloaded');
});

test('the limit of a number answers before the block list', async () => {
  const { send, block } = await shop({}, { sendLimits: { ...many, perNumberPerHour: 1 } });
  const { to } = sendRequest();
  expect(await send({ to })).toBe('sent');
  block(to);
  expect(await send({ to, purpose: 'other' })).toBe('number_limited');
});

test('the block list refuses a resend that nothing else refuses, and its session stays as it is', async () => {
  const options = { budget: { sendsPerDay: 2 }, sendLimits: { ...many, perNumberPerHour: 3 } };
  const { send, block, clock, engine, accountId } = await shop({}, options);
  const { to } = sendRequest();
  expect(await send({ to, code: '111111' })).toBe('sent');
  block(to);
  const stored = async () => {
    const id = await engine.store.pending({ accountId, mode: 'live', number: to, purpose: '' });
    return id && (await engine.store.load({ accountId, id }))?.session;
  };
  expect(await send({ to })).toBe('resend_too_soon');
  expect(await send({ to, asked: { language: 'ar' } })).toBe('resend_differs');
  clock.now += 31_000;
  expect(await send({ to })).toBe('block_list');
  // A new session would take its place.
  expect(await send({ to, code: '222222' })).toBe('block_list');
  expect(await stored()).toMatchObject({ status: 'pending', sends: 1, run: 1 });
  // What was refused has taken nothing from the budget.
  expect(await send()).toBe('sent');
  expect(await send({ to })).toBe('sends_per_day');
  expect(await send({ to, code: '222222' })).toBe('sends_per_day');
});

test('the block list refuses no resend that is done already', async () => {
  const { send, block, clock } = await shop({}, { sendLimits: many });
  const request = sendRequest();
  const { accountId: _, ...same } = request;
  expect(await send(same)).toBe('sent');
  clock.now += 31_000;
  const operation = ids('vrf_', shardForNumber(same.to));
  expect(await send({ ...same, operation })).toBe('sent');
  block(same.to);
  expect(await send({ ...same, operation })).toBe('sent');
  expect(await send(same)).toBe('resend_too_soon');
});
