// Runs many schedules on all cores: each thread has a virtual time of its own, and takes the next seeds whenever it is done. Which seed breaks a
// promise first does not depend on who was quicker.
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { mutants } from './mutants.ts';
import { noRuns, type RunOptions, type Runs, runSchedules } from './run.ts';

/** What a thread is given; a mutant is functions, and travels by its name. */
interface Given {
  processes: number;
  mutant: string | null;
}

interface ThreadOptions {
  /** Default: as many as there are cores. */
  threads?: number;
  /** Seeds that a thread takes at once. Default 100: a second's work or two. */
  atOnce?: number;
}

/** Worlds are thrown away as fast as they are made: room for the young ones is what keeps the collector out of the way. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

/** As `runSchedules`, and where several break a promise the one with the lowest seed is told. */
export async function runOnThreads(
  options: RunOptions,
  { threads = availableParallelism(), atOnce = 100 }: ThreadOptions = {},
): Promise<Runs> {
  const { seed, schedules, processes, mutant, onProgress } = options;
  const sum = noRuns();
  let next = seed;
  const given: Given = { processes, mutant: mutant?.name ?? null };
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: given, resourceLimits });
      const give = () => {
        const left = seed + schedules - next;
        // Seeds below the one that failed are all given out by now.
        if (left <= 0 || sum.failed) return worker.postMessage(null);
        worker.postMessage({ seed: next, schedules: Math.min(atOnce, left) });
        next += atOnce;
      };
      worker.on('message', (runs: Runs) => {
        add(sum, runs);
        onProgress?.(sum);
        give();
      });
      worker.on('error', reject).on('exit', () => resolve());
      give();
    });
  await Promise.all(Array.from({ length: Math.min(threads, Math.ceil(schedules / atOnce)) }, one));
  return sum;
}

function add(sum: Runs, runs: Runs): void {
  sum.schedules += runs.schedules;
  sum.steps += runs.steps;
  sum.calls += runs.calls;
  sum.virtualMs += runs.virtualMs;
  for (const name of ['faults', 'gaps'] as const)
    for (const [kind, count] of Object.entries(runs[name])) sum[name][kind] = (sum[name][kind] ?? 0) + count;
  const { failed } = runs;
  if (failed && (sum.failed === null || failed.schedule.seed < sum.failed.schedule.seed)) sum.failed = failed;
}

if (!isMainThread && (workerData as Given | null)?.processes) {
  const { processes, mutant: name } = workerData as Given;
  const mutant = mutants.find((each) => each.name === name);
  parentPort?.on('message', async (asked: Pick<RunOptions, 'seed' | 'schedules'> | null) => {
    if (asked === null) parentPort?.close();
    else parentPort?.postMessage(await runSchedules({ ...asked, processes, ...(mutant ? { mutant } : {}) }));
  });
}
