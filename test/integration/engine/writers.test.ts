// Messages whose session goes on elsewhere while they are being written: the writer alone says what became of each, and where it died
// another process does.
import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/channel.ts';
import type { Database } from '../../../src/db/client.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { numberReference } from '../../../src/db/receipts/receipts.ts';
import { mostPauseMs } from '../../../src/engine/delivery/outgoing.ts';
import type { SettledRequest } from '../../../src/engine/verify/send.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import {
  CallingChannel,
  carrierReceipt,
  ReadyChannel,
  ScriptedChannel,
  sendRequest,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const rules = { resendIntervalMs: 0 };

async function send({ engine }: TestEngine, request: SettledRequest) {
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  return { accountId: request.accountId, id: result.session.id };
}

/** A message that one process is writing, in a session that a resend has taken to another one. */
async function takenElsewhere() {
  const slow = new ScriptedChannel();
  const { promise, resolve: answer } = Promise.withResolvers<SendOutcome>();
  slow.answer = () => promise;
  const writer = await testEngine(database, { sms: slow, rules });
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { sms, rules });
  const request = sendRequest();
  const key = await send(writer, request);
  const written = await until(() => slow.sent[0], { what: 'the message to be written' });
  await send(other, request);
  await other.engine.dispatcher.idle();
  const messages = async () => (await other.engine.store.load(key))?.session.messages;
  expect(await messages()).toMatchObject([{ status: 'submitting' }, { status: 'submitted' }]);
  return { writer, other, sms, written, answer, messages };
}

test('a message whose writer dies after the session went on elsewhere is unknown, and its receipt finds it', async () => {
  const { writer, other, sms, written, messages } = await takenElsewhere();
  await other.engine.sweep('sweep');
  expect(await messages()).toMatchObject([{ status: 'submitting' }, {}]); // Its writer lives.
  await writer.fleet.leave();
  await other.engine.sweep('sweep');
  expect(await messages()).toMatchObject([
    { status: 'unknown', reason: 'process_lost', holder: null },
    { status: 'submitted' },
  ]);
  expect(sms.sent).toHaveLength(1);
  await other.engine.receipts.take({
    ...carrierReceipt(written, 'DELIVRD'),
    references: [numberReference(written.to)],
  });
  expect(await messages()).toMatchObject([{ status: 'delivered' }, { status: 'submitted' }]);
});

test('a message that its carrier refuses for now after the session went on elsewhere is withdrawn', async () => {
  const { writer, answer, messages } = await takenElsewhere();
  answer({ kind: 'not_sent', reason: 'not_now' });
  await writer.engine.dispatcher.idle();
  expect(await messages()).toMatchObject([{ status: 'withdrawn', holder: null }, { status: 'submitted' }]);
});

test('a message that its carrier takes after the session went on elsewhere is submitted', async () => {
  const { writer, answer, messages, written } = await takenElsewhere();
  answer({ kind: 'accepted', providerMessageId: 'p', reference: `p-${written.id}`, parts: 1, tariff: null });
  await writer.engine.dispatcher.idle();
  expect(await messages()).toMatchObject([{ status: 'submitted', holder: null }, { status: 'submitted' }]);
});

test('a process that takes a session over leaves alone what a living one writes in it', async () => {
  const { writer, other, written, answer, messages } = await takenElsewhere();
  const third = await testEngine(database, { sms: new ScriptedChannel(), rules });
  await other.fleet.leave();
  await third.engine.sweep('sweep');
  await writer.engine.sweep('sweep');
  expect(await messages()).toMatchObject([{ status: 'submitting' }, { status: 'submitted' }]);
  answer({ kind: 'accepted', providerMessageId: 'p', reference: `p-${written.id}`, parts: 1, tariff: null });
  await writer.engine.dispatcher.idle();
  expect(await messages()).toMatchObject([{ status: 'submitted' }, { status: 'submitted' }]);
});

