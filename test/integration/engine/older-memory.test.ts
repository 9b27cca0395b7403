// What a process holds in memory may be older than what another process has stored. An event about what is not in memory is met by what is
// stored, and never passed over.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, tellGone, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

/** Two processes; the first sends, and the second has the session in memory from a look at it. */
async function twoProcesses(timeoutMs: number) {
  const rules = { resendIntervalMs: 0 };
  const sms = new ScriptedChannel();
  const one = await testEngine(database, { sms, rules });
  const two = await testEngine(database, { sms: new ScriptedChannel(), rules });
  const request = sendRequest({ cascade: [{ channel: 'sms', timeoutMs }] });
  const sent = await one.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  const first = await until(() => sms.sent[0], { what: 'the SMS' });
  const status = async (n: number) => (await one.engine.store.load(key))?.session.messages[n]?.status;
  await until(async () => (await status(0)) === 'submitted', { what: 'its answer' });
  await two.engine.receipts.take(carrierReceipt(first, 'DELIVRD'));
  const again = await one.engine.starter.sendSettled(request);
  expect(again).toMatchObject({ kind: 'sent', session: { id: key.id, sends: 2 } });
  await until(async () => (await status(1)) === 'submitted', { what: 'the answer to the second' });
  return { one, two, key, sms };
}

test('a receipt that comes to a process whose memory is older than its message is taken in', async () => {
  const { one, two, key, sms } = await twoProcesses(15_000);
  const second = sms.sent[1];
  if (!second) throw new Error('nothing was sent again');
  expect(two.engine.sessions.seen(key.id)?.messages).toHaveLength(1);
  await two.engine.receipts.take(carrierReceipt(second, 'DELIVRD'));
  const stored = await one.engine.store.load(key);
  expect(stored?.session.messages.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  // The next test's processes share the shards with none of these.
  await Promise.all([one.fleet.leave(), two.fleet.leave()]);
});

test('a deadline that another process has set, and missed, is met by one whose memory is older', async () => {
  const { one, two, key } = await twoProcesses(60_000);
  one.engine.deadlines.stop();
  await one.fleet.leave();
  await sql`update verify_session set leg_ends_at = now(), next_at = now() where id = ${key.id}`.execute(database.db);
  expect(two.engine.sessions.seen(key.id)).toMatchObject({ delivery: 'delivered', sends: 1 });
  tellGone(two, one);
  const delivery = async () => (await two.engine.store.load(key))?.session.delivery;
  await until(async () => (await delivery()) === 'exhausted', { what: 'the deadline to be met' });
  await two.fleet.leave();
});

/** A session whose first SMS was sent by `one`, with its process. */
async function sentBy(one: Awaited<ReturnType<typeof testEngine>>) {
  const request = sendRequest();
  const sent = await one.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  return { request, key: { accountId: request.accountId, id: sent.session.id } };
}

test.each(['a receipt', 'the refusal of the carrier'])(
  'a resend is allowed at once when another process has stored that the run is exhausted, by %s',
  async (by) => {
    const sms = new ScriptedChannel();
    const otherSms = new ScriptedChannel();
    sms.live = by === 'a receipt';
    otherSms.answer = () => ({ kind: 'rejected', reason: 'submit_refused', errorCode: '11' });
    const one = await testEngine(database, { sms });
    const two = await testEngine(database, { sms: otherSms });
    const { request, key } = await sentBy(one);
    if (by === 'a receipt') {
      const first = await until(() => sms.sent[0], { what: 'the SMS' });
      await one.engine.dispatcher.idle();
      await two.engine.receipts.take(carrierReceipt(first, 'UNDELIV'));
    } else {
      await two.engine.sweep('claim');
      await two.engine.dispatcher.idle();
    }
    expect((await one.engine.store.load(key))?.session).toMatchObject({ delivery: 'exhausted', status: 'pending' });
    const again = await one.engine.starter.sendSettled(request);
    expect(again).toMatchObject({ kind: 'sent', session: { id: key.id, sends: 2 } });
    await Promise.all([one.fleet.leave(), two.fleet.leave()]);
  },
);

test('so is one that a session has got after its end', async () => {
  const rules = { appDeliveryMs: 1_000 };
  const whatsapp = new ScriptedChannel('whatsapp');
  const answered = Promise.withResolvers<void>();
  const { answer } = whatsapp;
  whatsapp.answer = async (message) => {
    await answered.promise;
    return answer(message);
  };
  const one = await testEngine(database, { whatsapp, rules });
  const two = await testEngine(database, { whatsapp: new ScriptedChannel('whatsapp'), rules });
  const request = sendRequest({ to: '+213551000077', cascade: [{ channel: 'whatsapp', timeoutMs: 15_000 }] });
  const sent = await one.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  await until(() => whatsapp.sent.length === 1, { what: 'the message' });
  await two.engine.sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
  expect(two.engine.sessions.seen(key.id)).toMatchObject({ status: 'canceled', nextAt: null });
  one.engine.deadlines.stop(); // It meets none of its deadlines, however soon they are.
  answered.resolve();
  const deadline = async () => (await one.engine.store.load(key))?.session.nextAt;
  await until(deadline, { what: 'its deadline' });
  await one.fleet.leave();
  expect(two.engine.sessions.seen(key.id)).toMatchObject({ nextAt: null });
  tellGone(two, one);
  const status = async () => (await two.engine.store.load(key))?.session.messages[0]?.status;
  await until(async () => (await status()) === 'expired', { what: 'the deadline to be met' });
});

test('the second message of a leg is its latest, although the clock of the host that made it is behind', async () => {
  const sms = new ScriptedChannel();
  const one = await testEngine(database, { sms });
  const without = new ScriptedChannel();
  without.live = false;
  const two = await testEngine(database, { sms: without, now: () => Date.now() - 1_000 });
  const { key } = await sentBy(one);
  const first = await until(() => sms.sent.find(({ sessionId }) => sessionId === key.id), { what: 'the SMS' });
  await one.engine.dispatcher.idle();
  // The carrier refuses its sender, and says so to the other process, which has no way to send it again.
  const refused = carrierReceipt(first, 'REJECTD');
  const elsewhere = { route: first.route, senderId: 'Ramz' };
  await two.engine.receipts.take({ ...refused, receipt: { ...refused.receipt, elsewhere } });
  await one.engine.sweep('claim');
  await one.engine.dispatcher.idle();
  const own = sms.sent.filter(({ sessionId }) => sessionId === key.id);
  expect(own.map(({ senderId }) => senderId)).toEqual([first.senderId, 'Ramz']);
  const { messages } = (await two.engine.store.load(key))?.session ?? {};
  expect(messages).toMatchObject([{ status: 'rejected' }, { status: 'submitted', senderFallback: true }]);
  await Promise.all([one.fleet.leave(), two.fleet.leave()]);
});
