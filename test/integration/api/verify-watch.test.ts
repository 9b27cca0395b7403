// WatchSession: the state as it is, every change after it, and how a watch ends.
import type { MessageShape } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { AtMost } from '../../../src/engine/verify/watches.ts';
import type { WatchSessionResponseSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { type Caller, newCaller, newNumber, refusalOf, startProcess, type TestProcess } from './verify-service.ts';

const database = await testDatabase();
const ramz = await startProcess(database);
const elsewhere = await startProcess(database);

async function sent() {
  const caller = newCaller();
  const to = newNumber();
  const { id } = await ramz.send(caller, { to });
  const taken = async () => (await ramz.get(caller, id)).messages[0]?.status === 'submitted';
  await until(taken, { what: 'the carrier to take the message' });
  return { caller, id, message: ramz.sms!.sent.findLast((each) => each.to === to)! };
}

/** Reads a watch to its end in the background. */
function watch(process: TestProcess, caller: Caller, id: string, lastEventId = '') {
  const leaving = new AbortController();
  const seen: MessageShape<typeof WatchSessionResponseSchema>[] = [];
  const ended = (async () => {
    for await (const answer of process.watch(caller, id, leaving.signal, lastEventId)) seen.push(answer);
  })();
  ended.catch(() => {});
  /** Looks as the loop of the process would until there are so many answers. */
  const answers = (count: number) =>
    until(
      async () => {
        await process.engine.watches.runOnce();
        return seen.length >= count;
      },
      { what: `${count} answers, got ${seen.length}` },
    );
  return { seen, ended, answers, leave: () => leaving.abort() };
}

test('a watch tells what is, then what is new, and ends with the session', async () => {
  const { caller, id, message } = await sent();
  // On another process: what it tells comes from the database.
  const { seen, ended, answers } = watch(elsewhere, caller, id);
  await answers(1);
  expect(seen[0]?.session).toMatchObject({ id, status: 'pending', delivery: 'sending' });
  expect(seen[0]?.newEntries).toEqual(seen[0]?.session?.timeline);

  await ramz.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  await answers(2);
  expect(seen[1]?.session).toMatchObject({ delivery: 'delivered', messages: [{ receipts: [{ status: 'DELIVRD' }] }] });
  expect(seen[1]?.newEntries.map(({ kind }) => kind)).toEqual(['receipt_received', 'delivery_delivered']);

  await ramz.check(caller, { id, code: message.code });
  await answers(3);
  await ended;
  expect(seen).toHaveLength(3);
  expect(seen[2]?.newEntries.map(({ kind }) => kind)).toEqual(['code_checked', 'session_verified']);
  expect(seen.flatMap(({ newEntries }) => newEntries)).toEqual(seen[2]?.session?.timeline);
  expect(elsewhere.engine.watches.size).toBe(0);
});

test('a watch that broke is continued on another process, from every state: nothing is lost, nothing told twice', async () => {
  const { caller, id, message } = await sent();
  const whole = watch(ramz, caller, id);
  await whole.answers(1);
  await ramz.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  await whole.answers(2);
  // Asked for while the session is still going on: a state that was told is not told again, what comes after it is.
  const live = watch(elsewhere, caller, id, whole.seen[1]?.eventId);
  await until(() => elsewhere.engine.watches.size === 1, { what: 'the watch to begin' });
  await ramz.check(caller, { id, code: message.code });
  await whole.answers(3);
  await Promise.all([whole.ended, live.answers(1)]);
  await live.ended;
  const all = whole.seen.flatMap(({ newEntries }) => newEntries);
  expect(live.seen).toEqual([whole.seen[2]]);
  for (const [index, { eventId }] of whole.seen.entries()) {
    const rest = watch(elsewhere, caller, id, eventId);
    await rest.ended;
    const told = whole.seen.slice(0, index + 1).flatMap(({ newEntries }) => newEntries);
    expect([...told, ...rest.seen.flatMap(({ newEntries }) => newEntries)]).toEqual(all);
    expect(rest.seen.length).toBe(index < 2 ? 1 : 0);
  }
});

test.each(['999-999', '1-999', '999-1'])('an id of another session (%s) tells from the start', async (eventId) => {
  const { caller, id } = await sent();
  await ramz.cancel(caller, id);
  const { seen, ended } = watch(ramz, caller, id, eventId);
  await ended;
  expect(seen.map(({ newEntries, session }) => newEntries.length === session?.timeline.length)).toEqual([true]);
});

test('an id of no session is refused', async () => {
  const { caller, id } = await sent();
  const refused = await refusalOf(watch(ramz, caller, id, 'seven').ended);
  expect(refused).toMatchObject({ code: 'invalid_argument', field: 'last_event_id' });
});

test('a watch of a session that is over is one answer', async () => {
  const { caller, id } = await sent();
  await ramz.cancel(caller, id);
  const { seen, ended } = watch(ramz, caller, id);
  await ended;
  expect(seen.map(({ session }) => session?.status)).toEqual(['canceled']);
});

test('a watcher who comes later gets nothing told twice to those who were there', async () => {
  const { caller, id } = await sent();
  const early = watch(elsewhere, caller, id);
  await early.answers(1);
  await ramz.cancel(caller, id);
  const late = watch(elsewhere, caller, id);
  await Promise.all([early.answers(2), late.ended]);
  await early.ended;
  expect(early.seen.map(({ session }) => session?.status)).toEqual(['pending', 'canceled']);
  expect(late.seen.map(({ session }) => session?.status)).toEqual(['canceled']);
});

test('nothing is kept of a watcher who has gone, nor of a process that stops', async () => {
  const { caller, id } = await sent();
  const gone = watch(ramz, caller, id);
  await gone.answers(1);
  expect(ramz.engine.watches.size).toBe(1);
  gone.leave();
  expect(await refusalOf(gone.ended)).toMatchObject({ code: 'canceled' });
  await until(() => ramz.engine.watches.size === 0, { what: 'the watch to be forgotten' });

  const stopping = await startProcess(database);
  const held = watch(stopping, caller, id);
  await held.answers(1);
  stopping.waist.stopStreams();
  expect(await refusalOf(held.ended)).toMatchObject({ code: 'unavailable', httpStatus: 503 });
  await until(() => stopping.engine.watches.size === 0, { what: 'the watch to be forgotten' });
});

test('a process watches so many sessions and no more', async () => {
  const full = await startProcess(database, { maxWatched: 1 });
  const [first, second] = [await sent(), await sent()];
  const held = watch(full, first.caller, first.id);
  await held.answers(1);
  const refused = await refusalOf(watch(full, second.caller, second.id).ended);
  expect(refused).toMatchObject({ code: 'unavailable', retryAfter: 5 });
  held.leave();
  await until(() => full.engine.watches.size === 0, { what: 'the watch to be forgotten' });
});

test('test keys of many accounts leave half of the places to live keys', async () => {
  const process = await startProcess(database, { maxWatched: 4 });
  const ofTest = Array.from({ length: 3 }, () => newCaller('test'));
  const own = await Promise.all(ofTest.map((caller) => process.send(caller, { to: newNumber() })));
  const [one, two, three] = ofTest.map((caller, n) => watch(process, caller, own[n]!.id));
  expect(await refusalOf(three!.ended)).toMatchObject({ code: 'unavailable', retryAfter: 5 });
  await Promise.all([one!.answers(1), two!.answers(1)]);
  const { caller, id } = await sent();
  const live = [watch(process, caller, id), watch(process, caller, id)];
  await Promise.all(live.map(({ answers }) => answers(1)));
  expect(await refusalOf(watch(process, caller, id).ended)).toMatchObject({ code: 'unavailable' });
  for (const each of [one!, two!, ...live]) each.leave();
  await until(() => process.engine.watches.size === 0, { what: 'the watches to be forgotten' });
});

test('an account and mode watches so many sessions of them, and shuts out nobody else', async () => {
  const process = await startProcess(database, { watchesPerAccount: 2 });
  const [own, other] = [await sent(), await sent()];
  const test: Caller = { ...own.caller, mode: 'test' };
  // All at once: a place is taken before anything is read, or each would find room.
  const many = Array.from({ length: 50 }, () => watch(process, own.caller, own.id));
  const refusals = await Promise.all(many.slice(2).map(({ ended }) => refusalOf(ended)));
  expect(refusals).toHaveLength(48);
  for (const refused of refusals)
    expect(refused).toMatchObject({ code: 'too_many_watches', httpStatus: 429, retryAfter: 5 });
  const neighbour = watch(process, other.caller, other.id);
  await Promise.all([neighbour.answers(1), many[0]?.answers(1), many[1]?.answers(1)]);
  expect(await refusalOf(watch(process, test, own.id).ended)).toMatchObject({ code: 'session_not_found' });

  many[0]?.leave();
  await until(() => process.engine.watches.size === 2, { what: 'the watch to be forgotten' });
  const again = watch(process, own.caller, own.id);
  await again.answers(1);
  for (const each of [neighbour, again, many[1]]) each?.leave();
  // What was not found has left its place, too.
  for (let n = 0; n < 5; n += 1) {
    expect(await refusalOf(watch(process, own.caller, ids('vrf_')).ended)).toMatchObject({ code: 'session_not_found' });
  }
});

test('watches that open or hear of something at once leave connections to everybody else', async () => {
  let reading = 0;
  let mostReading = 0;
  const places = new AtMost(3);
  const read = async () => {
    mostReading = Math.max(mostReading, ++reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
  };
  await Promise.all(Array.from({ length: 100 }, () => places.run(read)));
  expect([mostReading, reading]).toEqual([3, 0]);
  const failing = Promise.allSettled(
    Array.from({ length: 10 }, () => places.run(() => Promise.reject(new Error('x')))),
  );
  expect((await failing).every(({ status }) => status === 'rejected')).toBe(true);
  await places.run(read);
});
