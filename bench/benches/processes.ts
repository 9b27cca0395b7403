// What several server processes on one Postgres cost, beside one: CPU of servers and Postgres a verification at the same total load,
// each call at a random process, receipts wherever the bind is.

import { openLoop } from '../load/shapes.ts';
import { Counters, countingStatements } from '../measure/database.ts';
import type { Sample } from '../report/figures.ts';
import { perItem, type Rig, startRig } from '../rig/rig.ts';
import { saturate } from './verifications.ts';

const inFlight = 64;
/** One for each of four processes at each operator, so that every process has one. */
const binds = 4;
const counts = [1, 2, 4] as const;
/** Until then Node compiles more than it runs; times the processes, each of which gets a part of the load only. */
const warmupSeconds = 8;

/** µs of CPU a verification, servers and Postgres; and what the CPU goes into. */
interface Cost {
  open: number;
  saturated: number;
  /** Batches of all lanes a verification, at the rate. */
  statements: number;
  /** Wakeups of the servers' main threads a verification, at the rate. */
  wakeups: number;
}

export interface Compared {
  seconds: number;
  /** Of all processes together. */
  ratePerSecond: number;
}

/** One run: one, two and four processes, one after another. */
export async function processes(compared: Compared): Promise<Sample[]> {
  const costs = new Map<number, Cost>();
  for (const servers of counts) costs.set(servers, await costOf(servers, compared));
  return [...samplesOf(costs), await rowsLoaded(compared)];
}

/** `_2` and `_4` stand beside one process of the same run. Pure. */
export function samplesOf(costs: ReadonlyMap<number, Cost>): Sample[] {
  const one = costs.get(1);
  if (!one) throw new Error('there is nothing to compare with: one process was not measured');
  const unit = 'µs CPU/verification';
  return [...costs].flatMap(([servers, { open, saturated, statements, wakeups }]): Sample[] => {
    const beside = (reference: number) => (servers === 1 ? {} : { reference });
    return [
      { key: `processes_${servers}`, unit, value: open, ...beside(one.open) },
      { key: `processes_${servers}_saturated`, unit, value: saturated, ...beside(one.saturated) },
      { key: `processes_${servers}_statements`, unit: 'a verification', value: statements, ...beside(one.statements) },
      { key: `processes_${servers}_wakeups`, unit: 'a verification', value: wakeups, ...beside(one.wakeups) },
    ];
  });
}

async function costOf(servers: number, compared: Compared): Promise<Cost> {
  const { seconds } = compared;
  const rig = await startRig({ servers, binds });
  try {
    await saturate(rig, { seconds: Math.min(warmupSeconds, 2 * seconds) * servers, inFlight });
    const open = await atRate(rig, compared);
    const { cpu } = await saturate(rig, { seconds, inFlight });
    return { ...open, saturated: cpu.serverUs + cpu.postgresUs };
  } finally {
    await rig.close();
  }
}

/** At least twice as long as a saturated run: there is less of it a second. */
async function atRate(rig: Rig, { seconds, ratePerSecond }: Compared): Promise<Omit<Cost, 'saturated'>> {
  const play = (dueAt: number) => rig.load.play(dueAt);
  await openLoop(play, { ratePerSecond, measureMs: 1_000 });
  const [batchesBefore, wakeupsBefore, before] = [await batchesOf(rig), rig.wakeups(), rig.cpu()];
  const { results } = await openLoop(play, { ratePerSecond, measureMs: 2 * seconds * 1000 });
  const { serverUs, postgresUs } = perItem(before, rig.cpu(), results.length);
  const wakeups = (rig.wakeups() - wakeupsBefore) / results.length;
  const statements = ((await batchesOf(rig)) - batchesBefore) / results.length;
  return { open: serverUs + postgresUs, statements, wakeups };
}

/** Of every lane of every server so far. */
async function batchesOf(rig: Rig): Promise<number> {
  const texts = await rig.metrics();
  const counts = texts.flatMap((text) => [...text.matchAll(/^ramz_lane_batch_items_count\{.*\} (\d+)$/gm)]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Receipts a second late and checks ten, as in life: sessions that a process had to read, because it did not hold them. */
async function rowsLoaded({ seconds, ratePerSecond }: Compared): Promise<Sample> {
  const late = { receiptAfterMs: 1_000, checkAfterMs: 10_000 };
  const rig = await startRig({ servers: 4, binds, ...late, postgresSettings: countingStatements });
  const counters = await Counters.open(rig.database.url);
  try {
    await counters.count();
    const shape = { ratePerSecond, measureMs: Math.max(10, 2 * seconds) * 1000 };
    const { results } = await openLoop((dueAt) => rig.load.play(dueAt), shape);
    const { rows } = await counters.statements(loadedSessions);
    return { key: 'rows_loaded_4', unit: 'rows/verification', value: rows / results.length };
  } finally {
    await counters.close();
    await rig.close();
  }
}

/** Of the statement that reads whole sessions, src/db/verify/sessions.ts. */
const loadedSessions = '%to_jsonb(s) as session,%from message m where m.session_id = s.id%';
