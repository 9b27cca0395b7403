// A lane in front of a database that is slow, stuck or gone.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Lane, LaneFull, type LaneOptions } from '../../../src/db/batch.ts';
import { until } from '../../support/wait.ts';

/** Batches wait until they are told to end. */
function stuck(options: Partial<LaneOptions> = {}) {
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
  const owed = lane.push(5, { isOwed: true });
  batches[0]?.end();
  await until(() => batches.length === 2, { what: 'the next' });
  batches[1]?.end();
  expect(await Promise.all([first, ...waiting, owed])).toEqual([1, 2, 3, 5]);
});

describe('while nothing moves', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test('new items are refused; those that wait are kept; then it goes on', async () => {
    const { lane, batches } = stuck({ inFlight: 2 });
    const first = lane.push(1);
    await pass(60_000);
    // One slow batch is no standstill: there is a place beside it.
    const second = lane.push(2);
    await pass(0);
    batches[1]?.end();
    await second;
    const third = lane.push(3);
    await pass(0);
    const fourth = lane.push(4);
    await pass(2_900);
    const fifth = lane.push(5);
    await pass(200);
    await expect(lane.push(6)).rejects.toThrow(/does not move/);
    const owed = lane.push(60, { isOwed: true });
    batches[2]?.end(new Error('the connection is lost'));
    await expect(third).rejects.toThrow('lost');
    await pass(0);
    const seventh = lane.push(7);
    batches[3]?.end();
    batches[0]?.end();
    await pass(0);
    batches[4]?.end();
    expect(await Promise.all([first, fourth, fifth, owed, seventh])).toEqual([1, 4, 5, 60, 7]);
    expect(vi.getTimerCount()).toBe(1); // A last look.
    await pass(3_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a process that stood still refuses nothing before it has read the answers', async () => {
    const { lane, batches } = stuck({ inFlight: 1, now: Date.now });
    const first = lane.push(1);
    await pass(700);
    const due: Promise<number>[] = [];
    setTimeout(() => due.push(lane.push(2)), 800); // Such as a deadline.
    vi.setSystemTime(Date.now() + 60_000);
    await pass(800);
    batches[0]?.end();
    await pass(0);
    batches[1]?.end();
    expect(await Promise.all([first, ...due])).toEqual([1, 2]);
  });
});

test.each([
  ['of a form that its type refuses', '22P02'],
  ['longer than an index takes', '54000'],
  ['against a constraint', '23505'],
])('one poisoned item of a batch fails alone: %s', async (_, code) => {
  const lane = new Lane<number, number>(
    async (items) => {
      if (items.includes(3)) throw Object.assign(new Error('bad'), { code });
      return items.map((item) => item * 2);
    },
    { name: 'test' },
  );
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => lane.push(item)));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'bad'))).toEqual([2, 4, 'bad', 8, 10]);
});

describe('patient items', () => {
  afterEach(() => vi.useRealTimers());

  /** A lane whose batches are done as soon as they leave, and a clock that stands still. */
  function paced() {
    vi.useFakeTimers({ now: 1_000_000 });
    const batches: number[][] = [];
    const run = async (items: readonly number[]) => {
      batches.push([...items]);
      return [...items];
    };
    const lane = new Lane<number, number>(run, { name: 'test', briefLingerMs: 5, lingerMs: 20 });
    const patient = (item: number) => void lane.push(item, { patient: 'briefly' });
    const unawaited = (item: number) => void lane.push(item, { patient: true });
    return { lane, batches, patient, unawaited, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
  }

  test('linger together, for as long as the most pressing of them may', async () => {
    const { batches, patient, unawaited, pass } = paced();
    unawaited(1);
    await pass(10);
    patient(2);
    await pass(4);
    expect(batches).toEqual([]);
    await pass(1);
    expect(batches).toEqual([[1, 2]]);
    unawaited(3);
    await pass(19);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('leave as soon as there are four, at a distance from the batch before', async () => {
    const { batches, unawaited, pass } = paced();
    for (const item of [1, 2, 3, 4]) unawaited(item);
    await pass(0);
    expect(batches).toEqual([[1, 2, 3, 4]]);
    await pass(2);
    for (const item of [5, 6, 7, 8]) unawaited(item);
    await pass(2);
    unawaited(9);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8, 9],
    ]);
  });

  test('that come steadily share statements, however quiet it is', async () => {
    const { batches, unawaited, pass } = paced();
    for (let item = 0; item < 100; item += 1) {
      unawaited(item);
      await pass(10);
    }
    expect(batches.every(({ length }) => length >= 2)).toBe(true);
    expect(batches.length).toBeGreaterThan(20);
  });

  test('leave with the next item that a caller waits for', async () => {
    const { lane, batches, patient, pass } = paced();
    patient(1);
    await pass(1);
    const urgent = lane.push(2);
    await pass(0);
    expect(batches).toEqual([[1, 2]]);
    expect(await urgent).toBe(2);
    await pass(20);
    expect(batches).toHaveLength(1); // There is nothing left.
  });

  test('leave at once when they are flushed', async () => {
    const { lane, batches, unawaited, pass } = paced();
    unawaited(1);
    await pass(1);
    lane.flush();
    expect(batches).toEqual([[1]]);
    lane.flush(); // Nothing waits.
    expect(batches).toHaveLength(1);
  });

  test('leave when there is room, where their distance ends while every batch is under way', async () => {
    const { lane, batches } = stuck({ inFlight: 1, briefLingerMs: 1 });
    const first = lane.push(1, { patient: true });
    await until(() => batches.length === 1, { what: 'the first batch to leave' });
    const second = lane.push(2, { patient: true });
    batches[0]?.end();
    await until(() => batches.length === 2, { what: 'the next' });
    batches[1]?.end();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test('do not linger longer by a clock that is set back', async () => {
    const { batches, patient, pass } = paced();
    patient(1);
    await pass(5);
    vi.setSystemTime(0);
    patient(2);
    await pass(5);
    expect(batches).toEqual([[1], [2]]);
  });
});
