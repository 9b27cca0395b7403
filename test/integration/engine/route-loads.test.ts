// A process without a bind judges a route's queue by what those that have one say of it.
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

/** Ten messages a second, and none of them gets a place. */
class SlowChannel extends ScriptedChannel {
  override ratePerSecond(): never {
    return (this.live ? 10 : null) as never;
  }
  override reserve(): Promise<null> {
    return new Promise(() => {});
  }
}

const leg = (timeoutMs: number) => sendRequest({ cascade: [{ channel: 'sms', timeoutMs }] });

test("what would wait longer than its leg is refused, also where the queue is another process's", async () => {
  const bound = await testEngine(database, { sms: new SlowChannel() });
  const without = new SlowChannel();
  without.live = false;
  const { engine } = await testEngine(database, { sms: without });
  const { routeLoads } = engine;
  for (let n = 0; n < 60; n += 1) await bound.engine.starter.sendSettled(leg(60_000));
  await until(() => bound.engine.dispatcher.backlog('sms/atlas') === 60, { what: 'sixty to wait' });

  expect((await engine.starter.sendSettled(leg(5_000))).kind).toBe('sent'); // Nobody has said anything yet.
  await bound.pulse.beat();
  await routeLoads.read();
  const refused = await engine.starter.sendSettled(leg(5_000));
  expect(refused).toMatchObject({ kind: 'overloaded' });
  if (refused.kind !== 'overloaded') throw new Error(refused.kind);
  expect(refused.retryAfterMs).toBe(1_100); // Sixty there and the one left in the database, at ten a second, for a leg of five.
  expect((await engine.starter.sendSettled(leg(10_000))).kind).toBe('sent');

  await bound.fleet.leave();
  await routeLoads.read();
  expect((await engine.starter.sendSettled(leg(5_000))).kind).toBe('sent'); // A dead process's word counts no more.
});

test('sends that come all at once are counted as they are stored, not only once they wait', async () => {
  const { engine } = await testEngine(database, { sms: new SlowChannel() });
  const results = await Promise.all(Array.from({ length: 80 }, () => engine.starter.sendSettled(leg(5_000))));
  // Ten a second for five seconds, and the one that is due when they are over.
  expect(results.filter(({ kind }) => kind === 'sent')).toHaveLength(51);
  expect(results.filter(({ kind }) => kind === 'overloaded')).toHaveLength(29);
});

/** Ten messages a second, all of which get their place at once; their answers take for ever. */
class LateChannel extends ScriptedChannel {
  override ratePerSecond(): never {
    return (this.live ? 10 : null) as never;
  }
}

test('messages that wait for their answers keep no other from a place: none is refused, none is left in the database', async () => {
  const late = new LateChannel();
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
  const usual = late.answer;
  late.answer = async (message) => {
    await answers;
    return usual(message);
  };
  const bound = await testEngine(database, { sms: late });
  for (let n = 0; n < 60; n += 1) await bound.engine.starter.sendSettled(leg(60_000));
  await until(() => late.sent.length === 60, { what: 'sixty to be written' });
  expect((await bound.engine.starter.sendSettled(leg(5_000))).kind).toBe('sent');

  const without = new LateChannel();
  without.live = false;
  const { engine } = await testEngine(database, { sms: without });
  const left = await engine.starter.sendSettled(leg(60_000));
  expect(left.kind).toBe('sent');
  await bound.engine.sweep('claim');
  await until(() => late.sent.some(({ sessionId }) => left.kind === 'sent' && sessionId === left.session.id), {
    what: 'the message of the other process to be written',
  });
  answer();
  await bound.engine.dispatcher.idle();
  expect(bound.engine.dispatcher.backlog('sms/atlas')).toBe(0);
});