/** The same database, which carries the next such statement out and answers once the test says so: that the connection broke. */
function breaking(statement: RegExp) {
  const broken = Promise.withResolvers<void>();
  let hits = 0;
  const query = async (config: { name?: string }) => {
    const result = await database.lanes.query(config as never);
    if (hits > 0 || !statement.test(config.name ?? '')) return result;
    hits += 1;
    await broken.promise;
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  };
  const own: Database<unknown> = { ...database, lanes: { query } as never };
  return { own, hits: () => hits, breakOff: broken.resolve };
}

/** A process that hears of the leg's end itself, and one that does not. */
test.each([
  ['voice', 'here'],
  ['voice', 'elsewhere'],
  ['sms', 'here'],
  ['sms', 'elsewhere'],
] as const)(
  'a mark by %s that was stored and not answered, its leg ended %s by then: withdrawn, and nobody’s',
  async (channel, where) => {
    const { own, hits, breakOff } = breaking(/^save/);
    const route = { voice: new CallingChannel(), sms: new ScriptedChannel() };
    const marking = await testEngine(own, { ...route, rules });
    const other = await testEngine(database, { voice: new CallingChannel(), sms: new ScriptedChannel(), rules });
    for (const each of Object.values(route)) {
      const reserve = each.reserve.bind(each) as ScriptedChannel['reserve'];
      each.reserve = async (...[, signal]: unknown[]) => ((signal as AbortSignal).aborted ? null : reserve());
    }
    const request = sendRequest({ channel, cascade: [{ channel, timeoutMs: 45_000 }] });
    const key = await send(marking, request);
    await until(() => hits() === 1, { what: 'the mark to be stored' });
    const ended = (where === 'here' ? marking : other).engine.cancel({ ...key, mode: 'live' });
    if (where === 'elsewhere') await ended;
    breakOff();
    await ended;
    await marking.engine.dispatcher.idle();
    expect((await other.engine.store.load(key))?.session.messages).toMatchObject([
      { status: 'withdrawn', holder: null },
    ]);
    expect(route[channel].sent).toEqual([]);
    expect(marking.engine.calls.size).toBe(0);
  },
);

test('a first message stored as being written and not answered, after a resend elsewhere: withdrawn', async () => {
  const { own, hits, breakOff } = breaking(/^open/);
  const ready = new ReadyChannel();
  const { engine } = await testEngine(own, { sms: ready, rules });
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { sms, rules });
  const request = sendRequest();
  const sent = engine.starter.sendSettled(request).catch((error: Error) => error);
  await until(() => hits() === 1, { what: 'the session to be stored' });
  const key = await send(other, request);
  await other.engine.dispatcher.idle();
  breakOff();
  expect(await sent).toMatchObject({ code: 'ECONNRESET' });
  await engine.sweep('sweep');
  await engine.dispatcher.idle();
  expect((await other.engine.store.load(key))?.session.messages).toMatchObject([
    { status: 'withdrawn', holder: null },
    { status: 'submitted' },
  ]);
  expect([ready.sent.length, sms.sent.length]).toEqual([0, 1]);
});

/** A database whose answers to some statements are read once the test says so: the process stands still. */
function standingStill(statement: RegExp) {
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  let stands = false;
  const query = async (config: { name?: string }) => {
    const result = await database.lanes.query(config as never);
    if (statement.test(config.name ?? '')) {
      stands = true;
      await woken;
    }
    return result;
  };
  const own: Database<unknown> = { ...database, lanes: { ...database.lanes, query } as never };
  return { own, wake, stands: () => stands };
}

/** What the process does not know: its database was set to another clock, or lacked the last renewals after a failover. */
async function endEarly({ fleet }: TestEngine): Promise<void> {
  const cells = isCelled(database) ? database.cells.map((cell) => cell.database) : [database];
  for (const { lanes } of cells) await engineStore(lanes).endLease(fleet.processId);
}
const leave = ({ fleet }: TestEngine) => fleet.leave();

/** No timer rings meanwhile, and nothing is read. */
function standStill(forMs: number): void {
  for (const startedAt = performance.now(); performance.now() - startedAt < forMs; );
}

