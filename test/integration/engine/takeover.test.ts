import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Place, SendOutcome } from '../../../src/channels/channel.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { receiver, testAccount, testWebhooks } from '../webhooks/support.ts';

const database = await testDatabase();

async function opened(sms: ScriptedChannel, change = {}) {
  const first = await testEngine(database, { sms });
  const request = sendRequest(change);
  const result = await first.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  return { ...first, request, key: { accountId: request.accountId, id: result.session.id } };
}

/** It never has a place. */
class FullChannel extends ScriptedChannel {
  override reserve(_route?: string, signal?: AbortSignal): Promise<Place | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    signal?.addEventListener('abort', () => resolve(null));
    return promise;
  }
}

const never = () => new Promise<SendOutcome>(() => {});

/** The session's leg is over from now on, and its process, which knows nothing of it yet, looks at it in a moment. */
async function endLeg({ engine, key }: Awaited<ReturnType<typeof opened>>): Promise<void> {
  await sql`update verify_session set leg_ends_at = now(), next_at = now() where id = ${key.id}`.execute(database.db);
  engine.sessions.forget(key.id);
  engine.deadlines.expect(key, Date.now());
}

test('a message still queued when its process dies is sent by another, once', async () => {
  const stuck = new ScriptedChannel();
  stuck.reserve = () => new Promise(() => {});
  const dead = await opened(stuck);
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  await heir.engine.sweep('sweep');
  expect(sms.sent).toHaveLength(0); // Its lease still runs.

  await dead.fleet.leave();
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  await heir.engine.sweep('sweep');
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([dead.key.id]);
  expect((await heir.engine.store.load(dead.key))?.session.messages[0]?.status).toBe('submitted');
});

test('a message being written when its process dies becomes unknown and is not sent again', async () => {
  const silent = new ScriptedChannel();
  silent.answer = never;
  const dead = await opened(silent);
  await until(() => silent.sent.length === 1, { what: 'the message to be written' });
  await dead.fleet.leave();
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  const loaded = await heir.engine.store.load(dead.key);
  expect(loaded?.session.messages[0]).toMatchObject({ status: 'unknown', reason: 'process_lost' });
  expect(loaded?.holder).toBeNull();
  expect(sms.sent).toHaveLength(0);
});

test('a message that its carrier refused for now is queued again: when its process dies, another sends it', async () => {
  const busy = new ScriptedChannel();
  const reserve = () => ScriptedChannel.prototype.reserve.call(busy);
  busy.answer = () => {
    busy.reserve = () => new Promise(() => {}); // There is no second place.
    return { kind: 'not_sent', reason: 'not_now' };
  };
  busy.reserve = reserve;
  const dead = await opened(busy);
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  const status = async () => (await heir.engine.store.load(dead.key))?.session.messages[0]?.status;
  await until(async () => busy.sent.length === 1 && (await status()) === 'queued', { what: 'it to be queued again' });
  await dead.fleet.leave();
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(1);
  expect(await status()).toBe('submitted');
});

test('a message that its carrier has put off says so, although the process that knew has ended', async () => {
  const throttling = new ScriptedChannel();
  throttling.answer = () => ({ kind: 'not_sent', reason: 'not_now', busy: 'ESME_RTHROTTLED' });
  const dead = await opened(throttling);
  const message = async () => (await dead.engine.store.load(dead.key))?.session.messages[0];
  await until(async () => ((await message())?.refusals ?? 0) >= 2, { what: 'two refusals' });
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  dead.engine.dispatcher.stop();
  await dead.engine.dispatcher.idle();
  const refusals = (await message())?.refusals;
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  const { timeline } = (await heir.engine.store.load(dead.key))?.session ?? { timeline: [] };
  expect(timeline.slice(-2)).toMatchObject([
    { kind: 'operator_busy', detail: `${refusals} × ESME_RTHROTTLED` },
    { kind: 'message_submitted' },
  ]);
});

