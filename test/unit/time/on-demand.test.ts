// A loop that runs on demand: woken, when its time has come, never twice at once.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onDemand, Wakeup } from '../../../src/time/on-demand.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A loop of which every run answers what `due` says, and the times of its runs. */
function started(due: () => number | null, { distanceMs = 100, afterErrorMs = 500 } = {}) {
  const runs: number[] = [];
  const errors: unknown[] = [];
  const wakeup = new Wakeup();
  const run = async () => {
    runs.push(Date.now());
    return due();
  };
  const loop = onDemand({ run, wakeup, distanceMs, afterErrorMs, onError: (error) => errors.push(error) });
  return { runs, errors, wakeup, loop };
}

test('it runs at once, and then not before it is woken', async () => {
  const { runs, wakeup, loop } = started(() => null);
  await pass(10_000);
  expect(runs).toEqual([0]);
  wakeup.set();
  await pass(0);
  expect(runs).toEqual([0, 10_000]);
  await pass(100_000);
  expect(runs).toHaveLength(2);
  await loop.stop();
});

test('however often it is woken, it keeps its distance', async () => {
  const { runs, wakeup, loop } = started(() => null);
  for (let n = 0; n < 25; n += 1) {
    wakeup.set();
    await pass(10);
  }
  await pass(1_000);
  expect(runs).toEqual([0, 100, 200, 300]);
  await loop.stop();
});

test('it runs when its last run said, though that is sooner than the distance', async () => {
  const due = [30, 250, null];
  const { runs, loop } = started(() => due.shift() ?? null);
  await pass(10_000);
  expect(runs).toEqual([0, 30, 280]);
  await loop.stop();
});

test('what wakes it during a run makes it run again', async () => {
  const held = Promise.withResolvers<void>();
  let runs = 0;
  const wakeup = new Wakeup();
  const run = async () => {
    runs += 1;
    if (runs === 1) await held.promise;
    return null;
  };
  const loop = onDemand({ run, wakeup, distanceMs: 100, onError: () => {} });
  wakeup.set();
  held.resolve();
  await pass(1_000);
  expect(runs).toBe(2);
  await loop.stop();
});

test('after a run that failed it runs again by itself', async () => {
  let fails = 2;
  const { runs, errors, loop } = started(() => {
    fails -= 1;
    if (fails >= 0) throw new Error('away');
    return null;
  });
  await pass(10_000);
  expect(runs).toEqual([0, 500, 1_000]);
  expect(errors).toHaveLength(2);
  await loop.stop();
});

test('it stops while it waits, for its distance or to be woken', async () => {
  for (const waited of [10, 10_000]) {
    const { runs, wakeup, loop } = started(() => null);
    await pass(waited);
    await loop.stop();
    wakeup.set();
    await pass(10_000);
    expect(runs).toHaveLength(1);
  }
  expect(vi.getTimerCount()).toBe(0);
});

test('a loop reports a run that throws, and runs again', async () => {
  vi.useRealTimers();
  const again = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  let runs = 0;
  const loop = onDemand({
    distanceMs: 60_000,
    afterErrorMs: 1,
    onError: (error) => errors.push(error),
    async run() {
      runs += 1;
      if (runs < 3) throw new Error(`run ${runs}`);
      again.resolve();
      return null;
    },
  });
  await again.promise;
  await loop.stop(); // Within the minute of its pause.
  expect(errors).toEqual([new Error('run 1'), new Error('run 2')]);
  expect(runs).toBe(3);
});

test('a run that may take long is told that it is to end', async () => {
  vi.useRealTimers();
  const run = (stopping: AbortSignal) =>
    new Promise<null>((resolve) => stopping.addEventListener('abort', () => resolve(null), { once: true }));
  await onDemand({ distanceMs: 0, run, onError: () => {} }).stop();
});

test('stopping waits for the run under way, and no other begins', async () => {
  vi.useRealTimers();
  const held = Promise.withResolvers<void>();
  let runs = 0;
  let stopped = false;
  const run = async () => {
    await held.promise;
    runs += 1;
    return 0;
  };
  const loop = onDemand({ distanceMs: 0, run, onError: () => {} });
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  held.resolve();
  await stopping;
  expect(runs).toBe(1);
});
