// How late the frames of answered calls leave, sound both ways, beside a main thread that is 60 % busy; and what a thousand calls cost.
// The reference is the nearest way to write it: a timer for each call, in the main thread.

import { quantileOfClasses } from '../measure/statistics.ts';
import { type CallsMeasured, callsArguments, frameMs } from '../peers/calls-protocol.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';

/** Their CPU is stable: more time would tell nothing new. */
const mostSecondsAt1000 = 20;

export async function calls(seconds: number): Promise<Sample[]> {
  const ours = await measured('bench/peers/calls-ours.ts', { calls: 200, seconds, busy: true });
  const naive = await measured('bench/peers/calls-naive.ts', { calls: 200, seconds, busy: true });
  const secondsAt1000 = Math.min(seconds, mostSecondsAt1000);
  const many = await measured('bench/peers/calls-ours.ts', { calls: 1_000, seconds: secondsAt1000, busy: false });
  const expectedAt1000 = 1_000 * secondsAt1000 * (1000 / frameMs);
  const late = ({ lateness, classMs }: CallsMeasured, share: number) => quantileOfClasses(lateness, share) * classMs;
  return [
    { key: 'calls_late_p50_at_200', unit: 'ms', value: late(ours, 0.5), reference: late(naive, 0.5) },
    { key: 'calls_late_p99_at_200', unit: 'ms', value: late(ours, 0.99), reference: late(naive, 0.99) },
    { key: 'calls_gap_at_200', unit: 'ms', value: ours.gapMs, reference: naive.gapMs },
    { key: 'calls_cpu_at_200', unit: '% of a core', value: ours.cpuPercent },
    { key: 'calls_sent_at_1000', unit: '% of the packets', value: (100 * many.sent) / expectedAt1000 },
    { key: 'calls_late_p99_at_1000', unit: 'ms', value: late(many, 0.99) },
    { key: 'calls_gap_at_1000', unit: 'ms', value: many.gapMs },
    { key: 'calls_cpu_at_1000', unit: '% of a core', value: many.cpuPercent },
  ];
}

async function measured(
  program: string,
  options: { calls: number; seconds: number; busy: boolean },
): Promise<CallsMeasured> {
  const reflector = await startChild<{ port: number }>('bench/peers/rtp-reflector.ts');
  try {
    const child = await startChild<{ up: number }>(program, {
      args: callsArguments({ ...options, port: reflector.ready.port }),
    });
    const result = await child.next<CallsMeasured>();
    await child.stop();
    return result;
  } finally {
    await reflector.stop();
  }
}