test('a process that drains gives what still waits there for a place to others, while its lease goes on', async () => {
  const full = new FullChannel();
  const { engine, key } = await opened(full);
  await until(() => engine.dispatcher.size === 1, { what: 'the message to wait' });
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { sms });
  await engine.drain(10_000);
  await other.engine.sweep('claim');
  await other.engine.dispatcher.idle();
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([key.id]);
});

test('a process that drains goes on with its deadlines while it writes, and leaves the next leg to others', async () => {
  const sms = new ScriptedChannel();
  const { promise, resolve: answer } = Promise.withResolvers<SendOutcome>();
  const draining = await opened(sms, {
    cascade: [
      { channel: 'sms', timeoutMs: 60_000 },
      { channel: 'sms', timeoutMs: 60_000 },
    ],
  });
  const { engine, key } = draining;
  await until(() => sms.sent.length === 1, { what: 'the first message' });
  await engine.dispatcher.idle();
  sms.answer = () => promise;
  const other = sendRequest();
  await engine.starter.sendSettled(other);
  await until(() => sms.sent.length === 2, { what: 'another message to be written' });
  const drained = engine.drain(10_000);
  await endLeg(draining);
  const holder = async () => (await engine.store.load(key))?.holder;
  await until(async () => (await holder()) === 'route/sms/atlas', { what: 'its next leg to be left to others' });
  answer({ kind: 'not_sent', reason: 'not_now' });
  await drained;
  expect(sms.sent).toHaveLength(2);
  const heirs = new ScriptedChannel();
  const heir = await testEngine(database, { sms: heirs });
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  expect(heirs.sent).toHaveLength(2);
});

test('a message that was being stored for a process when that began to drain is left to others, too', async () => {
  const sms = new ScriptedChannel();
  const draining = await opened(sms, {
    cascade: [
      { channel: 'sms', timeoutMs: 60_000 },
      { channel: 'sms', timeoutMs: 60_000 },
    ],
  });
  const { engine, key } = draining;
  await until(() => sms.sent.length === 1, { what: 'the first message' });
  await engine.dispatcher.idle();
  const { store } = engine;
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const save = store.save.bind(store);
  store.save = async (...saved) => {
    begun.resolve();
    await held.promise;
    return save(...saved);
  };
  await endLeg(draining);
  await begun.promise;
  const drained = engine.drain(10_000);
  held.resolve();
  await drained;
  const holder = async () => (await store.load(key))?.holder;
  await until(async () => (await holder()) === 'route/sms/atlas', { what: 'its next leg to be left to others' });
  const heirs = new ScriptedChannel();
  const heir = await testEngine(database, { sms: heirs });
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  expect([sms.sent.length, heirs.sent.length]).toEqual([1, 1]);
});

test('a process that closes its binds goes on with its deadlines until they are stopped', async () => {
  const sms = new ScriptedChannel();
  const draining = await opened(sms, {
    cascade: [
      { channel: 'sms', timeoutMs: 60_000 },
      { channel: 'sms', timeoutMs: 60_000 },
    ],
  });
  const { engine, key } = draining;
  await until(() => sms.sent.length === 1, { what: 'the first message' });
  await engine.drain(10_000);
  await endLeg(draining);
  const holder = async () => (await engine.store.load(key))?.holder;
  await until(async () => (await holder()) === 'route/sms/atlas', { what: 'its next leg to be left to others' });
  engine.deadlines.stop();
  const heirs = new ScriptedChannel();
  const heir = await testEngine(database, { sms: heirs });
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  expect([sms.sent.length, heirs.sent.length]).toEqual([1, 1]);
});

