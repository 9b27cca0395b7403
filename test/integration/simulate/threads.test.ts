// Many schedules on several threads do what they do on one, and the same seed is told of those that break a promise.
import { expect, test } from 'vitest';
import { mutants } from '../../simulate/mutants.ts';
import { runSchedules } from '../../simulate/run.ts';
import { runOnThreads } from '../../simulate/threads.ts';

const given = { threads: 2, atOnce: 10 };

test('the sums are those of one thread', async () => {
  const options = { seed: 40, schedules: 25, processes: 2 };
  const told: number[] = [];
  const sum = await runOnThreads({ ...options, onProgress: ({ schedules }) => told.push(schedules) }, given);
  expect(sum).toEqual(await runSchedules(options));
  expect(told.toSorted((a, b) => a - b)).toEqual(told);
  expect(told.at(-1)).toBe(25);
});

test('of the seeds that break a promise the lowest is told, whichever thread was quicker', async () => {
  const mutant = mutants.find(({ name }) => name === 'hedge of a submit');
  if (!mutant) throw new Error('no such mutant');
  const options = { seed: 1, schedules: 100, processes: 4, mutant };
  const [one, several] = [await runSchedules(options), await runOnThreads(options, given)];
  expect(one.failed).not.toBeNull();
  expect([several.failed?.schedule.seed, several.failed?.outcome.broken]).toEqual([
    one.failed?.schedule.seed,
    one.failed?.outcome.broken,
  ]);
});
