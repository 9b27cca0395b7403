// The plan of a run: the same for the same seed, with every kind of fault in it.
import { expect, test } from 'vitest';
import { planFaults } from '../../chaos/plan.ts';
import { planOwnersFaults } from '../../chaos/plan-owners.ts';
import { seeded } from '../../chaos/random.ts';

const options = { durationMs: 150_000, kills: 24, freezes: 3, freezeMs: 5_000, headMs: 3_000 };
const plan = (seed: number) => planFaults(options, seeded(seed, 'faults'));

test('the same seed gives the same plan, another one another', () => {
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});

test('as many kills and freezes as asked for, in order, within the run, of every kind, restarted within a second', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const faults = plan(seed);
    const kills = faults.flatMap((fault) => (fault.kind === 'kill' ? [fault.parts] : []));
    expect(kills).toHaveLength(24);
    const frozen = faults.flatMap((fault) => (fault.kind === 'freeze' ? [fault.part] : []));
    expect(frozen.map((part) => part === 'postgres')).toEqual([false, true, false]);
    const times = faults.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((at) => at >= 3_000 && at <= 150_000)).toBe(true);
    const kinds = new Set(kills.map((parts) => parts.map(({ part }) => part).join()));
    for (const kind of ['a', 'b', 'a,b', 'postgres', 'a,b,postgres']) expect(kinds).toContain(kind);
    expect(kills.flat().every(({ restartAfterMs }) => restartAfterMs < 1_000)).toBe(true);
  }
});

test('numbers lie in their range and do not repeat themselves', () => {
  const random = seeded(3, 'numbers');
  const drawn = Array.from({ length: 1_000 }, () => random.next());
  expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(990);
  expect(seeded(3, 'other').next()).not.toBe(drawn[0]);
});

test('servers with peer ports: owners killed, frozen and cut off, the database stalled, each in every round, one after the other', () => {
  const servers = ['a', 'b', 'c', 'd'] as const;
  for (let seed = 0; seed < 50; seed += 1) {
    const faults = planOwnersFaults({ durationMs: 100_000, headMs: 3_000, servers }, seeded(seed, 'faults'));
    expect(faults.length).toBeGreaterThanOrEqual(8);
    const kinds = faults.map((fault) => (fault.kind === 'freeze' && fault.part === 'postgres' ? 'stall' : fault.kind));
    expect([...kinds.slice(0, 4)].sort()).toEqual(['cut', 'freeze', 'kill', 'stall']);
    expect([...kinds.slice(4, 8)].sort()).toEqual(['cut', 'freeze', 'kill', 'stall']);
    const ends = faults.map((fault) => fault.atMs + (fault.kind === 'kill' ? 6_000 : fault.forMs));
    expect(Math.max(...ends)).toBeLessThanOrEqual(100_000);
    for (const [index, { atMs }] of faults.entries())
      expect(atMs).toBeGreaterThanOrEqual((ends[index - 1] ?? 0) + 2_000);
  }
});
