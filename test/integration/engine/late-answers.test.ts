// Answers that come late or never, and the receipts that make good for them.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OutgoingMessage, SendOutcome } from '../../../src/channels/channel.ts';
import { type Counter, counters, rollupsOf } from '../../../src/core/reports/rollup.ts';
import { hourMs } from '../../../src/time/wall-clock.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { testAccount, testWebhooks } from '../webhooks/support.ts';

const database = await testDatabase();

async function opened(sms: ScriptedChannel, change = {}) {
  const first = await testEngine(database, { sms });
  const request = sendRequest(change);
  const result = await first.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  return { ...first, request, key: { accountId: request.accountId, id: result.session.id } };
}

/** A carrier that takes what is written and never answers. */
function silentChannel(): ScriptedChannel {
  const lost = new ScriptedChannel();
  lost.answer = () => ({ kind: 'unknown', reason: 'timeout' });
  return lost;
}

/** The `n`-th message, once it was written and given up. */
async function lostMessage(engine: Awaited<ReturnType<typeof opened>>['engine'], lost: ScriptedChannel, n = 1) {
  await until(() => lost.sent.length === n, { what: 'the message to be written' });
  await engine.dispatcher.idle();
  return lost.sent[n - 1] as OutgoingMessage;
}

const told = (reference: string) =>
  ({ kind: 'accepted', providerMessageId: reference, reference, parts: 1, tariff: null }) as const;

/** Parked receipts have waited for so long that a phone alone may tell their message. */
const letWait = () => sql`update parked_receipt set received_at = now() - interval '4 seconds'`.execute(database.db);

test('an answer that comes after the message was given up is still taken in', async () => {
  let answer = (_: SendOutcome) => {};
  const slow = new ScriptedChannel();
  slow.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const asleep = await opened(slow);
  await until(() => slow.sent.length === 1, { what: 'the message to be written' });
  await asleep.fleet.leave();
  const heir = await testEngine(database, { sms: new ScriptedChannel() });
  await heir.engine.sweep('sweep');
  answer(told('late'));
  await asleep.engine.dispatcher.idle();
  const [message] = (await heir.engine.store.load(asleep.key))?.session.messages ?? [];
  expect(message).toMatchObject({ status: 'submitted', providerMessageId: 'late' });
  const [sent] = slow.sent;
  if (!sent) throw new Error('nothing was sent');
  await heir.engine.receipts.take({ ...carrierReceipt(sent, 'DELIVRD'), references: ['late'] });
  expect((await heir.engine.store.load(asleep.key))?.session.delivery).toBe('delivered');
});

test('an answer that comes late, while the database is away, is kept until it is back', async () => {
  const lost = silentChannel();
  let away = false;
  const query = (config: object) =>
    away
      ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      : database.lanes.query(config as never);
  const { engine, errors } = await testEngine({ ...database, lanes: { query } as never }, { sms: lost });
  const request = sendRequest();
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  const { id: messageId } = await lostMessage(engine, lost);
  const key = { accountId: request.accountId, sessionId: result.session.id, messageId };
  away = true;
  const taken = engine.receipts.takeLateAnswer({ ...key, operator: 'atlas', outcome: told('late') });
  await until(() => errors.length >= 2, { what: 'two tries to fail' });
  away = false;
  await taken;
  expect((await engine.store.load({ ...key, id: key.sessionId }))?.session.messages).toMatchObject([
    { status: 'submitted', providerMessageId: 'late' },
  ]);
});

test('a refusal that comes after the message was given up ends its leg at once', async () => {
  const lost = silentChannel();
  const { engine, key } = await opened(lost);
  const { id: messageId } = await lostMessage(engine, lost);
  const outcome = { kind: 'rejected', reason: 'submit_refused', errorCode: 'ESME_RINVDSTADR' } as const;
  await engine.receipts.takeLateAnswer({ ...key, sessionId: key.id, messageId, operator: 'atlas', outcome });
  expect((await engine.store.load(key))?.session).toMatchObject({
    delivery: 'exhausted',
    messages: [{ status: 'rejected' }],
  });
});

