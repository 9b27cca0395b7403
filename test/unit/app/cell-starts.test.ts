// The metric of each cell tells a database that is away also where there is one cell alone: nothing else pages for it behind a balancer.
import { expect, test } from 'vitest';
import { CellStarts, type CellStartsOptions } from '../../../src/app/cell-starts.ts';
import type { Fleet } from '../../../src/engine/fleet/members.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

test('one cell alone is shown, too, at 0 while the lease there has run out', async () => {
  const metrics = createMetrics();
  const cells = [{ name: 'home', state: 'ready' }] as unknown as CellStartsOptions['cells'];
  const starts = new CellStarts({ metrics, cells, now: () => 0 } as unknown as CellStartsOptions);
  let hasLease = true;
  const fleets = new Map([['home', { keptSince: () => hasLease } as unknown as Fleet]]);
  const shown = async () => {
    starts.measure(fleets);
    return (await metrics.cellReady.get()).values.map(({ labels, value }) => [labels.cell, value]);
  };
  expect(await shown()).toEqual([['home', 1]]);
  hasLease = false;
  expect(await shown()).toEqual([['home', 0]]);
});
