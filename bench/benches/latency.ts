// How long from the moment a client calls until its message is at the operator, at a steady rate.

import { openLoop } from '../load/shapes.ts';
import { waitedMs } from '../measure/cpu.ts';
import { quantile } from '../measure/statistics.ts';
import type { Sample } from '../report/figures.ts';
import { perItem, type Rig } from '../rig/rig.ts';

const ratePerSecond = 300;
const warmupMs = 1_000;

export async function latency(rig: Rig, seconds: number): Promise<Sample[]> {
  const play = (dueAt: number) => rig.load.play(dueAt);
  await openLoop(play, { ratePerSecond, measureMs: warmupMs });
  const waitedBefore = waitedMs(rig.serverPid);
  const before = rig.cpu();
  const startedAt = performance.now();
  const { results } = await openLoop(play, { ratePerSecond, measureMs: seconds * 1000 });
  const tookMs = performance.now() - startedAt;
  const waited = waitedMs(rig.serverPid);
  const cpu = perItem(before, rig.cpu(), results.length);
  const waits = results.map(({ toSubmitMs }) => toSubmitMs);
  const answers = results.map(({ toAnswerMs }) => toAnswerMs);
  const figures: Sample[] = [
    { key: 'latency_p50_at_300', unit: 'ms', value: quantile(waits, 0.5) },
    { key: 'latency_p99_at_300', unit: 'ms', value: quantile(waits, 0.99) },
    { key: 'answer_p50_at_300', unit: 'ms', value: quantile(answers, 0.5) },
    { key: 'answer_p99_at_300', unit: 'ms', value: quantile(answers, 0.99) },
    { key: 'cpu_server_at_300', unit: 'µs/verification', value: cpu.serverUs },
    { key: 'cpu_postgres_at_300', unit: 'µs/verification', value: cpu.postgresUs },
  ];
  if (waited !== undefined && waitedBefore !== undefined) {
    figures.push({ key: 'waited_at_300', unit: '% of the time', value: (100 * (waited - waitedBefore)) / tookMs });
  }
  return figures;
}