test('a receipt that tells of an answer that was lost is told with its price, whatever could not be stored at first', async () => {
  const lost = silentChannel();
  let failing = false;
  const query = (config: { name?: string }) => {
    if (!failing || !config.name?.startsWith('save')) return database.lanes.query(config as never);
    failing = false; // One statement breaks off, the next is carried out.
    return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  };
  const { engine, webhooks } = await testEngine({ ...database, lanes: { query } as never }, { sms: lost });
  const shop = await testWebhooks(database);
  const account = await testAccount(database, shop.manager);
  await account.create('https://shop.example.com/');
  const result = await engine.starter.sendSettled(sendRequest({ accountId: account.accountId }));
  if (result.kind !== 'sent') throw new Error(result.kind);
  const sent = await lostMessage(engine, lost);
  const tariff = { currency: 'DZD', amountPerPart: '2.50', charged: 'delivery', version: '1', validFrom: 0 } as const;
  const accepted = { kind: 'accepted', providerMessageId: 'p', reference: 'p', parts: 1, tariff } as const;
  const carrier = { ...carrierReceipt(sent, 'DELIVRD'), accepted };
  await sql`insert into operator_reference values ('atlas', ${`p-${sent.id}`}, ${sent.id}, ${account.accountId},
    ${result.session.id}, ${sent.to}, now())`.execute(database.db);
  failing = true;
  await expect(engine.receipts.take(carrier)).rejects.toThrow('ECONNRESET');
  await engine.receipts.take(carrier); // The operator brings it again.
  const bodies = webhooks.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === 'receipt.updated');
  expect(bodies.map(({ data }) => data.cost?.amount)).toEqual(['2.50']);
});

test('a receipt that says that a message in doubt failed leaves the second one on its way', async () => {
  const lost = silentChannel();
  const clock = { now: Date.now() };
  const { engine } = await testEngine(database, { sms: lost, now: () => clock.now });
  const result = await engine.starter.sendSettled(sendRequest());
  if (result.kind !== 'sent') throw new Error(result.kind);
  const { accountId, id } = result.session;
  const sent = await lostMessage(engine, lost);
  lost.live = false; // The second one waits for its place.
  clock.now += 10_000;
  await engine.sessions.apply({ accountId, id }, { kind: 'deadline' });
  await sql`insert into operator_reference values ('atlas', ${`p-${sent.id}`}, ${sent.id}, ${accountId},
    ${id}, ${sent.to}, now())`.execute(database.db);
  await engine.receipts.take({ ...carrierReceipt(sent, 'UNDELIV'), accepted: told(`p-${sent.id}`) });
  const session = (await engine.store.load({ accountId, id }))?.session;
  expect(session).toMatchObject({
    delivery: 'sending',
    messages: [
      { status: 'undelivered', submittedAt: expect.any(Number) },
      { status: 'queued', attempt: 2 },
    ],
  });
});

test('a receipt with an id nobody knows finds the one message to that phone whose answer never came', async () => {
  const lost = silentChannel();
  const { engine, key } = await opened(lost);
  const sent = await lostMessage(engine, lost);
  const accepted = { kind: 'accepted', providerMessageId: 'never-told', reference: 'never-told', parts: 1 } as const;
  const tariff = { currency: 'DZD', amountPerPart: '2.50', charged: 'delivery', version: '1', validFrom: 0 } as const;
  const carrier = { ...carrierReceipt(sent, 'DELIVRD'), references: ['never-told'] };
  await engine.receipts.take({ ...carrier, accepted: { ...accepted, tariff } });
  // However long this test stood still, the receipt is young.
  await sql`update parked_receipt set received_at = now() + interval '1 minute'`.execute(database.db);
  expect(await engine.receipts.retryParked()).toBe(0); // Its own message may still turn up.
  await letWait();
  expect(await engine.receipts.retryParked()).toBe(1);
  const session = (await engine.store.load(key))?.session;
  const cost = { amount: '2.50', final: true };
  expect(session).toMatchObject({ delivery: 'delivered', messages: [{ status: 'delivered', cost }] });
});

test('a receipt that was parked before a message was made is not about it, although its answer never came', async () => {
  const lost = silentChannel();
  const { engine } = await testEngine(database, { sms: lost });
  const request = sendRequest();
  /** Of another system's message to that phone, by the same account at the operator. */
  const parked = (id: string, receivedAt: number) => {
    const { receipt, ...carrier } = carrierReceipt({ id, to: request.to } as OutgoingMessage, 'DELIVRD');
    return { ...carrier, accepted: told(id), receipt: { ...receipt, receivedAt } };
  };
  await engine.receipts.take(parked('older', Date.now() - hourMs));
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await lostMessage(engine, lost);
  expect(await engine.receipts.retryParked()).toBe(0);
  const session = async () =>
    (await engine.store.load({ accountId: request.accountId, id: result.session.id }))?.session;
  expect(await session()).toMatchObject({ delivery: 'sending', messages: [{ status: 'unknown', receipts: [] }] });
  await engine.receipts.take(parked('younger', Date.now()));
  await sql`update parked_receipt set received_at = now() - interval '4 seconds'
    where reference = 'p-younger'`.execute(database.db);
  expect(await engine.receipts.retryParked()).toBe(1);
  expect(await session()).toMatchObject({ delivery: 'delivered', messages: [{ providerMessageId: 'younger' }] });
});

