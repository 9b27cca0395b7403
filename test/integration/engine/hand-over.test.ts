// Hand-over of submits: an owner without a bind for its number's operator borrows a place from a process that has one. Whatever becomes of the
// hand-over, a message is written once at most, and one that was certainly not written goes out all the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../../src/core/verify/session.ts';
import type { Asked } from '../../../src/peers/asked.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt } from '../../support/engine.ts';
import { askedSend, connectByLine, connectByPorts, type RoutedEngine, routedEngines } from '../../support/routed.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

/** Half of them have a bind. */
async function engines(count: number): Promise<RoutedEngine[]> {
  const all = await routedEngines(database, count);
  for (const [n, { sms }] of all.entries()) sms.live = n < count / 2;
  return all;
}

const sentOf = (all: readonly RoutedEngine[], { id }: Session) =>
  all.flatMap(({ sms }) => sms.sent.filter(({ sessionId }) => sessionId === id));

async function send({ face }: RoutedEngine): Promise<Session> {
  const result = await face.send(askedSend());
  if (result.kind !== 'sent') throw new Error(result.kind);
  return result.session;
}

const stored = async ({ engine }: RoutedEngine, { accountId, id }: Session) => {
  const loaded = await engine.store.load({ accountId, id });
  if (!loaded) throw new Error('no session');
  return loaded;
};

const handedOver = (all: readonly RoutedEngine[]) =>
  all.flatMap(({ asked }) => asked).filter((what) => what === 'submit answered').length;

test('most sends of owners without a bind are handed over, and their receipts and answers come back', async () => {
  const all = await engines(4);
  await connectByPorts(all);
  const sessions: Session[] = [];
  for (let n = 0; n < 120; n += 1) {
    const by = all[n % 4] as RoutedEngine;
    const session = await send(by);
    sessions.push(session);
    await until(
      async () => {
        for (const { engine } of all) await engine.sweep('claim');
        return sentOf(all, session).length === 1;
      },
      { what: 'its SMS' },
    );
    await until(async () => (await stored(by, session)).session.messages[0]?.status === 'submitted', {
      what: 'its answer',
    });
  }
  // The first of each owner found no place yet.
  expect(handedOver(all)).toBeGreaterThan(40);
  for (const [n, session] of sessions.entries()) {
    const [message] = sentOf(all, session);
    if (!message) throw new Error('not sent');
    const bound = all.find(({ sms }) => sms.sent.includes(message)) as RoutedEngine;
    await bound.intake.take(carrierReceipt(message, 'DELIVRD'));
    const { accountId, id } = session;
    const checked = await (all[n % 4] as RoutedEngine).face.check({
      accountId,
      mode: 'live',
      idempotency: null,
      target: { id },
      code: message.code,
    });
    expect(checked).toMatchObject({ kind: 'checked', checked: { valid: true } });
    const after = await stored(bound, session);
    expect(after).toMatchObject({ holder: null, session: { messages: [{ status: 'delivered' }] } });
  }
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  // What nobody used is given back.
  await until(() => all.every(({ sms }) => sms.taken === 0), { what: 'all places to be given back' });
});

/** What may become of a hand-over, and whether the message may have been written. */
const fates = {
  answered: async (answer: () => Promise<Asked>) => answer(),
  'not sent out': async () => ({ kind: 'direct', why: 'no_peer' }),
  'read too late': async () => ({ kind: 'direct', why: 'late' }),
  'never taken': async () => ({ kind: 'direct', why: 'not_taken' }),
  'lost after the work': async (answer: () => Promise<Asked>) => {
    await answer();
    return { kind: 'direct', why: 'lost' };
  },
  'fell silent': async (answer: () => Promise<Asked>) => {
    await answer();
    return { kind: 'direct', why: 'fell_silent' };
  },
  threw: async () => ({ kind: 'direct', why: 'failed' }),
  nonsense: async (answer: () => Promise<Asked>) => {
    await answer();
    return { kind: 'answered', body: '{"kind":"sent"}' };
  },
  'given back meanwhile': async () => ({ kind: 'answered', body: '{"kind":"not_sent","reason":"not_now"}' }),
} as const satisfies Record<string, (answer: () => Promise<Asked>) => Promise<Asked>>;
type Fate = keyof typeof fates;

/** After these the message was certainly not written, and has to go out all the same. */
const isUnwritten = (fate: Fate) => ['not sent out', 'read too late', 'given back meanwhile'].includes(fate);
const inDoubt: readonly Fate[] = ['never taken', 'lost after the work', 'fell silent', 'threw', 'nonsense'];

test('whatever becomes of a hand-over: one SMS at most, and one where it was certainly not written', async () => {
  const all = (await engines(2)) as [RoutedEngine, RoutedEngine];
  let fate: Fate = 'answered';
  connectByLine(all, (verb, answer) => (verb === 'submit' ? fates[fate](answer) : answer()));
  const [bound, owner] = all;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...(Object.keys(fates) as Fate[])), async (drawn) => {
      fate = drawn;
      const before = owner.asked.length;
      let session: Session;
      // Not of a number that the other one owns, and with a place in stock.
      do {
        session = await send(owner);
        await owner.engine.dispatcher.idle();
      } while (!owner.asked.slice(before).some((what) => what.startsWith('submit')));
      await until(
        async () => {
          await bound.engine.sweep('claim');
          const status = (await stored(owner, session)).session.messages[0]?.status;
          return status === 'submitted' || status === 'unknown';
        },
        { what: 'an answer' },
      );
      const { messages } = (await stored(owner, session)).session;
      const sent = sentOf(all, session).length;
      if (inDoubt.includes(drawn)) {
        expect(messages).toMatchObject([{ status: 'unknown', reason: 'process_lost' }]);
        expect(sent).toBeLessThanOrEqual(1);
      } else {
        expect(messages).toMatchObject([{ status: 'submitted' }]);
        expect(sent).toBe(1);
      }
      if (isUnwritten(drawn)) expect(sent).toBe(1);
      await bound.engine.sweep('claim');
      await bound.engine.sweep('sweep');
      await Promise.all(all.map(({ engine }) => engine.dispatcher.idle()));
      expect(sentOf(all, session)).toHaveLength(sent);
    }),
    { numRuns: 60 },
  );
  await until(() => all.every(({ sms }) => sms.taken === 0), { what: 'all places to be given back' });
});

test('a process that drains lends nothing, and answers what was handed over', async () => {
  const all = (await engines(2)) as [RoutedEngine, RoutedEngine];
  connectByLine(all, (_verb, answer) => answer());
  const [bound, owner] = all;
  const answered = Promise.withResolvers<void>();
  const usual = bound.sms.answer;
  bound.sms.answer = async (message) => {
    await answered.promise;
    return usual(message);
  };
  let session = await send(owner);
  await until(
    async () => {
      session = await send(owner);
      return bound.sms.sent.some(({ sessionId }) => sessionId === session.id);
    },
    { what: 'a hand-over' },
  );
  const drained = bound.engine.drain(10_000);
  expect(await owner.conversation.ask(bound.processId, 'places', { route: 'sms/atlas', count: 3 })).toEqual({
    kind: 'answered',
    value: null,
  });
  expect(bound.sms.taken).toBe(0);
  answered.resolve();
  await drained;
  await until(async () => (await stored(owner, session)).session.messages[0]?.status === 'submitted', {
    what: 'its answer',
  });
});
