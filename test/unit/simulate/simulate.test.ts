// The simulation itself: a seed replays, what is left out of the protocol is noticed, a failure is made short, and the clock of others stays
// as it was. How many schedules are run for their own sake is for `npm run simulate`.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mutants } from '../../simulate/mutants.ts';
import { keepInstalled } from '../../simulate/node-clock.ts';
import { runSchedules } from '../../simulate/run.ts';
import { drawSchedule, type Schedule } from '../../simulate/schedule.ts';
import { kindOf, shrink } from '../../simulate/shrink.ts';
import { simulate } from '../../simulate/world.ts';

test('one seed is one run: everything that happens is the same', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const first = await simulate(drawSchedule(seed, 4));
    const again = await simulate(drawSchedule(seed, 4), { tell: true });
    expect(again.trace, `seed ${seed}`).toBe(first.trace);
    expect(again.history.length).toBeGreaterThan(10);
  }
});

test('another seed is another run', async () => {
  const traces = new Set<number>();
  for (let seed = 1; seed <= 10; seed += 1) traces.add((await simulate(drawSchedule(seed, 4))).trace);
  expect(traces.size).toBe(10);
});

test('some hundred schedules keep every promise, and faults hit in them', async () => {
  const { failed, faults } = await runSchedules({ seed: 1, schedules: 300, processes: 4 });
  expect(failed?.outcome.broken ?? []).toEqual([]);
  const ofProcesses = ['kill', 'stop', 'freeze', 'cut', 'slow', 'clock', 'lease'];
  // `done_twice`: a call that two processes have done.
  const hit = [...ofProcesses, 'stalled', 'refused', 'answer_lost', 'late', 'frames_late', 'done_twice'];
  for (const kind of hit) expect(faults[kind], kind).toBeGreaterThan(0);
});

test('where processes only stop, one after another or at once, every SMS and call has the operator’s answer', async () => {
  const schedule = ({ settings, faults, ...drawn }: Schedule): Schedule => ({
    ...drawn,
    settings: { ...settings, carrierTrouble: 0 },
    faults: faults.map((fault) => ({ ...fault, kind: 'stop', process: Math.max(0, fault.process) })),
  });
  const stops = { name: 'none', noticedBy: /./, schedule };
  const { failed, faults } = await runSchedules({ seed: 700, schedules: 300, processes: 4, mutant: stops });
  expect(failed?.outcome.broken ?? []).toEqual([]);
  expect(faults.stop).toBeGreaterThan(100);
});

/** Each call meets two processes whose lease ends before its time, and that then stand still: the one with the message is often one of them. */
const standingStill = (forMs: number) => ({
  name: 'none',
  noticedBy: /./,
  schedule: ({ operations, ...drawn }: Schedule): Schedule => {
    const hit = { operator: 'atlas', statement: 'refused', only: null, share: 0.5 } as const;
    const faults = operations.flatMap(({ at, id }) =>
      [id % 4, (id + 1) % 4].flatMap((process): Schedule['faults'] => [
        { ...hit, id: 2 * id, process, kind: 'lease', at: Math.max(0, at - 20), forMs: 0 },
        { ...hit, id: 2 * id + 1, process, kind: 'freeze', at: at + 5, forMs },
      ]),
    );
    return { ...drawn, operations, faults: faults.sort((a, b) => a.at - b.at) };
  },
});

test('a process that stood still without its lease writes nothing that others have given up', async () => {
  const { failed, gaps } = await runSchedules({ seed: 1, schedules: 150, processes: 4, mutant: standingStill(1_500) });
  expect(failed?.outcome.broken ?? []).toEqual([]);
  expect(gaps).toEqual({});
});

test('one that did so too briefly to notice it is a known gap, and is counted', async () => {
  const { failed, gaps } = await runSchedules({ seed: 1, schedules: 200, processes: 4, mutant: standingStill(220) });
  expect(failed?.outcome.broken ?? []).toEqual([]);
  expect(Object.values(gaps)[0]).toBeGreaterThan(0);
});

test.each(mutants.flatMap(({ name, schedule }) => (schedule ? [[name, schedule] as const] : [])))(
  'the schedules in which it looks for "%s" keep every promise without it',
  async (_name, schedule) => {
    const plain = { name: 'none', noticedBy: /./, schedule };
    const { failed } = await runSchedules({ seed: 1, schedules: 150, processes: 4, mutant: plain });
    expect(failed?.outcome.broken ?? []).toEqual([]);
  },
);

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('it notices: %s', async (_name, mutant) => {
  const { failed } = await runSchedules({ seed: 1, schedules: 2_000, processes: 4, mutant });
  expect(failed?.outcome.broken.map(kindOf)).toEqual(expect.arrayContaining([expect.stringMatching(mutant.noticedBy)]));
});

test('a failure is made short, and stays the same failure', async () => {
  const mutant = mutants.find(({ name }) => name === 'hedge of a submit');
  const { failed } = await runSchedules({ seed: 112, schedules: 2_000, processes: 4, ...(mutant ? { mutant } : {}) });
  if (!failed) throw new Error('the mutant was not noticed');
  const { schedule, outcome } = await shrink(failed.schedule, mutant);
  expect(outcome.broken.map(kindOf)).toContain(kindOf(failed.outcome.broken[0] ?? ''));
  expect(schedule.operations).toHaveLength(1);
  expect(schedule.faults).toHaveLength(0);
  expect(outcome.history.at(-1)).toMatch('BROKEN');
});

test('timers and clock are those of Node again afterwards, whatever happens', async () => {
  const before = { setTimeout, setImmediate, clearTimeout, clearImmediate, now: Date.now };
  for (const run of [
    () => simulate(drawSchedule(1, 2)),
    () => runSchedules({ seed: 1, schedules: 2, processes: 2 }),
    () => runSchedules({ seed: 1, schedules: 1, processes: 0 }),
  ]) {
    await run().catch(() => {});
    expect({ setTimeout, setImmediate, clearTimeout, clearImmediate, now: Date.now }).toEqual(before);
  }
  expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
  await pause(1);
});

test('between two schedules of a run timers and clock are those of Node', async () => {
  const release = keepInstalled();
  try {
    await simulate(drawSchedule(1, 2));
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
    await pause(1);
    const answer = await new Promise((resolve) => setTimeout(resolve, 1, 'after a while'));
    expect(answer).toBe('after a while');
    await new Promise<void>((resolve) => {
      clearTimeout(setTimeout(() => expect.unreachable('a timer that was cleared'), 1));
      setTimeout(resolve, 5);
    });
    await new Promise<void>((resolve) => setImmediate(resolve));
  } finally {
    release();
  }
});