test('a process that drains begins nothing more: what was refused for now is left to others', async () => {
  const busy = new ScriptedChannel();
  let refuse = (_: SendOutcome) => {};
  busy.answer = () =>
    new Promise((resolve) => {
      refuse = resolve;
    });
  const { engine, key } = await opened(busy);
  await until(() => busy.sent.length === 1, { what: 'the message to be written' });
  const drained = engine.drain(10_000);
  refuse({ kind: 'not_sent', reason: 'not_now' });
  await drained;
  expect(busy.sent).toHaveLength(1);
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([key.id]);
});

test('a process without a bind leaves the message to one that has it', async () => {
  const without = new ScriptedChannel();
  without.live = false;
  const { engine, key } = await opened(without);
  expect((await engine.store.load(key))?.holder).toBe('route/sms/atlas');
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { sms });
  await engine.sweep('claim');
  await other.engine.sweep('claim');
  await other.engine.dispatcher.idle();
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([key.id]);
  expect(without.sent).toHaveLength(0);
});

test('a route lost while a message waits for it: the message goes back', async () => {
  const sms = new ScriptedChannel();
  const give: (() => void)[] = [];
  sms.reserve = () => new Promise((resolve) => give.push(() => resolve(null)));
  const { engine, key } = await opened(sms);
  await until(() => give.length === 1, { what: 'the message to wait for a place' });
  sms.live = false;
  give[0]?.();
  await engine.dispatcher.idle();
  expect((await engine.store.load(key))?.holder).toBe('route/sms/atlas');
});

test('a deadline nobody did is done by the sweep', async () => {
  const sms = new ScriptedChannel();
  const { engine, key } = await opened(sms, { cascade: [{ channel: 'sms', timeoutMs: 1 }] });
  await engine.dispatcher.idle();
  engine.deadlines.stop(); // As if its process had died.
  const heir = await testEngine(database, { sms });
  await until(
    async () => {
      await heir.engine.sweep('sweep');
      return (await heir.engine.store.load(key))?.session.delivery === 'exhausted';
    },
    { what: 'the sweep to end the leg' },
  );
});

test('a receipt that comes before the submit answer is matched as soon as the answer is there', async () => {
  const sms = new ScriptedChannel();
  const accept = sms.answer;
  const { engine, channels } = await testEngine(database);
  channels.setLive('sms', sms);
  sms.answer = async (message) => {
    await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
    expect(await engine.parking.count()).toBe(1);
    return accept(message);
  };
  const result = await engine.starter.sendSettled(sendRequest());
  if (result.kind !== 'sent') throw new Error(result.kind);
  const stored = () => engine.store.load({ accountId: result.session.accountId, id: result.session.id });
  await until(async () => (await stored())?.session.delivery === 'delivered', {
    what: 'the early receipt to be matched',
  });
  await until(async () => (await engine.parking.count()) === 0, { what: 'the parked row to go' });
  expect((await stored())?.session.messages[0]).toMatchObject({ status: 'delivered', cost: { amount: '2.50' } });
});

test('200 sessions over two processes with a third dying in the middle: every one sent, none twice', async () => {
  const sms = new ScriptedChannel();
  const stuck = new ScriptedChannel();
  let places = 0;
  const reserve = stuck.reserve.bind(stuck);
  stuck.reserve = () => {
    places += 1;
    return places > 30 ? new Promise(() => {}) : reserve();
  };
  const engines = [
    await testEngine(database, { sms }),
    await testEngine(database, { sms }),
    await testEngine(database, { sms: stuck }),
  ];
  const sessions = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const result = await engines[n % 3]?.engine.starter.sendSettled(sendRequest());
      if (result?.kind !== 'sent') throw new Error(result?.kind);
      return result.session;
    }),
  );
  await until(() => stuck.sent.length === 30, { what: 'the third process to send what it could' });
  await engines[2]?.fleet.leave();
  await until(
    async () => {
      await Promise.all([engines[0]?.engine.sweep('sweep'), engines[1]?.engine.sweep('sweep')]);
      return sms.sent.length + stuck.sent.length >= 200;
    },
    { what: 'every message to be sent' },
  );
  await Promise.all([engines[0]?.engine.dispatcher.idle(), engines[1]?.engine.dispatcher.idle()]);
  const sent = [...sms.sent, ...stuck.sent].map(({ sessionId }) => sessionId);
  expect(sent.toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
});

