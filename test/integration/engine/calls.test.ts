// Calls in a deployment of several processes: a call stays with the process that made it, which stops it whoever asks, and when that process
// dies another one settles what no receipt will end.
import { once } from 'node:events';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Accepted, AnsweredCall, SendOutcome } from '../../../src/channels/channel.ts';
import type { CallReport } from '../../../src/core/verify/call.ts';
import { echoedReference, type Message, type Session } from '../../../src/core/verify/session.ts';
import { testDatabase } from '../../support/database.ts';
import { CallingChannel, ScriptedChannel, sendRequest, type TestEngine, testEngine } from '../../support/engine.ts';
import { machineClock } from '../../support/machine-clock.ts';
import { callReport, receiptOf } from '../../support/session.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const { url } = database;

/** A session whose phone rings: its one leg is a call of the first process, or the call is followed by an SMS. */
async function calling({ thenSms = false } = {}) {
  const phone = new CallingChannel();
  const maker = await testEngine(database, { voice: phone, url });
  const elsewhere = new CallingChannel();
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { voice: elsewhere, sms, url });
  const cascade = [
    { channel: 'voice' as const, timeoutMs: 45_000 },
    ...(thenSms ? [{ channel: 'sms' as const, timeoutMs: 15_000 }] : []),
  ];
  const request = sendRequest({ channel: 'voice', cascade });
  const result = await maker.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  const key = { accountId: request.accountId, id: result.session.id };
  await maker.engine.dispatcher.idle();
  const [sent] = phone.sent;
  if (!sent) throw new Error('no call was made');
  const load = async (): Promise<Session> => {
    const loaded = await other.engine.store.load(key);
    if (!loaded) throw new Error('the session is gone');
    return loaded.session;
  };
  const check = ({ engine }: TestEngine) =>
    engine.checker.check({
      accountId: request.accountId,
      mode: 'live',
      target: { id: key.id },
      code: sent.code,
      idempotency: null,
    });
  const call = async (): Promise<Message> => (await load()).messages[0] as Message;
  return { maker, other, phone, elsewhere, sms, key, messageId: sent.id, route: sent.route, load, call, check };
}

type Calling = Awaited<ReturnType<typeof calling>>;

const up: Partial<CallReport> = { state: 'answered', ringMs: 5_000, answeredAt: 5_000, sipCode: 200 };

const answer = ({ maker, key, messageId }: Calling, holdForMs = 120_000): Promise<void> => {
  const answered: AnsweredCall = {
    accountId: key.accountId,
    sessionId: key.id,
    messageId,
    call: callReport(up),
    holdUntil: Date.now() + holdForMs,
  };
  return maker.engine.receipts.takeAnswered(answered);
};

const report = ({ maker, messageId, route }: Calling, change: Partial<CallReport>): Promise<void> => {
  const call = callReport({ ...up, ...change });
  const heard = call.state === 'heard';
  return maker.engine.receipts.take({
    operator: 'voice',
    references: [echoedReference(route, messageId)],
    number: null,
    receipt: {
      ...receiptOf(heard ? 'DELIVRD' : 'UNDELIV', Date.now()),
      providerStatus: call.state,
      detail: heard ? 'answered' : null,
      errorCode: null,
      call,
    },
  });
};

