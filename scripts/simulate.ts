// Runs the simulation of several processes: schedules of calls and faults, one a seed, on virtual time (test/simulate).
import { text } from '../src/cli/command.ts';
import { mutants } from '../test/simulate/mutants.ts';
import type { Runs } from '../test/simulate/run.ts';
import { drawSchedule } from '../test/simulate/schedule.ts';
import { shrink } from '../test/simulate/shrink.ts';
import { runOnThreads } from '../test/simulate/threads.ts';
import { simulate } from '../test/simulate/world.ts';
import { readOptions } from './options.ts';

const usage = `usage: npm run simulate -- [options]
  (none)                        1,000 schedules
  --seed 7 --schedules 100000   more of them, from a seed on
  --seed 7 --schedules 1        one, with everything that happened
  --processes 2                 fewer processes (default 4)
  --mutant "hedge of a submit"  what is left out must be noticed (test/simulate/mutants.ts)`;

const { values, whole, refuse } = readOptions(usage, {
  seed: text,
  schedules: text,
  processes: text,
  mutant: text,
});
const seed = whole('seed', { least: 1 }, 1);
const schedules = whole('schedules', { least: 1 }, 1_000);
const processes = whole('processes', { least: 1 }, 4);
const mutant = mutants.find(({ name }) => name === values.mutant);
if (values.mutant !== undefined && !mutant) {
  refuse(`--mutant must be one of: ${mutants.map(({ name }) => name).join(', ')}`);
}

/** For a person who watches; a log would keep every line of it. */
const progress = (text: string) => void (process.stderr.isTTY && process.stderr.write(text));

const startedAt = performance.now();
const options = { seed, schedules, processes, ...(mutant ? { mutant } : {}) };
const runs = await runOnThreads({
  ...options,
  onProgress: (so) => progress(`\r${so.schedules} schedules`),
});
progress('\r');
report(runs, (performance.now() - startedAt) / 1000);

if (runs.failed) {
  const { schedule, outcome } = runs.failed;
  console.log(`\nseed ${schedule.seed} breaks a promise: ${outcome.broken[0]}\n`);
  const short = await shrink(schedule, mutant);
  const { operations, faults } = short.schedule;
  console.log(
    `the shortest history found in ${short.runs} runs: ${operations.length} operations, ${faults.length} faults\n`,
  );
  console.log(short.outcome.history.join('\n'));
  console.log(
    `\n${short.outcome.broken.join('\n')}\n\nagain: npm run simulate -- --seed ${schedule.seed} --schedules 1`,
  );
  process.exitCode = 1;
} else if (schedules === 1) {
  const { history } = await simulate(drawSchedule(seed, processes), { tell: true });
  console.log(history.join('\n'));
}

function report({ schedules: done, steps, calls, virtualMs, faults, gaps }: Runs, seconds: number): void {
  const kinds = Object.entries(faults).sort(([a], [b]) => a.localeCompare(b));
  const sum = kinds.reduce((total, [, count]) => total + count, 0);
  console.log(
    `${done} schedules in ${seconds.toFixed(1)} s, ${(done / seconds).toFixed(0)} a second, seeds ${seed} to ${seed + done - 1}`,
  );
  console.log(`${calls} calls, ${steps} steps, ${Math.round(virtualMs / 3_600_000)} hours of virtual time`);
  console.log(`${sum} faults: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  for (const [gap, count] of Object.entries(gaps)) console.log(`known gap, ${count} times: ${gap}`);
}