test('a message whose answer was lost counts as delivered no sooner than its receipt came', async () => {
  const lost = silentChannel();
  const clock = { now: Date.now() };
  const { engine } = await testEngine(database, { sms: lost, now: () => clock.now });
  const request = sendRequest();
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  const sent = await lostMessage(engine, lost);
  clock.now += 40_000;
  const id = `never-told-${sent.id}`;
  const carrier = carrierReceipt(sent, 'DELIVRD');
  const receipt = { ...carrier.receipt, operatorTimestamp: null, receivedAt: clock.now };
  await engine.receipts.take({ ...carrier, receipt, references: [id], accepted: told(id) });
  await letWait();
  expect(await engine.receipts.retryParked()).toBe(1);
  const session = (await engine.store.load({ accountId: request.accountId, id: result.session.id }))?.session;
  if (!session) throw new Error('the session is gone');
  expect(session).toMatchObject({ delivery: 'delivered', messages: [{ finalAt: clock.now }] });
  const [{ counts = [] } = {}] = rollupsOf(null, session);
  const counted = (counter: Counter) => counts[counters.indexOf(counter)];
  expect([counted('delivered'), counted('delivered_within_30s'), counted('delivered_within_60s')]).toEqual([1, 0, 1]);
});

test('a receipt of somebody else’s message to the same phone is not taken for one whose id was told late', async () => {
  const lost = silentChannel();
  const { engine, key } = await opened(lost);
  const sent = await lostMessage(engine, lost);
  const messageId = sent.id;
  await engine.receipts.takeLateAnswer({
    ...key,
    sessionId: key.id,
    messageId,
    operator: 'atlas',
    outcome: told(`own-${messageId}`),
  });
  const foreign = `another-${messageId}`;
  await engine.receipts.take({
    ...carrierReceipt(sent, 'UNDELIV'),
    references: [foreign],
    accepted: told(foreign),
  });
  await letWait();
  expect(await engine.receipts.retryParked()).toBe(0);
  expect((await engine.store.load(key))?.session).toMatchObject({
    delivery: 'sending',
    messages: [{ status: 'submitted', providerMessageId: `own-${messageId}` }],
  });
});

test('of two messages to a phone whose answers never came, each gets a receipt of its own', async () => {
  const lost = silentChannel();
  const first = await opened(lost);
  const { engine } = first;
  await lostMessage(engine, lost);
  const { accountId, to } = first.request;
  const second = await engine.starter.sendSettled(sendRequest({ accountId, to, purpose: 'another' }));
  if (second.kind !== 'sent') throw new Error(second.kind);
  await lostMessage(engine, lost, 2);
  for (const sent of lost.sent) {
    const id = `never-told-${sent.id}`;
    await engine.receipts.take({ ...carrierReceipt(sent, 'DELIVRD'), references: [id], accepted: told(id) });
    await letWait();
    expect(await engine.receipts.retryParked()).toBe(1);
  }
  for (const id of [first.key.id, second.session.id]) {
    const stored = await engine.store.load({ accountId, id });
    expect(stored?.session).toMatchObject({ delivery: 'delivered', messages: [{ status: 'delivered' }] });
  }
});

test('the late answer has the last word on the id, where a receipt of another message was taken for the one in doubt', async () => {
  const lost = silentChannel();
  const { engine, key } = await opened(lost);
  const sent = await lostMessage(engine, lost);
  const [foreign, own] = [`another-${sent.id}`, `own-${sent.id}`];
  await engine.receipts.take({ ...carrierReceipt(sent, 'UNDELIV'), references: [foreign], accepted: told(foreign) });
  await letWait();
  expect(await engine.receipts.retryParked()).toBe(1);
  const late = { ...key, sessionId: key.id, messageId: sent.id, operator: 'atlas', outcome: told(own) };
  await engine.receipts.takeLateAnswer(late);
  await engine.receipts.takeLateAnswer(late); // Once more changes nothing.
  const other = await testEngine(database);
  await other.engine.receipts.take({ ...carrierReceipt(sent, 'DELIVRD'), references: [own], accepted: told(own) });
  expect((await other.engine.store.load(key))?.session).toMatchObject({
    delivery: 'delivered',
    messages: [{ status: 'delivered', providerMessageId: own }],
  });
});