const cutListeners = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'ramz notices'`.execute(database.db);

test('a call is filed before it is made, rings in its message, and names its process', async () => {
  const made = await calling();
  expect(await made.call()).toMatchObject({ status: 'submitted', holder: made.maker.fleet.processId });
  expect(await made.call()).toMatchObject({ call: { state: 'ringing' }, cost: { amount: '0.00', final: false } });
  expect(made.maker.engine.calls.size).toBe(1);
  expect(made.other.engine.calls.size).toBe(0);
  await report(made, { state: 'busy', answeredAt: null, talkSeconds: 0, ended: true });
  expect(await made.call()).toMatchObject({ status: 'undelivered', holder: null });
  expect(made.maker.engine.calls.size).toBe(0);
});

test('an answered call holds its leg, is heard, and costs what it took', async () => {
  const made = await calling();
  await answer(made);
  expect((await made.load()).legEndsAt).toBeGreaterThan(Date.now() + 100_000);
  await report(made, { state: 'heard', keys: 1, readings: 1 });
  expect(await made.load()).toMatchObject({ delivery: 'delivered', legEndsAt: null });
  await report(made, { state: 'heard', keys: 1, readings: 2, talkSeconds: 24, ended: true });
  const { timeline, eventSequence } = await made.load();
  expect(await made.call()).toMatchObject({
    status: 'answered',
    holder: null,
    parts: 24,
    call: { talkSeconds: 24, ended: true },
    cost: { amount: '12.00', parts: 24, final: true, revision: 2 },
  });
  const found = await made.other.engine.find({ accountId: made.key.accountId, mode: 'live', id: made.key.id });
  expect(found?.receipts.map(({ call }) => [call?.readings, call?.ended])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(eventSequence).toBe(3); // message.submitted, and receipt.updated twice.
  expect(timeline.map(({ kind, call }) => [kind, call?.state ?? null]).slice(-4)).toEqual([
    ['call_answered', 'answered'],
    ['receipt_received', 'heard'],
    ['delivery_delivered', null],
    ['receipt_received', 'heard'],
  ]);
});

test('a call that is answered before its ringing is stored has rung first, and holds its leg', async () => {
  const phone = new CallingChannel();
  const { promise: answer, resolve } = Promise.withResolvers<SendOutcome>();
  phone.answer = () => answer;
  const { engine } = await testEngine(database, { voice: phone });
  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const call = await until(() => phone.sent[0], { what: 'the call to be placed' });
  const accepted = new CallingChannel().answer(call) as Accepted;
  const { accountId } = request;
  const about = { accountId, sessionId: sent.session.id, messageId: call.id };
  const holdUntil = Date.now() + 120_000;
  await engine.receipts.takeAnswered({ ...about, call: callReport(up), holdUntil, accepted });
  resolve(accepted);
  await engine.dispatcher.idle();
  const session = (await engine.store.load({ accountId, id: sent.session.id }))?.session;
  expect(session?.timeline.map(({ kind, call: stood }) => [kind, stood?.state]).slice(-2)).toEqual([
    ['message_submitted', 'ringing'],
    ['call_answered', 'answered'],
  ]);
  expect(session?.legEndsAt).toBe(holdUntil);
});

test('a code that is checked in another process stops the ringing within a second and a half', async () => {
  const made = await calling();
  const clock = machineClock(async () => {});
  const startedAt = Date.now();
  expect(await made.check(made.other)).toMatchObject({ kind: 'checked' });
  await until(() => made.phone.stopped.length > 0, { what: 'the call to be stopped' });
  expect(clock.between(startedAt, Date.now())).toBeLessThan(1_500);
  await clock.stop();
  expect(made.phone.stopped).toEqual([[made.messageId, 'session_over']]);
  expect(made.elsewhere.stopped).toEqual([]);
});

test('a process stops its own call without a notice', async () => {
  const made = await calling();
  await made.maker.peers.stop();
  await made.check(made.maker);
  expect(made.phone.stopped).toEqual([[made.messageId, 'session_over']]);
});

test('what was asked for while a process could not hear is done when it hears again', async () => {
  const made = await calling();
  await cutListeners();
  await made.check(made.other);
  await until(() => made.phone.stopped.length > 0, { what: 'the call to be stopped' });
  expect(made.phone.stopped[0]).toEqual([made.messageId, 'session_over']);
});

test('a notice that no process sends is counted, and the next one is heard', async () => {
  const made = await calling();
  const { processId } = made.maker.fleet;
  const stop = { kind: 'stop', mode: 'live', channel: 'voice', sessionId: 's', messageId: 'm', why: 'leg_over' };
  const wrong = [
    '',
    '{',
    'null',
    '[]',
    '"stop"',
    { ...stop, kind: 'go' },
    { ...stop, why: 'because' },
    { ...stop, messageId: 5 },
  ];
  for (const each of wrong) {
    const payload = typeof each === 'string' ? each : JSON.stringify(each);
    await sql`select pg_notify(${`ramz_${processId}`}, ${payload})`.execute(database.db);
  }
  await sql`select pg_notify(${`ramz_${processId}`}, ${JSON.stringify(stop)})`.execute(database.db);
  await until(() => made.phone.stopped.length > 0, { what: 'the good notice' });
  expect(made.phone.stopped).toEqual([['m', 'leg_over']]);
  expect(made.maker.peers.ignored).toBe(wrong.length);
  expect(made.maker.errors).toEqual([]);
});

test('a call that rings when its process dies: unknown, never made again, and the next leg at once', async () => {
  const made = await calling({ thenSms: true });
  await made.other.engine.sweep('sweep');
  expect(await made.call()).toMatchObject({ status: 'submitted' }); // Its process lives.
  await made.maker.fleet.leave();
  await made.other.engine.sweep('sweep');
  await made.other.engine.dispatcher.idle();
  expect(await made.call()).toMatchObject({
    status: 'unknown',
    reason: 'process_lost',
    holder: null,
    call: { ended: true },
    cost: { final: false },
  });
  expect(made.sms.sent.map(({ sessionId }) => sessionId)).toEqual([made.key.id]);
  await made.other.engine.sweep('sweep');
  expect(made.elsewhere.sent).toEqual([]);
});

test('a call that was answered when its process dies: the same, though its leg would have held', async () => {
  const made = await calling({ thenSms: true });
  await answer(made);
  await made.maker.fleet.leave();
  await made.other.engine.sweep('sweep');
  await made.other.engine.dispatcher.idle();
  expect(await made.call()).toMatchObject({ status: 'unknown', reason: 'process_lost', call: { ended: true } });
  expect(made.sms.sent).toHaveLength(1);
});

test('a call that was heard when its process dies stays delivered', async () => {
  const made = await calling({ thenSms: true });
  await answer(made);
  await report(made, { state: 'heard', keys: 1, readings: 1 });
  await made.maker.fleet.leave();
  await made.other.engine.sweep('sweep');
  expect(await made.call()).toMatchObject({ status: 'answered', holder: null, call: { state: 'heard', ended: true } });
  expect(await made.load()).toMatchObject({ delivery: 'delivered', messages: [{}] });
  expect(made.sms.sent).toEqual([]);
});

test('a call that is being placed when its process dies: unknown, and the next leg at once', async () => {
  const phone = new CallingChannel();
  phone.answer = () => new Promise(() => {});
  const maker = await testEngine(database, { voice: phone });
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { voice: new CallingChannel(), sms });
  const cascade = [
    { channel: 'voice' as const, timeoutMs: 45_000 },
    { channel: 'sms' as const, timeoutMs: 15_000 },
  ];
  const request = sendRequest({ channel: 'voice', cascade });
  await maker.engine.starter.sendSettled(request);
  await until(() => phone.sent.length === 1, { what: 'the call to be placed' });
  await maker.fleet.leave();
  await other.engine.sweep('sweep');
  await other.engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(1);
  const { rows } = await sql`select status, reason, holder from message where id = ${phone.sent[0]?.id}`.execute(
    database.db,
  );
  expect(rows).toEqual([{ status: 'unknown', reason: 'process_lost', holder: null }]);
});

test('a call that was not placed after a resend in another process is withdrawn, and held by none', async () => {
  const phone = new CallingChannel();
  const { promise: answer, resolve } = Promise.withResolvers<SendOutcome>();
  phone.answer = () => answer;
  const rules = { resendIntervalMs: 0 };
  const maker = await testEngine(database, { voice: phone, url, rules });
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { voice: new CallingChannel(), sms, url, rules });
  const cascade = [
    { channel: 'voice' as const, timeoutMs: 45_000 },
    { channel: 'sms' as const, timeoutMs: 15_000 },
  ];
  const request = sendRequest({ channel: 'voice', cascade });
  const sent = await maker.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await until(() => phone.sent.length === 1, { what: 'the call to be placed' });
  expect(await other.engine.starter.sendSettled({ ...request, channel: 'sms' })).toMatchObject({ kind: 'sent' });
  await until(() => phone.stopped.length === 1, { what: 'the call to be stopped' });
  resolve({ kind: 'not_sent', reason: 'leg_over' });
  await Promise.all([maker, other].map(({ engine }) => engine.dispatcher.idle()));
  const key = { accountId: request.accountId, id: sent.session.id };
  expect((await other.engine.store.load(key))?.session.messages).toMatchObject([
    { channel: 'voice', status: 'withdrawn', holder: null },
    { channel: 'sms', status: 'submitted' },
  ]);
  expect(maker.engine.calls.size).toBe(0);
});

test('a resend in another process calls again once the call before it is over', async () => {
  const rules = { resendIntervalMs: 0 };
  const phones = [new CallingChannel(), new CallingChannel()] as const;
  const maker = await testEngine(database, { voice: phones[0], url, rules });
  const other = await testEngine(database, { voice: phones[1], url, rules });
  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  await maker.engine.starter.sendSettled(request);
  await maker.engine.dispatcher.idle();
  const first = await until(() => phones[0].sent[0], { what: 'the first call' });
  expect(await other.engine.starter.sendSettled({ ...request, channel: 'voice' })).toMatchObject({ kind: 'sent' });
  await until(() => phones[0].stopped.length === 1, { what: 'the first call to be stopped' });
  await other.engine.dispatcher.idle();
  expect(phones[1].sent).toEqual([]);
  const canceled = callReport({ state: 'canceled', sipCode: 487, talkSeconds: 0, ended: true });
  await maker.engine.receipts.take({
    operator: 'voice',
    references: [echoedReference(first.route, first.id)],
    number: null,
    receipt: { ...receiptOf('UNDELIV', Date.now()), providerStatus: 'canceled', call: canceled },
  });
  await maker.engine.dispatcher.idle();
  // The process that saves the end of the first call makes the next one.
  expect(phones[0].sent.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, first.sessionId]);
});

test('a call whose session ends in the very save that lets it begin is not made', async () => {
  const phone = new CallingChannel();
  const free = Promise.withResolvers<void>();
  const reserve = phone.reserve.bind(phone);
  phone.reserve = () => free.promise.then(reserve);
  const together = Promise.withResolvers<void>();
  const query = async (config: { name?: string }) => {
    if (config.name?.startsWith('save')) await together.promise;
    return database.lanes.query(config as never);
  };
  const { engine } = await testEngine({ ...database, lanes: { query } as never }, { voice: phone });
  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  // While it is being saved, the mark and the end meet in the next save.
  const busy = engine.sessions.apply(key, { kind: 'check', correct: false });
  free.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  const canceled = engine.sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
  together.resolve();
  await Promise.all([busy, canceled]);
  await engine.dispatcher.idle();
  expect(phone.sent).toEqual([]);
  const { version, messages } = (await engine.store.load(key))?.session ?? {};
  expect(messages).toMatchObject([{ status: 'withdrawn', holder: null }]);
  expect(version).toBe(4); // Opened, a wrong code, the mark with the end, the withdrawal.
  expect(engine.calls.size).toBe(0);
});

test('the call of a resend is made where the call before it ends in the very save in which its line gets free', async () => {
  const phone = new CallingChannel();
  const reserve = phone.reserve.bind(phone);
  const free = Promise.withResolvers<void>();
  let wanted = 0;
  phone.reserve = async () => {
    wanted += 1;
    if (wanted > 1) await free.promise;
    return reserve();
  };
  const saving = Promise.withResolvers<void>();
  let isSlow = false;
  let begun = 0;
  const query = async (config: { name?: string }) => {
    if (isSlow && config.name?.startsWith('save')) {
      begun += 1;
      await saving.promise;
    }
    return database.lanes.query(config as never);
  };
  const { engine } = await testEngine(
    { ...database, lanes: { ...database.lanes, query } as never },
    { voice: phone, rules: { resendIntervalMs: 0 } },
  );
  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  const first = await until(() => phone.sent[0], { what: 'the first call' });
  await engine.dispatcher.idle();
  await engine.starter.sendSettled(request);
  await until(() => wanted === 2, { what: 'the second call to wait for the line' });
  // While the session is saved, the mark of the second call and the end of the first meet in the next save.
  isSlow = true;
  const checked = engine.sessions.apply(key, { kind: 'check', correct: false });
  await until(() => begun === 1, { what: 'the check to be saved' });
  free.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  const call = callReport({ state: 'canceled', ringMs: 3_000, talkSeconds: 0, sipCode: 487, ended: true });
  const ended = engine.receipts.take({
    operator: 'voice',
    references: [echoedReference(first.route, first.id)],
    number: null,
    receipt: { ...receiptOf('UNDELIV', Date.now()), providerStatus: 'canceled', errorCode: null, call },
  });
  await new Promise((resolve) => setImmediate(resolve));
  isSlow = false;
  saving.resolve();
  await Promise.all([checked, ended]);
  await until(() => phone.sent.length === 2, { what: 'the second call' });
});

test('a process that was taken for dead stops its call when it hears of it, and again when it may have missed it', async () => {
  const made = await calling({ thenSms: true });
  await made.maker.fleet.leave();
  await made.other.engine.sweep('sweep');
  await until(() => made.phone.stopped.length === 1, { what: 'the call to be stopped' });
  await cutListeners();
  await until(() => made.phone.stopped.length === 2, { what: 'the call to be looked at again' });
  const stopped = [made.messageId, 'leg_over'];
  expect(made.phone.stopped).toEqual([stopped, stopped]);
});

/** A phone whose channels are all taken: calls wait for one until their leg is over. One would be free each second. */
class BusyPhone extends CallingChannel {
  readonly waiting = new Set<AbortSignal>();

  override ratePerSecond(): never {
    return 1 as never;
  }

  override async reserve(_route?: string, signal = new AbortController().signal): Promise<null> {
    this.waiting.add(signal);
    await once(signal, 'abort');
    this.waiting.delete(signal);
    return null;
  }
}

test('a call that waits for a channel leaves the line while its leg still has the time to ring, and the next leg starts', async () => {
  const phone = new BusyPhone();
  const sms = new ScriptedChannel();
  const clock = { now: Date.now() };
  const { engine } = await testEngine(database, { voice: phone, sms, now: () => clock.now });
  const cascade = [
    { channel: 'voice' as const, timeoutMs: 45_000 },
    { channel: 'sms' as const, timeoutMs: 15_000 },
  ];
  const request = sendRequest({ channel: 'voice', cascade });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  await until(() => phone.waiting.size === 1, { what: 'the call to wait' });
  clock.now += 16_999;
  expect(await engine.sessions.apply(key, { kind: 'deadline' })).toMatchObject({ outcome: { kind: 'ignored' } });
  clock.now += 1;
  expect(await engine.sessions.apply(key, { kind: 'deadline' })).toMatchObject({ outcome: { kind: 'done' } });
  await until(() => sms.sent.length === 1, { what: 'the next leg' });
  await engine.dispatcher.idle();
  expect(phone.waiting.size).toBe(0);
  expect((await engine.store.load(key))?.session.messages).toMatchObject([
    { channel: 'voice', status: 'withdrawn' },
    { channel: 'sms', status: 'submitted' },
  ]);
});

test('a call that would wait until its leg has no time to ring is refused', async () => {
  const phone = new BusyPhone();
  const startedAt = Date.now();
  const { engine } = await testEngine(database, { voice: phone, now: () => startedAt });
  const send = () =>
    engine.starter.sendSettled(sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] }));
  for (let n = 0; n < 18; n += 1) expect(await send()).toMatchObject({ kind: 'sent' });
  expect(await send()).toMatchObject({ kind: 'overloaded', retryAfterMs: 1_000 });
  engine.dispatcher.stop();
  await engine.dispatcher.idle();
});
