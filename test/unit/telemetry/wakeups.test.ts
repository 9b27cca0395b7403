// The metrics while nobody asks for them: they wake nothing up.
import { performance } from 'node:perf_hooks';
import { setTimeout as rings } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;

async function turnsOfTenTimers(): Promise<number> {
  const before = turns();
  for (let rung = 0; rung < 10; rung += 1) await rings(50);
  return turns() - before;
}

test('the event loop turns no more often for them', async () => {
  createMetrics();
  const counts = [await turnsOfTenTimers(), await turnsOfTenTimers(), await turnsOfTenTimers()];
  // The runner makes turns of its own now and then. A look every 10 ms would make 50 in each.
  expect(Math.min(...counts)).toBeLessThan(30);
});
