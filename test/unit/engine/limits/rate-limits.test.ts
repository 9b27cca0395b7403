// Tokens that processes take ahead, with a clock and a bucket of the test's own.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { WantedTogether, WantedTokens } from '../../../../src/db/limits/buckets.ts';
import { RateLimits } from '../../../../src/engine/limits/rate-limits.ts';

/** As the database keeps it: full at first. */
function played({ capacity, perSecond }: { capacity: number; perSecond: number }) {
  const clock = { now: 1_800_000_000_000 };
  let held = { tokens: capacity, at: clock.now };
  const statements: WantedTokens[] = [];
  const takeTokens = async (items: readonly WantedTogether[]) => {
    const buckets = items.flat();
    statements.push(...buckets);
    return buckets.map(({ wanted, back }) => {
      const refilled = ((clock.now - held.at) / 1000) * perSecond;
      const tokens = Math.min(capacity, held.tokens + back + refilled);
      const granted = Math.min(wanted, Math.floor(tokens));
      if (granted + back > 0) held = { tokens: tokens - granted, at: clock.now };
      return [{ granted, tokens: tokens - granted, lacked: granted < wanted }];
    });
  };
  const bucket = { key: 'account', capacity, refillPerSecond: perSecond };
  const sentAt: number[] = [];
  const process = () => {
    const limits = new RateLimits({ takeTokens }, { now: () => clock.now });
    return () =>
      limits.take(bucket).then((taken) => {
        if (taken.kind === 'taken') sentAt.push(clock.now);
        return taken;
      });
  };
  /** Lets every statement come back. */
  const pass = async (ms: number) => {
    for (let turns = 0; turns < 6; turns += 1) await turn();
    clock.now += ms;
  };
  return { process, pass, statements, sentAt, clock };
}

/** The most that were sent within any `ms`. */
const mostWithin = (sentAt: readonly number[], ms: number): number =>
  Math.max(...sentAt.map((at, first) => sentAt.filter((other, n) => n >= first && other < at + ms).length));

test('a steady flow costs few statements, and none of its sends waits for one but the first', async () => {
  const { process, pass, statements, sentAt } = played({ capacity: 100, perSecond: 100 });
  const take = process();
  let waited = 0;
  for (let n = 0; n < 400; n += 1) {
    const asked = { isOver: false };
    void take().then(() => {
      asked.isOver = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    if (!asked.isOver) waited += 1;
    await pass(20); // Fifty a second.
  }
  expect(sentAt).toHaveLength(400);
  expect(statements.length).toBeLessThan(100);
  expect(waited).toBeLessThan(4);
});

test('what is not spent in time is put back: four processes below the rate are never refused', async () => {
  const { process, pass, statements, sentAt } = played({ capacity: 10, perSecond: 40 });
  const takes = [process(), process(), process(), process()];
  let refused = 0;
  for (let step = 0; step < 2_000; step += 1) {
    // 36 a second in all, in turn: each process has one every 111 ms.
    if (step % 7 === 0) void takes[(step / 7) % 4]?.().then(({ kind }) => (refused += kind === 'refused' ? 1 : 0));
    await pass(4);
  }
  expect(refused).toBe(0);
  expect(sentAt.length).toBeGreaterThan(280);
  const taken = statements.reduce((sum, { wanted, back }) => sum + wanted - back, 0);
  expect(taken - sentAt.length).toBeLessThanOrEqual(4 * 10);
});

test('four processes that are flooded send what the bucket gives, and a quarter of a second more at most', async () => {
  const [capacity, perSecond] = [20, 60];
  const { process, pass, sentAt, clock } = played({ capacity, perSecond });
  const takes = [process(), process(), process(), process()];
  const from = clock.now;
  for (let step = 0; step < 1_000; step += 1) {
    for (const take of takes) void take();
    await pass(5);
  }
  const seconds = (clock.now - from) / 1000;
  for (const ms of [50, 250, 1_000, 4_000]) {
    expect(mostWithin(sentAt, ms), `${ms} ms`).toBeLessThanOrEqual(capacity + (perSecond * (ms + 250)) / 1000);
  }
  expect(sentAt.length).toBeGreaterThan(perSecond * seconds * 0.9);
});

test('a bucket of one token a second gives one, says when the next comes, and none is taken ahead', async () => {
  const { process, pass, statements } = played({ capacity: 1, perSecond: 1 });
  const [one, two] = [process(), process()];
  expect(await one()).toMatchObject({ kind: 'taken', tokens: 0 });
  expect(await two()).toMatchObject({ kind: 'refused', empty: [{ retryAfterMs: 1_000 }], tokens: 0 });
  await pass(400);
  expect(await one()).toMatchObject({ kind: 'refused', empty: [{ retryAfterMs: 600 }], tokens: 0.4 });
  await pass(600);
  expect(await two()).toMatchObject({ kind: 'taken', tokens: 0 });
  expect(statements.map(({ wanted }) => wanted)).toEqual([1, 1, 1, 1]);
});

test('what is left is told without a statement, what was taken ahead included', async () => {
  const { process, pass, statements } = played({ capacity: 100, perSecond: 100 });
  const take = process();
  const left: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    left.push((await take()).tokens);
    await pass(5); // Twice as fast as it fills up.
  }
  expect(left[0]).toBe(99);
  for (const [n, tokens] of left.entries()) expect(tokens).toBeCloseTo(99 - n / 2, 5);
  expect(statements.length).toBeLessThan(left.length);
});

test('a refused call spends nothing', async () => {
  const { process, pass, sentAt } = played({ capacity: 1, perSecond: 1 });
  const take = process();
  await take();
  for (let n = 0; n < 9; n += 1) {
    await pass(100);
    expect((await take()).kind).toBe('refused');
  }
  await pass(100);
  expect((await take()).kind).toBe('taken');
  expect(sentAt).toHaveLength(2);
});

test('calls that come while a statement is under way are answered in their order', async () => {
  const { process } = played({ capacity: 3, perSecond: 0.001 });
  const take = process();
  const answers = await Promise.all(Array.from({ length: 5 }, () => take()));
  expect(answers.map(({ kind }) => kind)).toEqual(['taken', 'taken', 'taken', 'refused', 'refused']);
});

test('a send that several buckets refuse is told of each of them, and when it has a token', async () => {
  const perHour = { key: 'hour', capacity: 2, refillPerSecond: 2 / 3_600, optional: false };
  const perDay = { key: 'day', capacity: 2, refillPerSecond: 2 / 86_400, optional: false };
  const full = { key: 'full', capacity: 9, refillPerSecond: 1, optional: false };
  const watched = { ...perDay, key: 'watched', optional: true };
  const left: Record<string, number> = { account: 5, hour: 0.5, day: 0, full: 9, watched: 0 };
  const takeTokens = async (items: readonly WantedTogether[]) =>
    items.map((buckets) =>
      buckets.map(({ key }) => ({ granted: 0, tokens: left[key] ?? 0, lacked: (left[key] ?? 0) < 1 })),
    );
  const limits = new RateLimits({ takeTokens });
  const account = { key: 'account', capacity: 5, refillPerSecond: 1 };
  expect(await limits.take(account, [perHour, perDay, full, watched])).toMatchObject({
    kind: 'refused',
    empty: [
      { key: 'hour', retryAfterMs: 900_000 },
      { key: 'day', retryAfterMs: 43_200_000 },
    ],
  });
});
