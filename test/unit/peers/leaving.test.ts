// An end that leaves: whatever was asked of it before it was known to leave is answered, and nothing is asked of it behind that.
import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Asked } from '../../../src/peers/asked.ts';
import { type CloseReason, Connection, type ConnectionOptions } from '../../../src/peers/connection.ts';
import { until } from '../../support/wait.ts';

const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await turn();
};

async function pair(work: ConnectionOptions['work'] = async (body) => body) {
  const ends = duplexPair().map((stream) => {
    const closed: CloseReason[] = [];
    const onClosed = (why: CloseReason) => void closed.push(why);
    const judge = () => true;
    const now = () => performance.now();
    const options = { greeting: 'hello', judge, work, onClosed, takenMs: 10_000, now };
    return { connection: new Connection(stream, options), closed };
  });
  await until(() => ends.every(({ connection }) => connection.isHeard), { what: 'both to have greeted' });
  return ends as [(typeof ends)[number], (typeof ends)[number]];
}

const notAsked: Asked = { kind: 'direct', why: 'no_peer' };

test.each([
  ['the other one', 0],
  ['its own', 1],
])('whenever an end leaves, each question of %s is answered, or was not asked', async (_, asker) => {
  let answered = 0;
  let unasked = 0;
  const isAsked = fc.record({ atTurn: fc.nat(20), lasts: fc.nat(12) });
  await fc.assert(
    fc.asyncProperty(fc.array(isAsked, { maxLength: 20 }), fc.nat(12), async (questions, leavesAt) => {
      const ends = await pair((body) => turns(Number(body)).then(() => body));
      const [, two] = ends;
      const asking = questions.map(async ({ atTurn, lasts }) => {
        await turns(atTurn);
        return ends[asker]?.connection.ask(String(lasts));
      });
      await turns(leavesAt);
      await two.connection.leave();
      const answers = await Promise.all(asking);
      for (const [index, answer] of answers.entries()) {
        if (answer?.kind === 'answered') expect(answer.body).toBe(String(questions[index]?.lasts));
        else expect(answer).toEqual(notAsked);
      }
      answered += answers.filter((answer) => answer?.kind === 'answered').length;
      unasked += answers.filter((answer) => answer?.kind === 'direct').length;
      expect(ends.map(({ closed }) => closed)).toEqual([['ended'], ['ended']]);
    }),
    { numRuns: 200 },
  );
  expect(Math.min(answered, unasked)).toBeGreaterThan(0);
});

test('work that throws fails its question, and keeps nobody from leaving', async () => {
  const [one, two] = await pair(() => Promise.reject(new Error('no')));
  const asked = one.connection.ask('x');
  await two.connection.leave();
  expect(await asked).toEqual({ kind: 'direct', why: 'failed' });
});

test('both leave at once', async () => {
  const [one, two] = await pair(async (body) => {
    await turns(5);
    return body;
  });
  const asked = Promise.all([one, two].map(({ connection }) => connection.ask('x')));
  await Promise.all([one, two].map(({ connection }) => connection.leave()));
  expect(await asked).toEqual(Array(2).fill({ kind: 'answered', body: 'x' }));
});

test('an end that leaves still asks, and is answered', async () => {
  const work = Promise.withResolvers<string>();
  const [one, two] = await pair((body) => (body === 'long' ? work.promise : Promise.resolve(body)));
  const long = one.connection.ask('long');
  await turns(5);
  const left = two.connection.leave();
  await until(() => !one.connection.isHeard, { what: 'the other end to know' });
  expect(await one.connection.ask('later')).toEqual(notAsked);
  expect(await two.connection.ask('still')).toEqual({ kind: 'answered', body: 'still' });
  work.resolve('done');
  expect(await long).toEqual({ kind: 'answered', body: 'done' });
  await left;
});
