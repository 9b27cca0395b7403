// Whole verifications a second through one server process, beside pgbench writing the same rows to the same Postgres, and what each
// costs in CPU time. From the same runs: how long a send takes to the operator when the machine is full.

import pg from 'pg';
import { closedLoop } from '../load/shapes.ts';
import type { Played } from '../load/verifications.ts';
import { cpuWithChildrenUs } from '../measure/cpu.ts';
import { quantile } from '../measure/statistics.ts';
import { readRealRows, stepsOf } from '../peers/one-cte-per-step.ts';
import { findPgbench, type ReferenceRun, runNodePg, runPgbench } from '../peers/pgbench.ts';
import type { Sample } from '../report/figures.ts';
import { type CpuUsed, perItem, type Rig } from '../rig/rig.ts';

const referenceClients = 32;
const warmupMs = 2_000;

export interface Saturation {
  seconds: number;
  inFlight: number;
}

export async function verifications(rig: Rig, { seconds, inFlight }: Saturation): Promise<Sample[]> {
  const reference = await writeTheSame(rig, seconds);
  const ours = await saturate(rig, { seconds, inFlight });
  const waits = ours.results.map(({ toSubmitMs }) => toSubmitMs);
  const cpu = (key: string, value: number, beside?: number): Sample => ({
    key: `cpu_${key}`,
    unit: 'µs/verification',
    value,
    ...(beside === undefined ? {} : { reference: beside }),
  });
  return [
    { key: 'verifications', unit: '1/s', value: ours.results.length / ours.seconds, reference: reference.perSecond },
    cpu('server', ours.cpu.serverUs),
    cpu('postgres', ours.cpu.postgresUs, reference.postgresUs),
    cpu('load', ours.cpu.driverUs),
    { key: 'latency_p50_saturated', unit: 'ms', value: quantile(waits, 0.5) },
    { key: 'latency_p99_saturated', unit: 'ms', value: quantile(waits, 0.99) },
  ];
}

export async function saturate(
  rig: Rig,
  { seconds, inFlight }: Saturation,
): Promise<{ results: Played[]; seconds: number; cpu: CpuUsed }> {
  let before = rig.cpu();
  let after = before;
  const counted = await closedLoop(
    () => rig.load.play(),
    { inFlight, warmupMs, measureMs: seconds * 1000 },
    {
      onMeasure: () => {
        before = rig.cpu();
      },
      onMeasured: () => {
        after = rig.cpu();
      },
    },
  );
  return { ...counted, cpu: perItem(before, after, counted.results.length) };
}

async function writeTheSame(rig: Rig, seconds: number): Promise<{ perSecond: number; postgresUs: number }> {
  const { url, pid } = rig.database;
  const run: ReferenceRun = {
    url,
    seconds,
    clients: referenceClients,
    directory: rig.directory,
    steps: await steps(url),
  };
  const program = findPgbench();
  const before = cpuWithChildrenUs(pid);
  const perSecond = program === null ? await runNodePg(run) : await runPgbench(program, run);
  return { perSecond, postgresUs: (cpuWithChildrenUs(pid) - before) / (perSecond * seconds) };
}

async function steps(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return stepsOf(await readRealRows(client));
  } finally {
    await client.end();
  }
}

/** What `verifications` is compared with on this machine. */
export const referenceName = (): string =>
  findPgbench() === null ? 'node-pg, one CTE per step (pgbench is not installed)' : 'pgbench, one CTE per step';
