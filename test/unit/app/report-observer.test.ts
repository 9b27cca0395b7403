// What of operators' reports is not understood is said once, or once an hour, also where the clock was set back meanwhile.
import { expect, test } from 'vitest';
import { reportObserver } from '../../../src/app/report-observer.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

const hour = 3_600_000;

test('a line that may come again does so after an hour, and at once when the clock was set back', () => {
  let now = 10 * hour;
  const lines: unknown[] = [];
  const logger = { warn: (about: unknown) => lines.push(about) } as never;
  const observe = reportObserver({ metrics: createMetrics(), logger, now: () => now });
  const problem = { kind: 'unreadable', advice: null, detail: 'x' } as never;
  const said = () => {
    const before = lines.length;
    observe('atlas', { kind: 'receipt', problems: [problem] } as never);
    return lines.length - before;
  };
  expect([said(), said()]).toEqual([1, 0]);
  now += hour - 1;
  expect(said()).toBe(0);
  now += 1;
  expect([said(), said()]).toEqual([1, 0]);
  now -= 5 * hour;
  expect([said(), said()]).toEqual([1, 0]);
});
