// What a refused send costs: nothing of anybody's, and no other account learns of it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { type Caller, newCaller, newNumber, refusalOf, startProcess, type TestProcess } from './verify-service.ts';

const database = await testDatabase();
const limits = { perNumberPerHour: 10, perNumberPerDay: 30, platformPerNumberPerHour: 30, platformPerNumberPerDay: 90 };
const usual = await startProcess(database, { sendLimits: limits });
const times = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)));

const buckets = async () => {
  const { rows } = await sql<{ key: string; tokens: number; day_tokens: number }>`
    select key, floor(tokens) as tokens, floor(day_tokens) as day_tokens from rate_bucket
    where key not like 'account:%' order by key`.execute(database.db);
  return rows;
};
const rowCount = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from rate_bucket`.execute(database.db);
  return rows[0]?.n;
};

/** A send of the caller that has been accepted already, where the refusal needs one. */
type Refused = {
  process?: TestProcess;
  before?(caller: Caller, to: string): Promise<unknown>;
  call(caller: Caller, to: string): Promise<unknown>;
};

test.each<[string, () => Promise<Refused>]>([
  [
    'no_route',
    async () => {
      const process = await startProcess(database, { sendLimits: limits, sms: null });
      return { process, call: (caller, to) => process.send(caller, { to, channel: 'voice' }) };
    },
  ],
  ['sender_id_not_approved', async () => ({ call: (caller, to) => usual.send(caller, { to, senderId: 'MyShop' }) })],
  ['invalid_phone_number', async () => ({ call: (caller) => usual.send(caller, { to: '+2135512' }) })],
  [
    'resend_too_soon',
    async () => ({
      before: (caller, to) => usual.send(caller, { to }),
      call: (caller, to) => usual.send(caller, { to }),
    }),
  ],
  [
    'session_differs',
    async () => ({
      before: (caller, to) => usual.send(caller, { to }),
      call: (caller, to) => usual.send(caller, { to, language: 'fr' }),
    }),
  ],
  [
    'too_many_sends',
    async () => {
      const process = await startProcess(database, { sendLimits: limits, rules: { maxSends: 1 } });
      const call: Refused['call'] = (caller, to) => process.send(caller, { to });
      return { process, before: call, call };
    },
  ],
  [
    'rate_limited',
    async () => {
      const slow = { ...limits, accountPerSecond: 0.0001, accountBurst: 1 };
      const process = await startProcess(database, { sendLimits: slow });
      return {
        process,
        before: (caller) => process.send(caller, { to: newNumber() }),
        call: (caller, to) => process.send(caller, { to }),
      };
    },
  ],
  [
    'number_rate_limited',
    async () => ({
      before: (caller, to) => times(10, (n) => usual.send(caller, { to, purpose: `p${n}` })),
      call: (caller, to) => usual.send(caller, { to, purpose: 'one more' }),
    }),
  ],
])('100 × %s take no token and store no number, and another account sends', async (code, refused) => {
  const caller = newCaller();
  const to = newNumber();
  const { before, call } = await refused();
  // The account's own bucket is there, whatever becomes of the calls.
  await usual.send(caller, { to: newNumber() });
  await before?.(caller, to);
  const had = await buckets();
  const count = await rowCount();
  const refusals = await times(100, () => refusalOf(call(caller, to)));
  expect(new Set(refusals.map((refusal) => refusal.code))).toEqual(new Set([code]));
  expect(await buckets()).toEqual(had);
  expect(await rowCount()).toBe(count);
  if (!before || code === 'rate_limited') expect(had.filter(({ key }) => key.endsWith(to))).toEqual([]);
  expect(await usual.send(newCaller(), { to })).toMatchObject({ to });
});

test('the account and the platform refuse in the same words', async () => {
  const alone = newCaller();
  const to = newNumber();
  await times(10, (n) => usual.send(alone, { to, purpose: `p${n}` }));
  const byAccount = await refusalOf(usual.send(alone, { to, purpose: 'x' }));
  await times(20, (n) => usual.send(newCaller(), { to, purpose: `p${n}` }));
  const byPlatform = await refusalOf(usual.send(newCaller(), { to }));
  expect({ ...byPlatform, retryAfter: 0 }).toEqual({ ...byAccount, retryAfter: 0 });
  expect(byAccount).toMatchObject({ code: 'number_rate_limited', httpStatus: 429, metadata: {} });
  for (const { retryAfter } of [byAccount, byPlatform]) {
    expect(retryAfter).toBeGreaterThanOrEqual(360);
    expect(retryAfter).toBeLessThanOrEqual(541);
  }
});

test('nothing was logged as an error', () => {
  expect(usual.errors).toEqual([]);
});