test('a process that lost its lease and its route does not put back what another is writing', async () => {
  const waiting = new ScriptedChannel();
  const give: (() => void)[] = [];
  waiting.reserve = () => new Promise((resolve) => give.push(() => resolve(null)));
  const slow = await opened(waiting);
  await until(() => give.length === 1, { what: 'the message to wait for a place' });
  await slow.fleet.leave(); // As others see it: it was too busy to renew.
  const sms = new ScriptedChannel();
  const { promise: answered, resolve: answer } = Promise.withResolvers<SendOutcome>();
  sms.answer = () => answered;
  const written = () => sms.sent.filter(({ sessionId }) => sessionId === slow.key.id).length;
  const heir = await testEngine(database, { sms });
  await heir.engine.sweep('sweep');
  await until(() => written() === 1, { what: 'the heir to write the message' });

  waiting.live = false;
  give[0]?.();
  await slow.engine.dispatcher.idle();
  const third = await testEngine(database, { sms });
  await third.engine.sweep('claim');
  answer({ kind: 'accepted', providerMessageId: 'p', reference: 'p', parts: 1, tariff: null });
  await heir.engine.dispatcher.idle();
  await third.engine.dispatcher.idle();
  expect(written()).toBe(1);
  expect((await heir.engine.store.load(slow.key))?.session.messages[0]?.status).toBe('submitted');
});

test('a message claimed for its route before its own send was answered goes out', async () => {
  const sms = new ScriptedChannel();
  sms.live = false;
  const { engine } = await testEngine(database, { sms });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const reserve = sms.reserve.bind(sms);
  sms.reserve = async () => {
    await answered;
    return reserve();
  };
  const { open } = engine.store;
  engine.store.open = async (item) => {
    const result = await open(item);
    sms.live = true; // Its bind comes up, and the claim's answer overtakes this one on another connection.
    await engine.sweep('claim');
    return result;
  };
  const result = await engine.starter.sendSettled(sendRequest());
  if (result.kind !== 'sent') throw new Error(result.kind);
  answer();
  await engine.dispatcher.idle();
  expect(sms.sent.map(({ sessionId }) => sessionId)).toContain(result.session.id);
});

test('an event committed by a process that dies before it posts is posted by another', async () => {
  const lost = new ScriptedChannel();
  lost.answer = never;
  const dead = await testEngine(database, { sms: lost }); // Posts nothing: what it hands over is only kept.
  const shop = await receiver();
  const heir = await testWebhooks(database);
  const posting = await testWebhooks(database, { fleet: dead.fleet });
  await posting.webhooks.begin();
  const account = await testAccount(database, heir.manager);
  const { id: endpointId } = await account.create(shop.url('/heir'));
  const { accountId } = account;
  const result = await dead.engine.starter.sendSettled(sendRequest({ accountId }));
  if (result.kind !== 'sent') throw new Error(result.kind);
  await until(() => lost.sent.length === 1, { what: 'the message to be written' });
  await dead.engine.sessions.apply(
    { accountId, id: result.session.id },
    { kind: 'cancel', reason: 'canceled_by_client' },
  );
  const [body] = dead.webhooks.map((each) => JSON.parse(each.body).id);
  expect(body).toMatch(/^evt_/);

  await heir.webhooks.sweep(Date.now());
  expect(shop.received).toEqual([]); // Its lease still runs.
  await dead.fleet.leave();
  await heir.webhooks.sweep(Date.now());
  await heir.webhooks.idle();
  expect(shop.received.map(({ headers }) => headers['webhook-id'])).toEqual([body]);
  expect(await account.one(endpointId)).toMatchObject({ type: 'session.canceled', status: 'delivered' });
});
