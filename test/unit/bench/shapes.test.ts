import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLoop } from '../../../bench/load/shapes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('an open loop begins each item when it is due, the first at once, whatever becomes of those before', async () => {
  const begun: { dueMs: number; beganMs: number }[] = [];
  const startedAt = performance.now();
  const hangs = new Promise<never>(() => {});
  const play = (dueAt: number) => {
    begun.push({ dueMs: dueAt - startedAt, beganMs: performance.now() - startedAt });
    return hangs;
  };
  void openLoop(play, { ratePerSecond: 10, measureMs: 500 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.map(({ dueMs }) => Math.round(dueMs))).toEqual([0, 100, 200, 300, 400]);
  for (const { dueMs, beganMs } of begun) {
    expect(beganMs).toBeGreaterThanOrEqual(dueMs - 0.001);
    expect(beganMs - dueMs).toBeLessThanOrEqual(2);
  }
});
