// A send whose carrier has a place for it at this moment: it is stored as `submitting`, and written as soon as that is committed.
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/client.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { codeRing, ReadyChannel, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

async function engineWith(sms: ScriptedChannel, on: Database<unknown> = database) {
  const { engine, fleet, errors } = await testEngine(on, { sms });
  const send = async (request = sendRequest()) => {
    const result = await engine.starter.sendSettled(request);
    const key = 'session' in result ? { accountId: request.accountId, id: result.session.id } : null;
    return { result, stored: async () => (key ? await engine.store.load(key) : null) };
  };
  return { engine, fleet, errors, send };
}

test('one commit, and what is on record when it is written is that it is being written', async () => {
  const sms = new ReadyChannel();
  const { engine, send } = await engineWith(sms);
  const { promise: written, resolve } = Promise.withResolvers<unknown>();
  const accept = sms.answer;
  sms.answer = async (message) => {
    resolve(await engine.store.load({ accountId: message.accountId, id: message.sessionId }));
    return accept(message);
  };
  const { result, stored } = await send();
  expect(result.kind).toBe('sent');
  expect(await written).toMatchObject({ session: { version: 1, messages: [{ status: 'submitting' }] } });
  await engine.dispatcher.idle();
  expect(await stored()).toMatchObject({ holder: null, session: { version: 2, messages: [{ status: 'submitted' }] } });
  expect(sms.taken).toBe(0);
});

test('where receipts name our own id the message is filed before it is written, and takes its place after', async () => {
  const app = Object.assign(new ReadyChannel(), { echoesMessageId: true });
  const { engine, send } = await engineWith(app);
  const accept = app.answer;
  app.answer = async (message) => {
    const filed = `${message.route} ${message.id}`;
    expect(await engine.store.load({ accountId: message.accountId, id: message.sessionId })).toMatchObject({
      session: { version: 2, messages: [{ status: 'submitting' }] },
    });
    const { rows } = await database.lanes.query('select reference from operator_reference where message_id = $1', [
      message.id,
    ]);
    expect(rows).toEqual([{ reference: filed }]);
    return accept(message);
  };
  const { stored } = await send();
  await engine.dispatcher.idle();
  expect((await stored())?.session.messages[0]?.status).toBe('submitted');
});

test('of many sends to one number one is written, and the places of the others are free again', async () => {
  const sms = new ReadyChannel();
  const { engine, send } = await engineWith(sms);
  const request = sendRequest();
  const results = await Promise.all(Array.from({ length: 20 }, () => send(request)));
  await engine.dispatcher.idle();
  expect(results.filter(({ result }) => result.kind === 'sent')).toHaveLength(1);
  expect(sms.sent).toHaveLength(1);
  expect(sms.taken).toBe(0);
});

// Over cells the key's numbers lie in several, and each keeps the key for itself: test/integration/api/one-key-two-numbers.test.ts.
if (!isCelled(database))
  test('calls with one Idempotency-Key at the same time: one message, and no place is kept', async () => {
    const sms = new ReadyChannel();
    const { engine, send } = await engineWith(sms);
    const idempotency = { route: 'Send', key: 'k', request: '' };
    // Numbers of their own: it is the key that refuses.
    const { accountId } = sendRequest();
    const calls = Array.from({ length: 8 }, () => send(sendRequest({ accountId, idempotency })));
    const kinds = (await Promise.all(calls)).map(({ result }) => result.kind);
    await engine.dispatcher.idle();
    expect(kinds.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'replayed'), 'sent']);
    expect(sms.sent).toHaveLength(1);
    expect(sms.taken).toBe(0);
  });

test.each([
  ['at once', 0],
  ['by the time its send is stored', 5],
])('a leg that is over %s is not written', async (_, timeoutMs) => {
  const sms = new ReadyChannel();
  const slow = async (config: { name?: string }) => {
    const over = Date.now() + timeoutMs;
    if (config.name?.startsWith('open'))
      await until(() => Date.now() > over, { what: 'the leg to be over', everyMs: 1 });
    return database.lanes.query(config as never);
  };
  const { engine, send } = await engineWith(sms, { ...database, lanes: { query: slow } as never });
  const { stored } = await send(sendRequest({ cascade: [{ channel: 'sms', timeoutMs }] }));
  await until(async () => (await stored())?.session.delivery === 'exhausted', { what: 'the leg to end' });
  await engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(0);
  expect(sms.taken).toBe(0);
  expect((await stored())?.session.messages[0]?.status).toBe('withdrawn');
});

test('a process that drains writes nothing more: its send is left to another', async () => {
  const sms = new ReadyChannel();
  const { engine, send } = await engineWith(sms);
  await engine.drain(1_000);
  const { result } = await send();
  expect(sms.sent).toHaveLength(0);
  const heirs = new ScriptedChannel();
  const heir = await engineWith(heirs);
  await heir.engine.sweep('claim');
  await heir.engine.dispatcher.idle();
  expect(heirs.sent.map(({ sessionId }) => sessionId)).toEqual(['session' in result ? result.session.id : '']);
});

test('a carrier that does not take it now has it queued again, and sent by its next place', async () => {
  const sms = new ReadyChannel();
  const { engine, send } = await engineWith(sms);
  const accept = sms.answer;
  sms.answer = () => {
    sms.answer = accept;
    return { kind: 'not_sent', reason: 'not_now' };
  };
  const { stored } = await send();
  await until(async () => (await stored())?.session.messages[0]?.status === 'submitted', { what: 'it to be taken' });
  await engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(2);
});

test('a channel that fails in writing leaves the message unknown, and its place free', async () => {
  const sms = new ReadyChannel();
  const { engine, errors, send } = await engineWith(sms);
  sms.answer = () => {
    throw new Error('broken');
  };
  const { stored } = await send();
  await engine.dispatcher.idle();
  expect(errors).toHaveLength(1);
  expect((await stored())?.session.messages[0]).toMatchObject({ status: 'unknown', reason: 'internal_error' });
  expect(sms.taken).toBe(0);
});

/** A channel whose place has to be waited for until `free` is called. */
class BusyChannel extends ScriptedChannel {
  readonly #free = Promise.withResolvers<void>();
  waiting = 0;
  released = 0;

  override async reserve() {
    this.waiting += 1;
    await this.#free.promise;
    const release = () => {
      this.released += 1;
    };
    return { ...this.place(), release };
  }
  free(): void {
    this.#free.resolve();
  }
}

test('the code of a message that waits is derived once it has its place, and not before', async () => {
  const sms = new BusyChannel();
  let derived = 0;
  const byId = (id: string) => {
    derived += 1;
    return codeRing.byId(id);
  };
  const { engine } = await testEngine(database, { sms, ring: { ...codeRing, byId } });
  await engine.starter.sendSettled(sendRequest());
  await until(() => sms.waiting > 0, { what: 'the message to wait for its place' });
  expect(derived).toBe(0);
  sms.free();
  await engine.dispatcher.idle();
  expect([derived, sms.sent.length]).toEqual([1, 1]);
});

test('a message whose code can not be derived any more is on record, and its place goes to others', async () => {
  const sms = new BusyChannel();
  const { engine, errors } = await testEngine(database, { sms, ring: { ...codeRing, byId: () => undefined } });
  const request = sendRequest();
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  sms.free();
  await engine.dispatcher.idle();
  const stored = await engine.store.load({ accountId: request.accountId, id: result.session.id });
  expect(stored?.session.messages[0]).toMatchObject({ status: 'rejected', reason: 'internal_error' });
  expect([sms.sent.length, sms.released, errors.length]).toEqual([0, 1, 1]);
});
