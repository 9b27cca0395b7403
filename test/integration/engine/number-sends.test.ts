// How often a number may be sent to: one token for each accepted send and resend, exact over processes, and none for what is refused.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { SendResult, SettledRequest } from '../../../src/engine/verify/send.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase({ lanes: 6 });
const other = database.connect({ lanes: 6 });
const ten = { perNumberPerHour: 10, perNumberPerDay: 30, platformPerNumberPerHour: 30, platformPerNumberPerDay: 90 };

async function twoEngines(options: Parameters<typeof testEngine>[1] = {}) {
  const sms = new ScriptedChannel();
  const one = await testEngine(database, { sendLimits: ten, ...options, sms });
  const two = await testEngine(other, { sendLimits: ten, ...options, sms });
  return {
    sms,
    engines: [one.engine, two.engine],
    errors: () => [...one.errors, ...two.errors],
    send: (process: number, request: SettledRequest) => (process % 2 ? one : two).engine.starter.sendSettled(request),
  };
}

const kinds = (results: readonly SendResult[]) => {
  const counts: Record<string, number> = {};
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
const rowsOf = async (table: string, number: string) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from ${sql.table(table)} where number = ${number}`.execute(database.db);
  return rows[0]?.n;
};
/** Tokens left, of an hour and of a day, by bucket. */
const tokensOf = async (number: string) => {
  const { rows } = await sql<{ key: string; tokens: number; day_tokens: number }>`
    select key, floor(tokens) as tokens, floor(day_tokens) as day_tokens from rate_bucket
    where key like ${`%${number}`} order by key`.execute(database.db);
  return rows.map(({ key, tokens, day_tokens }) => [key.split(':')[0], tokens, day_tokens]);
};
const times = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)));
const shuffled = <T>(items: readonly T[]) =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

test('of 40 sends at once in two processes an account has its ten, and nothing of the others is stored', async () => {
  const { send, errors } = await twoEngines();
  for (let round = 0; round < 8; round += 1) {
    const request = sendRequest();
    const keyed = (n: number) => ({
      route: 'Send',
      key: `k${n}`,
      request: '',
    });
    const results = await times(40, (n) => send(n, { ...request, purpose: `p${n}`, idempotency: keyed(n) }));
    expect(kinds(results)).toEqual({ sent: 10, number_limited: 30 });
    expect(await rowsOf('verify_session', request.to)).toBe(10);
    expect(await rowsOf('pending_number', request.to)).toBe(10);
    const { rows } = await sql`select from idempotency where account_id = ${request.accountId}`.execute(database.db);
    expect(rows).toHaveLength(10);
    expect(await tokensOf(request.to)).toEqual([
      ['number', 0, 20],
      ['platform', 20, 80],
    ]);
    // Another account does not notice.
    expect((await send(0, { ...request, accountId: ids('acct_') })).kind).toBe('sent');
  }
  expect(errors()).toEqual([]);
});

test('all accounts together have three times as many, exactly, and are told the same when it is over', async () => {
  const { send, errors } = await twoEngines();
  for (let round = 0; round < 5; round += 1) {
    const { to } = sendRequest();
    const accounts = Array.from({ length: 5 }, () => ids('acct_'));
    const calls = shuffled(
      accounts.flatMap((accountId) =>
        Array.from({ length: 9 }, (_, n) => sendRequest({ accountId, to, purpose: `p${n}` })),
      ),
    );
    const results = await times(calls.length, (n) => send(n, calls[n] as SettledRequest));
    expect(kinds(results)).toEqual({ sent: 30, number_limited: 15 });
    const tokens = await tokensOf(to);
    expect(tokens.at(-1)).toEqual(['platform', 0, 60]);
    // What the platform refused took nothing of the account either.
    expect(tokens.slice(0, -1).reduce((sum, [, hour]) => sum + 10 - Number(hour), 0)).toBe(30);
  }
  expect(errors()).toEqual([]);
});

test('when to try again comes from one range, whoever has sent to the number', async () => {
  const { send } = await twoEngines();
  const retries = async (requests: SettledRequest[]) => {
    const results = await times(requests.length, (n) => send(n, requests[n] as SettledRequest));
    return results.flatMap((result) => (result.kind === 'number_limited' ? [result.retryAfterMs] : []));
  };
  const own = sendRequest();
  const byAccount = await retries(Array.from({ length: 40 }, (_, n) => ({ ...own, purpose: `p${n}` })));
  const { to } = sendRequest();
  const byPlatform = await retries(Array.from({ length: 60 }, () => sendRequest({ to })));
  for (const found of [byAccount, byPlatform]) {
    expect(found).toHaveLength(30);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(360_000);
    expect(Math.max(...found)).toBeLessThanOrEqual(540_000);
    expect(new Set(found).size).toBeGreaterThan(20);
  }
});

test('an account may have limits of its own; a test key and an account with wide limits have none', async () => {
  const request = sendRequest();
  const own = await twoEngines({ account: { sendsPerNumberPerHour: 2, sendsPerNumberPerDay: 3 } });
  expect(kinds(await times(5, (n) => own.send(n, { ...request, purpose: `p${n}` })))).toEqual({
    sent: 2,
    number_limited: 3,
  });
  const wide = await twoEngines({ account: { unlimitedNumbers: true } });
  const plain = await twoEngines();
  for (const { engines } of [wide, plain]) expect(engines).toHaveLength(2);
  const free = sendRequest();
  expect(kinds(await times(50, (n) => wide.send(n, { ...free, purpose: `p${n}` })))).toEqual({ sent: 50 });
  expect(await tokensOf(free.to)).toEqual([]);
});

test('a limit of its own gives an account no more than all accounts together have', async () => {
  const { send } = await twoEngines({ account: { sendsPerNumberPerHour: 100, sendsPerNumberPerDay: 100 } });
  const request = sendRequest();
  const results = await times(40, (n) => send(n, { ...request, purpose: `p${n}` }));
  expect(kinds(results)).toEqual({ sent: 30, number_limited: 10 });
});

test('a refused send and those beside it in one statement', async () => {
  const { send } = await twoEngines();
  const request = sendRequest();
  await times(10, (n) => send(0, { ...request, purpose: `p${n}` }));
  const calls = Array.from({ length: 21 }, (_, n) => (n === 7 ? { ...request, purpose: 'late' } : sendRequest()));
  const results = await times(21, (n) => send(0, calls[n] as SettledRequest));
  expect(results[7]?.kind).toBe('number_limited');
  expect(kinds(results)).toEqual({ sent: 20, number_limited: 1 });
});

test('one token for each resend; steps of the cascade and doubles of one send take none', async () => {
  const { send, engines } = await twoEngines({ rules: { resendIntervalMs: 0, maxSends: 100 } });
  const request = sendRequest();
  const first = await send(0, request);
  if (first.kind !== 'sent') throw new Error(first.kind);
  const resends = await times(30, (n) => send(n, request));
  expect(kinds(resends)).toEqual({ sent: 9, number_limited: 21 });
  expect(await tokensOf(request.to)).toEqual([
    ['number', 0, 20],
    ['platform', 20, 80],
  ]);
  const key = { accountId: request.accountId, id: first.session.id };
  expect((await engines[0]?.store.load(key))?.session).toMatchObject({ sends: 10, status: 'pending' });

  // The same send many times at once is one send, and the rest is refused for another reason.
  const strict = await twoEngines();
  const doubled = sendRequest();
  expect(kinds(await times(40, (n) => strict.send(n, doubled)))).toEqual({ sent: 1, resend_too_soon: 39 });
  expect(await tokensOf(doubled.to)).toEqual([
    ['number', 9, 29],
    ['platform', 29, 89],
  ]);

  // The second leg after the first has failed.
  const cascading = await twoEngines();
  cascading.sms.answer = () => ({ kind: 'rejected', reason: 'submit_refused', errorCode: '69' });
  const legs = sendRequest();
  await cascading.send(0, legs);
  await Promise.all(cascading.engines.map((engine) => engine.dispatcher.idle()));
  expect((await tokensOf(legs.to))[0]).toEqual(['number', 9, 29]);
});

test('a session too short for a resend is not canceled for a send that is refused', async () => {
  const { send, engines } = await twoEngines({ rules: { minimumRemainingMs: 10_000_000, resendIntervalMs: 0 } });
  const request = sendRequest();
  const sent: SendResult[] = [];
  for (let n = 0; n < 11; n += 1) sent.push(await send(n, request));
  expect(kinds(sent)).toEqual({ sent: 10, number_limited: 1 });
  const last = sent[9];
  if (last?.kind !== 'sent') throw new Error(last?.kind);
  const stored = await engines[0]?.store.load({ accountId: request.accountId, id: last.session.id });
  expect(stored?.session.status).toBe('pending');
});

test('nor for one whose last token another send takes at that moment', async () => {
  const { send, engines, errors } = await twoEngines({
    rules: { minimumRemainingMs: 10_000_000, resendIntervalMs: 0 },
  });
  const request = sendRequest();
  const first = await send(1, request);
  if (first.kind !== 'sent' || !engines[0]) throw new Error(first.kind);
  for (let n = 0; n < 8; n += 1) await send(0, { ...request, purpose: `p${n}` });
  const { store } = engines[0];
  const { spentTokens } = store;
  const last: SendResult[] = [];
  vi.spyOn(store, 'spentTokens').mockImplementationOnce(async (...asked) => {
    const spent = await spentTokens(...asked);
    last.push(await send(0, { ...request, purpose: 'meanwhile' }));
    return spent;
  });
  expect((await send(1, request)).kind).toBe('number_limited');
  expect(kinds(last)).toEqual({ sent: 1 });
  expect((await store.load({ accountId: request.accountId, id: first.session.id }))?.session.status).toBe('pending');
  expect(await rowsOf('verify_session', request.to)).toBe(10);
  expect(errors()).toEqual([]);
});

test('a session that takes the place of another takes one token, and no lane refuses it any more', async () => {
  const { send, engines } = await twoEngines({ rules: { minimumRemainingMs: 10_000_000, resendIntervalMs: 0 } });
  const request = sendRequest();
  const opens = vi.spyOn((engines[0] as (typeof engines)[number]).store, 'open');
  for (const left of [9, 8, 7]) {
    expect((await send(1, request)).kind).toBe('sent');
    expect((await tokensOf(request.to))[0]).toEqual(['number', left, left + 20]);
  }
  // Each but the first meets the session before it.
  expect(opens.mock.calls.map(([, options]) => options?.isOwed)).toEqual([false, false, true, false, true]);
  expect(await rowsOf('pending_number', request.to)).toBe(1);
});

test('a clock of the database that is set back keeps no number waiting for as long as it was ahead', async () => {
  const { send } = await twoEngines();
  const request = sendRequest();
  const bucketsMoved = (by: string) =>
    sql`update rate_bucket set updated_at = updated_at + ${by}::interval where key like ${`%${request.to}`}`.execute(
      database.db,
    );
  const one = async (n: number) => (await send(0, { ...request, purpose: `p${n}` })).kind;
  for (let n = 0; n < 10; n += 1) expect(await one(n)).toBe('sent');
  await bucketsMoved('2 hours');
  expect(await one(10)).toBe('number_limited');
  await bucketsMoved('-7 minutes');
  expect(await one(10)).toBe('sent');
  expect(await one(11)).toBe('number_limited');
});

test("the account's own rate decides before anything else", async () => {
  const slow = { ...ten, accountPerSecond: 0.001, accountBurst: 3 };
  const { send } = await twoEngines({ sendLimits: slow });
  const { accountId, to } = sendRequest();
  // Its bucket is new to both processes at once.
  const results = await times(40, (n) => send(n, sendRequest({ accountId, to, purpose: `p${n}` })));
  expect(kinds(results)).toEqual({ sent: 3, account_limited: 37 });
  expect(await tokensOf(to)).toEqual([
    ['number', 7, 27],
    ['platform', 27, 87],
  ]);
});
