// Send, check, get and cancel as a client meets them: answers, refusals, and what nobody else may see.
import { randomBytes } from 'node:crypto';
import { toJsonString } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../../src/core/ids.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { SessionSchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { CheckResponseSchema, SendResponseSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { newCaller, newNumber, refusalOf, startProcess, type TestProcess } from './verify-service.ts';

const database = await testDatabase();
const ramz = await startProcess(database);

/** A session whose SMS the carrier has taken. */
async function sent(process: TestProcess = ramz, caller = newCaller(), more = {}) {
  const to = newNumber();
  const answer = await process.send(caller, { to, ...more });
  const taken = async () => (await process.get(caller, answer.id)).messages[0]?.status === 'submitted';
  await until(taken, { what: 'the carrier to take the message' });
  const message = process.sms?.sent.findLast((each) => each.to === to);
  if (!message) throw new Error('nothing was sent');
  return { caller, to, answer, id: answer.id, code: message.code, message };
}
/** Quoted or by itself: six digits are easily part of a longer number. */
const byItself = (code: string) => new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`);

const wrong = (code: string): string => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

test('a code is sent, delivered and verified, and stands nowhere', async () => {
  const { caller, to, answer, id, code, message } = await sent(ramz, newCaller(), {
    purpose: 'login',
    clientReference: 'order-1042',
    language: 'fr',
  });
  expect(answer).toMatchObject({
    status: 'pending',
    delivery: 'sending',
    to,
    channel: 'sms',
    purpose: 'login',
    test: false,
    cascade: [{ channel: 'sms', timeoutSeconds: 15 }, { channel: 'whatsapp' }, { channel: 'voice' }],
  });
  expect(Number(answer.resendAfter!.seconds - answer.createdAt!.seconds)).toBe(30);
  expect(Number(answer.expiresAt!.seconds - answer.createdAt!.seconds)).toBe(600);

  await ramz.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  const checked = await ramz.check(caller, { id, code });
  expect(checked).toMatchObject({ valid: true, id, status: 'verified', reason: '', attemptsRemaining: 4 });
  expect(checked.verifiedAt).toBeDefined();

  const session = await ramz.get(caller, id);
  expect(session).toMatchObject({
    status: 'verified',
    delivery: 'delivered',
    language: 'fr',
    codeLength: 6,
    run: 1,
    sends: 1,
    attemptsRemaining: 4,
    clientReference: 'order-1042',
    totalCost: [{ amount: '2.50', currency: 'DZD', final: true }],
  });
  expect(session.resendAfter).toBeUndefined();
  expect(session.firstSendAt).toBeDefined();
  const [told] = session.messages;
  expect(told).toMatchObject({ status: 'delivered', operator: 'atlas', parts: 1, cost: { amount: '2.50' } });
  expect(told?.receipts).toMatchObject([
    { sessionId: id, messageId: told?.id, to, status: 'DELIVRD', errorCode: '000', clientReference: 'order-1042' },
  ]);
  expect(session.timeline.map(({ kind }) => kind)).toEqual([
    'session_opened',
    'leg_started',
    'message_submitted',
    'receipt_received',
    'delivery_delivered',
    'code_checked',
    'session_verified',
  ]);
  const said = [
    toJsonString(SendResponseSchema, answer),
    toJsonString(CheckResponseSchema, checked),
    toJsonString(SessionSchema, session),
  ];
  for (const text of said) expect(text).not.toMatch(byItself(code));
});

test('every reason a code is not valid is a 200', async () => {
  const { caller, id, code } = await sent();
  expect(await ramz.check(caller, { id, code: wrong(code) })).toMatchObject({
    valid: false,
    reason: 'incorrect_code',
    attemptsRemaining: 4,
    status: 'pending',
  });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: true });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: false, reason: 'already_verified' });

  const canceled = await sent();
  await ramz.cancel(canceled.caller, canceled.id);
  expect(await ramz.check(canceled.caller, { id: canceled.id, code: canceled.code })).toMatchObject({
    valid: false,
    reason: 'canceled',
  });

  const used = await sent();
  for (let n = 0; n < 5; n += 1) await ramz.check(used.caller, { id: used.id, code: wrong(used.code) });
  expect(await ramz.check(used.caller, { id: used.id, code: used.code })).toMatchObject({
    valid: false,
    reason: 'too_many_attempts',
    status: 'failed',
    attemptsRemaining: 0,
  });
});

test('a correct fifth try passes', async () => {
  const { caller, id, code } = await sent();
  for (let n = 0; n < 4; n += 1) await ramz.check(caller, { id, code: wrong(code) });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: true, attemptsRemaining: 0 });
});

test('what is not digits of the right length costs no try; digits of any keyboard are read', async () => {
  const { caller, id, code } = await sent();
  for (const typed of [code.slice(1), `${code}0`, 'abcdef', '-']) {
    expect(await refusalOf(ramz.check(caller, { id, code: typed }))).toMatchObject({
      code: 'invalid_code',
      field: 'code',
      httpStatus: 400,
    });
  }
  const persian = [...code].map((digit) => String.fromCharCode(0x6f0 + Number(digit))).join('');
  expect(await ramz.check(caller, { id, code: ` ${persian.slice(0, 3)}-${persian.slice(3)} ` })).toMatchObject({
    valid: true,
    attemptsRemaining: 4,
  });
});

test('a session is found by number and purpose, also when it is over', async () => {
  const { caller, to, id, code } = await sent(ramz, newCaller(), { purpose: 'login' });
  expect(await refusalOf(ramz.check(caller, { to, code }))).toMatchObject({ code: 'session_not_found' });
  expect(await ramz.check(caller, { to, purpose: 'login', code })).toMatchObject({ valid: true, id });
  expect(await ramz.check(caller, { to, purpose: 'login', code })).toMatchObject({ reason: 'already_verified', id });
  expect(await refusalOf(ramz.check(caller, { to: '0550', code }))).toMatchObject({
    code: 'invalid_phone_number',
    field: 'to',
  });
  const other = newCaller();
  expect(await refusalOf(ramz.check(other, { to, purpose: 'login', code }))).toMatchObject({
    code: 'session_not_found',
    httpStatus: 404,
  });
});

test('a purpose beside an id is refused, and not passed over: the session may be of another one', async () => {
  const { caller, id, code } = await sent(ramz, newCaller(), { purpose: 'login' });
  expect(await refusalOf(ramz.check(caller, { id, purpose: 'payment', code }))).toMatchObject({
    code: 'invalid_argument',
    field: 'purpose',
    message: 'purpose is taken with to only',
  });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: true, attemptsRemaining: 4 });
});

test('it is found by its number as long as it is kept', async () => {
  const { caller, to, id, code } = await sent(ramz, newCaller());
  expect(await ramz.check(caller, { to, code })).toMatchObject({ valid: true, id });
  // As if it were of the first days of a long retention: ids begin with their time.
  const at = Date.now() - 20 * 86_400_000;
  await ensurePartitions(database.db, at, 30);
  const old = newId('vrf_', { nowMs: at, shard: 0, random: randomBytes(10) });
  await sql`insert into verify_session select (jsonb_populate_record(s, jsonb_build_object('id', ${old}::text,
    'number', '+213551111111', 'status', 'expired'))).* from verify_session s where id = ${id}`.execute(database.db);
  expect(await ramz.check(caller, { to: '+213551111111', code })).toMatchObject({ valid: false, id: old });
});

test('a second send is refused in time and in content, and says by what', async () => {
  const { caller, to, id } = await sent(ramz, newCaller(), { codeLength: 7 });
  const soon = await refusalOf(ramz.send(caller, { to }));
  expect(soon).toMatchObject({ code: 'resend_too_soon', httpStatus: 429, metadata: { session_id: id } });
  expect(soon.retryAfter).toBeGreaterThan(25);
  expect(soon.retryAfter).toBeLessThanOrEqual(30);
  expect(Date.parse(soon.metadata.resend_after ?? '')).toBeGreaterThan(Date.now());
  expect(await refusalOf(ramz.send(caller, { to, codeLength: 8 }))).toMatchObject({
    code: 'session_differs',
    field: 'code_length',
    httpStatus: 409,
    metadata: { session_id: id },
  });
  expect(await refusalOf(ramz.send(caller, { to, cascade: [{ channel: 'sms' }] }))).toMatchObject({ field: 'cascade' });
});

test('a resend is the same session in a new run; after the last one the session has to end first', async () => {
  const quick = await startProcess(database, { rules: { resendIntervalMs: 0, maxSends: 2 } });
  const { caller, to, id } = await sent(quick);
  const again = await quick.send(caller, { to, channel: 'sms' });
  expect(again).toMatchObject({ id, channel: 'sms' });
  expect(again.resendAfter).toBeUndefined();
  expect(await quick.get(caller, id)).toMatchObject({ run: 2, sends: 2 });
  const last = await refusalOf(quick.send(caller, { to }));
  expect(last).toMatchObject({ code: 'too_many_sends', httpStatus: 429, metadata: { session_id: id } });
  expect(last.retryAfter).toBeGreaterThan(590);
});

test('where no leg can be used nothing is stored', async () => {
  const mute = await startProcess(database, { sms: null });
  const caller = newCaller();
  expect(await refusalOf(mute.send(caller, { to: newNumber() }))).toMatchObject({
    code: 'no_route',
    httpStatus: 400,
    metadata: { reasons: 'channel_not_configured' },
  });
  expect((await mute.list(caller)).sessions).toEqual([]);
});

test.each([
  [{ to: '+21355' }, 'invalid_phone_number', 'to'],
  [{ to: '+33612345678' }, 'unsupported_destination', 'to'],
  [{ to: '+213550000001' }, 'scenario_number', 'to'],
  [{ to: '+213551112233', senderId: 'Nobody' }, 'sender_id_not_approved', 'sender_id'],
  [{ to: '+213551112233', channel: 'pigeon' }, 'invalid_argument', 'channel'],
  [{ to: '+213551112233', codeLength: 4 }, 'invalid_argument', 'code_length'],
  [{ to: '+213551112233', purpose: 'a\0b' }, 'invalid_argument', 'purpose'],
])('%j is refused: %s', async (request, code, field) => {
  expect(await refusalOf(ramz.send(newCaller(), request))).toMatchObject({ code, field, httpStatus: 400 });
});

test('canceling twice is the same as once; what is verified stays so', async () => {
  const { caller, id, code } = await sent();
  const first = await ramz.cancel(caller, id);
  expect(first).toMatchObject({ status: 'canceled', statusReason: 'canceled_by_client' });
  expect(await ramz.cancel(caller, id)).toEqual(first);
  const done = await sent();
  await ramz.check(done.caller, { id: done.id, code: done.code });
  expect(await refusalOf(ramz.cancel(done.caller, done.id))).toMatchObject({
    code: 'session_not_pending',
    httpStatus: 409,
    metadata: { status: 'verified' },
  });
  expect(code).toHaveLength(6);
});

test("another account's and the other mode's sessions do not exist, and nothing happens to them", async () => {
  const { caller, id, code } = await sent();
  const before = await ramz.get(caller, id);
  const watching = new AbortController();
  for (const stranger of [newCaller(), newCaller('test'), { ...caller, mode: 'test' as const }]) {
    const watch = async () => {
      for await (const _ of ramz.watch(stranger, id, watching.signal)) return;
    };
    for (const call of [
      () => ramz.get(stranger, id),
      () => ramz.check(stranger, { id, code }),
      () => ramz.check(stranger, { id, code: 'x' }),
      () => ramz.cancel(stranger, id),
      watch,
    ]) {
      expect(await refusalOf(call())).toMatchObject({ code: 'session_not_found', httpStatus: 404 });
    }
    expect((await ramz.list(stranger)).sessions).toEqual([]);
  }
  expect(await ramz.get(caller, id)).toEqual(before);
});

test('a test key has its own session for the same number', async () => {
  const { caller, to, id } = await sent();
  const inTest = await ramz.send({ ...caller, mode: 'test' }, { to });
  expect(inTest).toMatchObject({ test: true });
  expect(inTest.id).not.toBe(id);
  expect(await ramz.check({ ...caller, mode: 'test' }, { to, code: '000000' })).toMatchObject({
    valid: true,
    id: inTest.id,
    test: true,
  });
});

test.each(['vrf_', 'vrf_1', `${ids('vrf_')}0`, ids('msg_'), "vrf_' or 1=1 --", 'vrf_0000000000000000000000000u'])(
  '%j is no id: unknown, and never asked for',
  async (id) => {
    const queries: unknown[] = [];
    const caller = newCaller();
    const { load } = ramz.engine.store;
    ramz.engine.store.load = async (key) => {
      queries.push(key);
      return load(key);
    };
    try {
      for (const call of [ramz.get(caller, id), ramz.check(caller, { id, code: '123456' }), ramz.cancel(caller, id)]) {
        expect(await refusalOf(call)).toMatchObject({ code: 'session_not_found' });
      }
    } finally {
      ramz.engine.store.load = load;
    }
    expect(queries).toEqual([]);
  },
);

test('no code is stored in any form that gives it away', async () => {
  const { caller, id, code } = await sent();
  await ramz.check(caller, { id, code: wrong(code) }, 'key-of-a-check');
  await ramz.check(caller, { id, code }, 'key-of-another');
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(t)::text as text from verify_session t where id = ${id}
    union all select to_jsonb(t)::text from message t where session_id = ${id}
    union all select to_jsonb(t)::text from idempotency t where account_id = ${caller.accountId}`.execute(database.db);
  expect(rows).toHaveLength(4);
  for (const { text } of rows) expect(text).not.toMatch(byItself(code));
});

test('nothing was logged as an error', () => {
  expect(ramz.errors).toEqual([]);
});

test('a user who asked for English may have the same code by a call', async () => {
  const { caller, to } = await sent(ramz, newCaller('test'), { language: 'en' });
  const again = { to, language: 'en' };
  expect(await refusalOf(ramz.send(caller, again))).toMatchObject({ code: 'resend_too_soon' });
  expect(await refusalOf(ramz.send(caller, { ...again, channel: 'voice' }))).toMatchObject({ code: 'resend_too_soon' });
  expect(await refusalOf(ramz.send(caller, { ...again, language: 'fr' }))).toMatchObject({ field: 'language' });
});
