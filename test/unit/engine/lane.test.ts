// A lane in front of a database that is slow, stuck or gone.
import { expect, test } from 'vitest';
import { Lane, LaneFull } from '../../../src/engine/lane.ts';
import { until } from '../../support/wait.ts';

/** Batches wait until they are told to end. */
function stuck(options: { maxWaiting?: number; inFlight?: number } = {}) {
  let now = 0;
  const batches: { items: readonly number[]; end(error?: Error): void }[] = [];
  const lane = new Lane<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: (error) => (error ? reject(error) : resolve([...items])) });
      }),
    { name: 'test', now: () => now, ...options },
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { lane, batches, pass };
}

test('what waits is bounded', async () => {
  const { lane, batches } = stuck({ maxWaiting: 2, inFlight: 1 });
  const first = lane.push(1);
  await until(() => batches.length === 1, { what: 'the first batch to leave' });
  const waiting = [lane.push(2), lane.push(3)];
  await expect(lane.push(4)).rejects.toThrow(LaneFull);
  batches[0]?.end();
  await until(() => batches.length === 2, { what: 'the next' });
  batches[1]?.end();
  expect(await Promise.all([first, ...waiting])).toEqual([1, 2, 3]);
});

test('while nothing moves new items are refused; those that wait are kept; then it goes on', async () => {
  const { lane, batches, pass } = stuck({ inFlight: 2 });
  const first = lane.push(1);
  await until(() => batches.length === 1, { what: 'the first batch to leave' });
  pass(60_000);
  // One slow batch is no standstill: there is a place beside it.
  const second = lane.push(2);
  await until(() => batches.length === 2, { what: 'the second' });
  batches[1]?.end();
  await second;
  const third = lane.push(3);
  await until(() => batches.length === 3, { what: 'the third' });
  const fourth = lane.push(4);
  pass(3_001);
  await expect(lane.push(5)).rejects.toThrow(/does not move/);
  batches[2]?.end(new Error('the connection is lost'));
  await expect(third).rejects.toThrow('lost');
  await until(() => batches.length === 4, { what: 'the fourth' });
  const sixth = lane.push(6);
  batches[3]?.end();
  batches[0]?.end();
  await until(() => batches.length === 5, { what: 'the sixth' });
  batches[4]?.end();
  expect(await Promise.all([first, fourth, sixth])).toEqual([1, 4, 6]);
});

test('one poisoned item of a batch fails alone', async () => {
  const lane = new Lane<number, number>(
    async (items) => {
      if (items.includes(3)) throw Object.assign(new Error('bad'), { code: '22P02' });
      return items.map((item) => item * 2);
    },
    { name: 'test' },
  );
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => lane.push(item)));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'bad'))).toEqual([2, 4, 'bad', 8, 10]);
});
