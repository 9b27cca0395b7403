// What of operators' reports is not understood is said once, or once an hour, also where the clock was set back meanwhile.
import { expect, test } from 'vitest';
import { showOperators } from '../../../src/app/base.ts';
import { oddityObserver, reportObserver } from '../../../src/app/report-observer.ts';
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

test('an SMSC that answers everything twice is counted each time, and logged once an hour for each of its oddities', async () => {
  let now = 10 * hour;
  const lines: unknown[] = [];
  const metrics = createMetrics();
  const observe = oddityObserver({ metrics, logger: { warn: (about: unknown) => lines.push(about) }, now: () => now });
  for (let sequence = 1; sequence <= 500; sequence += 1)
    observe('atlas', 0, 'duplicate_answer', `submit_sm_resp ${sequence}`);
  observe('atlas', 1, 'unknown_command', '0x00000007');
  observe('atlas', 1, 'outbind', '0x0000000b');
  expect(lines).toEqual([
    { operator: 'atlas', bind: 0, oddity: 'duplicate_answer', detail: 'submit_sm_resp 1' },
    { operator: 'atlas', bind: 1, oddity: 'unknown_command', detail: '0x00000007' },
  ]);
  const { values } = await metrics.oddities.get();
  expect(values.find(({ labels }) => labels.oddity === 'duplicate_answer')?.value).toBe(500);
  now += hour;
  observe('atlas', 0, 'duplicate_answer', 'submit_sm_resp 501');
  expect(lines).toHaveLength(3);
});

test('every series of an operator that an alert counts begins at 0, and one that has counted goes on after a reload', async () => {
  const metrics = createMetrics();
  showOperators(metrics, [{ id: 'atlas' }]);
  metrics.smsOutcome.inc({ operator: 'atlas', status: 'unknown' }, 20);
  showOperators(metrics, [{ id: 'atlas' }, { id: 'sahara' }]);
  const outcomes = (await metrics.smsOutcome.get()).values;
  const of = (operator: string) =>
    Object.fromEntries(
      outcomes.flatMap(({ labels, value }) => (labels.operator === operator ? [[labels.status, value]] : [])),
    );
  const zeros = { delivered: 0, undelivered: 0, expired: 0, rejected: 0, unknown: 0 };
  expect([of('atlas'), of('sahara')]).toEqual([{ ...zeros, unknown: 20 }, zeros]);
  const problems = (await metrics.receiptProblems.get()).values;
  expect(new Set(problems.map(({ labels }) => labels.operator))).toEqual(new Set(['atlas', 'sahara']));
  expect(problems.map(({ value }) => value)).toEqual(problems.map(() => 0));
});
