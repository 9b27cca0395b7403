// Tokens of several buckets that one send takes: all of them or none, over all processes, and in how many statements.
import { array, assert, asyncProperty, boolean, integer, record, subarray } from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engineStore } from '../../../src/db/engine-store.ts';
import { type ExtraBucket, RateLimits, type TokensTaken } from '../../../src/engine/limits/rate-limits.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
/** No token comes back within a test. */
const bucket = (key: string, capacity: number) => ({ key, capacity, refillPerSecond: 0.000_001 });
const extra = (key: string, capacity: number, optional = false): ExtraBucket => ({
  ...bucket(key, capacity),
  optional,
});
const process = () => new RateLimits(engineStore(database.connect().lanes));
const used = async (key: string, capacity: number): Promise<number> => {
  const { rows } = await sql<{ tokens: number }>`select tokens from rate_bucket where key = ${key}`.execute(
    database.db,
  );
  return capacity - Math.round(rows[0]?.tokens ?? capacity);
};
const count = (answers: readonly TokensTaken[]) => answers.filter(({ kind }) => kind === 'taken').length;

test('what one bucket refuses takes nothing from the others', async () => {
  const limits = process();
  const send = () => limits.take(bucket('own', 10), [extra('ip', 2), extra('device', 5)]);
  const answers = await Promise.all(Array.from({ length: 8 }, send));
  expect(count(answers)).toBe(2);
  const refused = answers.filter((answer) => answer.kind === 'refused');
  expect(refused.flatMap(({ empty }) => empty.map(({ key }) => key))).toEqual(Array(6).fill('ip'));
  expect(await Promise.all([used('own', 10), used('ip', 2), used('device', 5)])).toEqual([2, 2, 2]);
  // The account's own bucket refuses before those beside it, as it is the first of them.
  const few = Array.from({ length: 5 }, () => limits.take(bucket('few', 3), [extra('many', 9)]));
  const last = (await Promise.all(few)).at(-1);
  expect(last).toMatchObject({ kind: 'refused', empty: [{ key: 'few' }] });
  expect(await used('many', 9)).toBe(3);
});

test('a send behind one that another bucket refuses still gets the last token', async () => {
  const limits = process();
  const [, last, other] = await Promise.all([
    limits.take(bucket('wide', 100), [extra('shut', 1), extra('scarce', 2)]),
    limits.take(bucket('wide', 100), [extra('shut', 1), extra('scarce', 2)]),
    limits.take(bucket('wide', 100), [extra('scarce', 2)]),
  ]);
  expect(last).toMatchObject({ kind: 'refused', empty: [{ key: 'shut' }] });
  expect(other).toMatchObject({ kind: 'taken' });
  expect(await used('scarce', 2)).toBe(2);
});

test('an optional bucket refuses nothing, and says that it is empty', async () => {
  const limits = process();
  const send = () => limits.take(bucket('o', 10), [extra('watched', 1, true), extra('held', 3)]);
  const answers = await Promise.all(Array.from({ length: 4 }, send));
  expect(count(answers)).toBe(3);
  const taken = answers.filter((answer) => answer.kind === 'taken');
  expect(taken.map(({ empty }) => empty.map(({ key }) => key))).toEqual([[], ['watched'], ['watched']]);
  expect(taken.map(({ from }) => from.map(({ key }) => key))).toEqual([['watched', 'held'], ['held'], ['held']]);
});

test('what is given back is there again in every process, and never more than the bucket holds', async () => {
  const [one, other] = [process(), process()];
  const send = (limits: RateLimits) => limits.take(bucket('g', 100), [extra('returned', 1)]);
  const taken = await send(one);
  if (taken.kind !== 'taken') throw new Error('refused');
  expect(await send(other)).toMatchObject({ kind: 'refused' });
  one.giveBack(taken.from);
  one.giveBack(taken.from);
  // The lane takes them in the order of the calls.
  expect(await send(one)).toMatchObject({ kind: 'taken' });
  expect(await send(other)).toMatchObject({ kind: 'refused' });
});

test('extra buckets cost a send no statement more, and without them it costs none while tokens were taken ahead', async () => {
  let statements = 0;
  const observe = () => {
    statements += 1;
  };
  const limits = new RateLimits(engineStore(database.lanes), { observe });
  const clients = [extra('c1', 1000), extra('c2', 1000), extra('c3', 1000)];
  for (let n = 0; n < 5; n += 1) await limits.take(bucket('s', 1000), clients);
  expect(statements).toBe(5);
  statements = 0;
  await Promise.all(Array.from({ length: 200 }, () => limits.take(bucket('s', 1000), clients)));
  expect(statements).toBe(1);
  // A rate at which tokens are taken ahead: the flow goes on without a statement for each send.
  const fast = { key: 'fast', capacity: 1000, refillPerSecond: 1000 };
  statements = 0;
  for (let n = 0; n < 200; n += 1) await limits.take(fast);
  expect(statements).toBeLessThan(50);
});

const call = record({
  keys: subarray(['a', 'b', 'c'], { minLength: 1 }),
  process: integer({ min: 0, max: 3 }),
  optional: boolean(),
});

test('four processes never take more than a bucket holds, and take from each exactly what was granted', async () => {
  const processes = [process(), process(), process(), process()];
  let runs = 0;
  await assert(
    asyncProperty(
      array(call, { minLength: 1, maxLength: 40 }),
      integer({ min: 1, max: 12 }),
      async (calls, capacity) => {
        runs += 1;
        const key = (name: string) => `${name} of run ${runs}`;
        const answers = await Promise.all(
          calls.map(({ keys, process, optional }) =>
            (processes[process] as RateLimits).take(
              bucket(key('own'), 30),
              keys.map((name) => extra(key(name), capacity, optional)),
            ),
          ),
        );
        const taken = answers.filter((answer) => answer.kind === 'taken');
        expect(await used(key('own'), 30)).toBe(taken.length);
        for (const name of ['a', 'b', 'c']) {
          const from = taken.filter((answer) => answer.from.some((each) => each.key === key(name))).length;
          expect(await used(key(name), capacity)).toBe(from);
          expect(from).toBeLessThanOrEqual(capacity);
        }
        // Nothing is refused while every bucket that it names has a token.
        for (const answer of answers)
          if (answer.kind === 'refused') {
            expect(answer.empty.length).toBeGreaterThan(0);
            for (const empty of answer.empty) {
              const size = empty.key === key('own') ? 30 : capacity;
              expect(await used(empty.key, size)).toBe(size);
            }
          }
      },
    ),
    { numRuns: 25 },
  );
});