test.each([
  ['opened its session', 'has ended', /^open/, () => new ReadyChannel(), leave],
  ['marked its message', 'has ended', /^save/, () => new ScriptedChannel(), leave],
  ['opened its session', 'has ended before its time', /^open/, () => new ReadyChannel(), endEarly],
  ['marked its message', 'has ended before its time', /^save/, () => new ScriptedChannel(), endEarly],
])(
  'a process that stood still when it had %s, and whose lease %s, does not write what another has sent once more',
  async (_, _how, at, channel, end) => {
    const { own, wake, stands } = standingStill(at);
    const sms = channel();
    let rereads = 0;
    const reread = () => {
      rereads += 1;
    };
    const one = await testEngine(own, { sms, rules: { inDoubtMs: 100 }, observe: { reread } });
    const otherSms = new ScriptedChannel();
    const two = await testEngine(database, { sms: otherSms, rules: { inDoubtMs: 100 } });
    const sending = one.engine.starter.sendSettled(sendRequest());
    await until(stands, { what: 'the message to be on record as being written' });
    await end(one);
    await two.engine.sweep('sweep');
    await until(() => otherSms.sent.length === 1, { what: 'it to go out once more, since it is in doubt' });
    standStill(mostPauseMs + 10);
    wake();
    await sending;
    await one.engine.dispatcher.idle();
    expect([sms.sent.length, otherSms.sent.length]).toEqual([0, 1]);
    expect(rereads).toBe(1);
  },
);

test('a process that stood still and whose message nobody took gives it back', async () => {
  const { own, wake, stands } = standingStill(/^save/);
  const sms = new ScriptedChannel();
  const one = await testEngine(own, { sms });
  const key = send(one, sendRequest());
  await until(stands, { what: 'the message to be on record as being written' });
  await one.fleet.leave();
  await one.fleet.renew();
  wake();
  const { id } = await key;
  // By its next place: the lease runs again.
  await until(() => sms.sent.length === 1, { what: 'it to be sent' });
  expect(sms.sent[0]?.sessionId).toBe(id);
});

/** Places are given once the test says so. */
class LateChannel extends ScriptedChannel {
  readonly waiting: (() => void)[] = [];
  isFull = false;
  override async reserve() {
    if (this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return super.reserve();
  }
}

test('what has been taken over stays so, whatever the process before marks in vain', async () => {
  const sms = new LateChannel();
  let hold: Promise<void> | null = null;
  let held = 0;
  const query = async (config: { name?: string }) => {
    const result = await database.lanes.query(config as never);
    if (hold && config.name?.startsWith('save')) {
      held += 1;
      await hold;
    }
    return result;
  };
  const one = await testEngine({ ...database, lanes: { ...database.lanes, query } as never }, { sms, rules });
  const otherSms = new LateChannel();
  const two = await testEngine(database, { sms: otherSms, rules });
  const request = sendRequest();
  const key = await send(one, request);
  const first = await until(() => sms.sent[0], { what: 'the first SMS' });
  await one.engine.dispatcher.idle();
  // The resend waits for a place in both processes: the first was taken for dead, and is back.
  sms.isFull = true;
  otherSms.isFull = true;
  await one.engine.starter.sendSettled(request);
  await until(() => sms.waiting.length === 1, { what: 'the second SMS to wait' });
  await one.fleet.leave();
  await two.engine.sweep('sweep');
  await until(() => otherSms.waiting.length === 1, { what: 'it to wait in the other process' });
  await one.fleet.renew();
  // It marks the message, which the other one holds, and a receipt comes in that moment.
  const answered = Promise.withResolvers<void>();
  hold = answered.promise;
  sms.waiting[0]?.();
  await until(() => held === 1, { what: 'the mark' });
  const taken = one.engine.receipts.take(carrierReceipt(first, 'ACCEPTD'));
  await new Promise((resolve) => setImmediate(resolve));
  hold = null;
  answered.resolve();
  await taken;
  await one.engine.dispatcher.idle();
  otherSms.waiting[0]?.();
  await two.engine.dispatcher.idle();
  expect([sms.sent.length, otherSms.sent.length]).toEqual([1, 1]);
  expect((await two.engine.store.load(key))?.session.messages[1]?.status).toBe('submitted');
});
