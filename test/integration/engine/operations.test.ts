// Operations: a call that two processes both do, one after the other or at once, counts once and has one answer.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { verifySchema } from '../../../src/config/service.ts';
import { shardForNumber } from '../../../src/core/ids.ts';
import { codeOf } from '../../../src/core/verify/code.ts';
import type { Session } from '../../../src/core/verify/session.ts';
import { AccountViews } from '../../../src/engine/accounts/views.ts';
import type { SendRequest } from '../../../src/engine/verify/send.ts';
import { plainAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { codeRing, ids, ReadyChannel, sendRequest, type TestEngine, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const sms = [new ReadyChannel(), new ReadyChannel()] as const;
const rules = { resendIntervalMs: 0 };
const [one, two] = [
  await testEngine(database, { sms: sms[0], rules }),
  await testEngine(database, { sms: sms[1], rules }),
] as const;
const engines = [one, two];
const sentTo = (number: string) => sms.flatMap(({ sent }) => sent.filter(({ to }) => to === number)).length;

async function opened(by: TestEngine, change: Parameters<typeof sendRequest>[0] = {}): Promise<Session> {
  const result = await by.engine.starter.sendSettled(sendRequest(change));
  if (result.kind !== 'sent') throw new Error(result.kind);
  return result.session;
}

const stored = async (session: Session) => {
  const found = await one.engine.find(session);
  if (!found) throw new Error('no session');
  return found.session;
};

function checkWith(by: TestEngine, { accountId, mode, id }: Session, code: string, operation: string) {
  return by.engine.check({ accountId, mode, idempotency: null, target: { id }, code, operation });
}
const answerOf = (result: Awaited<ReturnType<typeof checkWith>>) => {
  if (result.kind !== 'checked') throw new Error(result.kind);
  return result.checked;
};
const wrong = (session: Session) => (codeOf(session, codeRing) === '000000' ? '000001' : '000000');

test('a right code that two processes check is valid for both, and one try', async () => {
  const session = await opened(one);
  const code = codeOf(session, codeRing);
  const answers = await Promise.all(engines.map((by) => checkWith(by, session, code, 'op1')));
  const again = await checkWith(two, session, code, 'op1');
  expect([...answers, again].map(answerOf)).toEqual(Array(3).fill({ valid: true, reason: null, attemptsRemaining: 4 }));
  expect((await stored(session)).attempts).toBe(1);
  // Another call with the right code is another try.
  expect(answerOf(await checkWith(one, session, code, 'op2')).reason).toBe('already_verified');
});

test('any interleaving of wrong codes, each done by one process or both, counts each once', async () => {
  const plan = fc.array(fc.constantFrom('one', 'two', 'both', 'twice'), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(plan, async (how) => {
      const session = await opened(one);
      for (const [n, who] of how.entries()) {
        const by = { one: [one], two: [two], both: [one, two], twice: [two, two] }[who];
        const answers = await Promise.all(by.map((each) => checkWith(each, session, wrong(session), `op${n}`)));
        const expected = { valid: false, reason: 'incorrect_code', attemptsRemaining: 5 - n - 1 };
        expect(answers.map(answerOf)).toEqual(by.map(() => expected));
      }
      expect((await stored(session)).attempts).toBe(how.length);
    }),
    { numRuns: 25 },
  );
});

test('a wrong code that ends the session is the last try for both', async () => {
  const session = await opened(one);
  for (let n = 0; n < 4; n += 1) await checkWith(one, session, wrong(session), `op${n}`);
  const answers = await Promise.all(engines.map((by) => checkWith(by, session, wrong(session), 'last')));
  expect(answers.map(answerOf)).toEqual(
    Array(2).fill({ valid: false, reason: 'incorrect_code', attemptsRemaining: 0 }),
  );
  expect(await stored(session)).toMatchObject({ status: 'failed', attempts: 5 });
  expect(await failuresOf(session)).toBe(5);
});

async function failuresOf({ to }: Session): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select sum(failures)::integer as n from number_failure where number = ${to}`.execute(database.db);
  return rows[0]?.n ?? 0;
}

const operationFor = (to: string) => ids('vrf_', shardForNumber(to));

test.each(['at once', 'one after the other', 'after the end'])(
  'a send that two processes do %s: one session, one SMS',
  async (when) => {
    const request = sendRequest();
    const operation = operationFor(request.to);
    const send = (by: TestEngine) => by.engine.starter.sendSettled({ ...request, operation });
    const results = when === 'at once' ? await Promise.all(engines.map(send)) : [await send(one)];
    if (when === 'after the end') await one.engine.cancel({ ...request, id: operation });
    results.push(await send(two), await send(one));
    expect(results.map((result) => result.kind === 'sent' && result.session.id)).toEqual(results.map(() => operation));
    expect(sentTo(request.to)).toBe(1);
    expect(sms.map(({ taken }) => taken)).toEqual([0, 0]);
  },
);

/** Sends that the key of a request has left, which are made by this. */
async function leftOf(change: Parameters<typeof sendRequest>[0]): Promise<number> {
  for (let left = 0; ; left += 1) {
    const { to } = sendRequest();
    if ((await one.engine.starter.sendSettled(sendRequest({ ...change, to }))).kind !== 'sent') return left;
  }
}

test.each(['its id', 'its Idempotency-Key'])(
  'a send that two processes do is counted once, known by %s',
  async (how) => {
    const restrictions = { addresses: [], prefixes: [], sendsPerDay: 3 };
    const request = sendRequest({ apiKeyId: ids('key_'), restrictions });
    const again =
      how === 'its id'
        ? { operation: operationFor(request.to) }
        : { idempotency: { route: '/v1/verify/send', key: 'one', request: '{}' } };
    const results = await Promise.all(engines.map((by) => by.engine.starter.sendSettled({ ...request, ...again })));
    expect(results.map(({ kind }) => kind)).not.toContain('guarded');
    // What one of them has given back is there again in a moment.
    let left = 0;
    const areTwo = async () => {
      left += await leftOf(request);
      return left >= 2;
    };
    await until(areTwo, { what: 'two more sends of the key' });
    expect(left).toBe(2);
  },
);

/** Sends that the day of the only device counts. */
async function countedOfDevice(): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select tokens from rate_bucket where key like 'client:device_id:86400000:%'`.execute(database.db);
  return rows.reduce((sum, { tokens }) => sum + Math.round(30 - tokens), 0);
}

test('a resend that two processes do is one run, and counted once', async () => {
  const request = sendRequest({ client: { deviceId: 'd-1' } });
  const first = await opened(one, request);
  const operation = operationFor(request.to);
  const results = await Promise.all(
    [...engines, ...engines].map((by) => by.engine.starter.sendSettled({ ...request, operation })),
  );
  expect(results.map((result) => result.kind === 'sent' && result.session.id)).toEqual(results.map(() => first.id));
  expect(await stored(first)).toMatchObject({ sends: 2, run: 2 });
  // As where the one is silent for so long that the other does the call as well.
  const late = await two.engine.starter.sendSettled({ ...request, operation });
  expect(late).toMatchObject({ kind: 'sent', session: { id: first.id, sends: 2 } });
  // What those that did nothing give back is there again in a moment.
  await until(async () => (await countedOfDevice()) === 2, { what: 'the device to have had two sends' });
  // Without an operation it is another resend.
  expect(await two.engine.starter.sendSettled(request)).toMatchObject({ kind: 'sent', session: { sends: 3 } });
  expect(await countedOfDevice()).toBe(3);
});

test.each(['no session is pending', 'the next session is pending'])(
  'a resend that two processes do, one of them late, when %s: one session, one SMS',
  async (when) => {
    const request = sendRequest();
    const first = await opened(one, request);
    const operation = operationFor(request.to);
    const resend = (by: TestEngine) => by.engine.starter.sendSettled({ ...request, operation });
    const result = await resend(one);
    expect(result).toMatchObject({ kind: 'sent', session: { id: first.id, sends: 2 } });
    await until(() => sentTo(request.to) === 2, { what: 'the second SMS' });
    await one.engine.cancel(first);
    const next = when === 'no session is pending' ? null : await opened(one, request);
    await until(() => sentTo(request.to) === (next ? 3 : 2), { what: 'the SMS' });
    expect(await resend(two)).toMatchObject({ kind: 'sent', session: { id: first.id } });
    if (next) expect(await stored(next)).toMatchObject({ status: 'pending', sends: 1 });
    expect(await two.engine.find({ ...request, id: operation })).toBeNull();
    expect(sentTo(request.to)).toBe(next ? 3 : 2);
    expect(sms.map(({ taken }) => taken)).toEqual([0, 0]);
  },
);

test('a send with a key that another process has done is answered as that one, whatever became of the session since', async () => {
  const accounts = new AccountViews({ load: async (id) => ({ ...plainAccount, id, endpoints: [] }) });
  const answers = { sent: ({ id, sends }: Session) => ({ id, sends }), checked: () => ({}) };
  const [early, late] = [
    await testEngine(database, { sms: sms[0], rules, answers }),
    await testEngine(database, { sms: sms[1], rules, answers, accounts }),
  ];
  const request = sendRequest();
  const idempotency = { route: '/v1/verify/send', key: 'done', request: '{}' };
  const keyed = { ...request, operation: operationFor(request.to), idempotency };
  // It has found no answer to the key when the other one stores it.
  const [hold, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lists = accounts.platformLists.bind(accounts);
  vi.spyOn(accounts, 'platformLists').mockImplementationOnce(async () => {
    hold.resolve();
    await go.promise;
    return lists();
  });
  const lateAnswer = late.engine.starter.sendSettled(keyed);
  await hold.promise;
  const id = keyed.operation;
  expect(await early.engine.starter.sendSettled(keyed)).toMatchObject({ kind: 'sent', session: { id, sends: 1 } });
  expect(await early.engine.starter.sendSettled(request)).toMatchObject({ kind: 'sent', session: { id, sends: 2 } });
  go.resolve();
  expect(await lateAnswer).toMatchObject({ kind: 'replayed', answer: { id, sends: 1 } });
});

function asked(change: Partial<SendRequest> = {}): SendRequest {
  const { accountId, mode, to, purpose } = sendRequest();
  const settled = { accountId, mode, to, purpose, clientReference: '', metadata: null, autofill: {}, channel: null };
  const cascade: SendRequest['cascade'] = [{ channel: 'sms', timeoutSeconds: null }];
  const open = { language: null, codeLength: null, code: null, ttlSeconds: null, senderId: null, idempotency: null };
  return { ...settled, ...open, cascade, ...change };
}

test.each(['the number', 'its own code'])(
  'a send that is done is answered as it was where this process refuses %s by now',
  async (what) => {
    const verify = verifySchema.parse({ allow_custom_code: true });
    const early = await testEngine(database, { sms: sms[0], rules, settings: { verify } });
    const late =
      what === 'the number'
        ? await testEngine(database, { sms: sms[1], rules, settings: { verify, operators: [] } })
        : await testEngine(database, {
            sms: sms[1],
            rules,
            settings: { verify },
            ring: { ...codeRing, has: () => false },
          });
    const refused = {
      kind: 'refused',
      code: what === 'the number' ? 'unsupported_destination' : 'custom_code_not_allowed',
    };
    const request = asked(what === 'the number' ? {} : { code: '04261738' });
    const operation = operationFor(request.to);
    const again = { ...request, operation, isAskedBefore: true };
    expect(await late.engine.starter.send(again)).toMatchObject(refused);
    expect(await early.engine.starter.send({ ...request, operation })).toMatchObject({ kind: 'sent' });
    expect(await late.engine.starter.send(again)).toMatchObject({ kind: 'sent', session: { id: operation, sends: 1 } });
    // Another call is refused, and one with a key is answered by what was stored.
    expect(await late.engine.starter.send(request)).toMatchObject(refused);
    const idempotency = { route: '/v1/verify/send', key: `refused ${what}`, request: '{}' };
    const keyed = { ...request, purpose: 'keyed', idempotency };
    expect(await late.engine.starter.send(keyed)).toMatchObject(refused);
    expect(await early.engine.starter.send(keyed)).toMatchObject({ kind: 'sent' });
    expect(await late.engine.starter.send(keyed)).toMatchObject({ kind: 'replayed' });
  },
);

test('a send that opened a session resends no other one when it is done again', async () => {
  const request = sendRequest();
  const operation = operationFor(request.to);
  const send = (by: TestEngine) => by.engine.starter.sendSettled({ ...request, operation });
  expect(await send(one)).toMatchObject({ kind: 'sent', session: { id: operation } });
  await one.engine.cancel({ ...request, id: operation });
  const next = await opened(two, request);
  expect(await send(two)).toMatchObject({ kind: 'sent', session: { id: operation, status: 'canceled' } });
  expect(await stored(next)).toMatchObject({ status: 'pending', sends: 1 });
});

test('nothing went wrong on the way', () => {
  expect(engines.flatMap(({ errors }) => errors)).toEqual([]);
});
