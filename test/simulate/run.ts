// Runs many schedules, one seed after the other, and sums up what they did.
import { gapOf } from './gaps.ts';
import type { Mutant } from './mutants.ts';
import { keepInstalled } from './node-clock.ts';
import { drawSchedule, type Schedule } from './schedule.ts';
import { type Outcome, simulate } from './world.ts';

export interface Runs {
  schedules: number;
  steps: number;
  calls: number;
  virtualMs: number;
  faults: Record<string, number>;
  /** Complaints that a known gap explains, by its name. */
  gaps: Record<string, number>;
  /** The first that broke a promise; null where none did. */
  failed: { schedule: Schedule; outcome: Outcome } | null;
}

export interface RunOptions {
  seed: number;
  schedules: number;
  processes: number;
  mutant?: Mutant;
  /** Called now and then. */
  onProgress?(runs: Runs): void;
}

export const noRuns = (): Runs => ({
  schedules: 0,
  steps: 0,
  calls: 0,
  virtualMs: 0,
  faults: {},
  gaps: {},
  failed: null,
});

const progressEvery = 1_000;

/** Ends with the first schedule that breaks a promise. */
export async function runSchedules(options: RunOptions): Promise<Runs> {
  const release = keepInstalled();
  try {
    return await runAll(options);
  } finally {
    release();
  }
}

async function runAll({ seed, schedules, processes, mutant, onProgress }: RunOptions): Promise<Runs> {
  const runs = noRuns();
  for (let n = 0; n < schedules; n += 1) {
    const drawn = drawSchedule(seed + n, processes);
    const schedule = mutant?.schedule?.(drawn) ?? drawn;
    const outcome = await simulate(schedule, mutant ? { mutant } : {});
    runs.schedules += 1;
    runs.steps += outcome.steps;
    runs.calls += outcome.calls;
    runs.virtualMs += outcome.lastedMs;
    for (const [kind, count] of Object.entries(outcome.faults)) runs.faults[kind] = (runs.faults[kind] ?? 0) + count;
    for (const complaint of outcome.known) {
      const name = gapOf(complaint)?.name ?? '';
      runs.gaps[name] = (runs.gaps[name] ?? 0) + 1;
    }
    if (outcome.broken.length > 0) {
      runs.failed = { schedule, outcome };
      return runs;
    }
    if (runs.schedules % progressEvery === 0) onProgress?.(runs);
  }
  return runs;
}
