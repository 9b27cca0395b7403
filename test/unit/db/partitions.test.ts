// Which partitions are made: whatever there is, and whatever settings it was made with, no day is left out and nothing overlaps.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowestId } from '../../../src/core/ids.ts';
import {
  coveredUntil,
  highest,
  isExpired,
  lowest,
  missingRanges,
  parseBound,
  type Range,
  spanMsFor,
} from '../../../src/db/partitions/plan.ts';

const dayMs = 86_400_000;
const settings = [1, 7, 30, 31, 60, 90, 365];
const pairs = settings.flatMap((from) => settings.map((to) => [from, to] as const));
const at = (iso: string) => Date.parse(iso);
const id = (ms: number) => lowestId('vrf_', ms);
const range = (from: string, to: string): Range => ({ from: id(at(from)), to: id(at(to)) });
const extended = (have: readonly Range[], now: number, retentionDays: number) => [
  ...have,
  ...missingRanges('vrf_', have, now, spanMsFor(retentionDays)),
];

function expectSound(ranges: readonly Range[]): void {
  const sorted = ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  for (const [index, each] of sorted.entries()) {
    expect(each.from < each.to).toBe(true);
    const next = sorted[index + 1];
    if (next) expect(each.to <= next.from, `${each.to} overlaps ${next.from}`).toBe(true);
  }
}

test.each(pairs)('retention %i, then %i days: no gap, no overlap, two spans ahead', (from, to) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 800 * 24 }), fc.integer({ min: 0, max: 800 * 24 }), (hours, later) => {
      const begin = at('2026-11-22T00:00:00Z') + hours * 3_600_000;
      const now = begin + later * 3_600_000;
      const before = extended([], begin, from);
      const after = extended(before, now, to);
      expectSound(after);
      expect(coveredUntil('vrf_', after, now)).toBeGreaterThanOrEqual(now + 2 * spanMsFor(to));
      expect(missingRanges('vrf_', after, now, spanMsFor(to))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('any partitions there are: what is made fits in between', () => {
  const edges = fc.uniqueArray(fc.integer({ min: 0, max: 60 * 24 }), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(edges, fc.constantFrom(...settings), (hours, retention) => {
      const sorted = hours.toSorted((a, b) => a - b).map((hour) => id(at('2026-11-01') + hour * 3_600_000));
      const have = sorted.flatMap((from, index) => {
        const to = sorted[index + 1];
        return to && index % 2 === 0 ? [{ from, to }] : [];
      });
      const now = at('2026-11-20T10:00:00Z');
      const after = extended(have, now, retention);
      expectSound(after);
      expect(coveredUntil('vrf_', after, now)).toBeGreaterThanOrEqual(now + 2 * spanMsFor(retention));
    }),
  );
});

test('days that an earlier release left out are filled in', () => {
  const have = [
    range('2026-11-18', '2026-11-23'),
    range('2026-11-23', '2026-11-28'),
    range('2026-12-03', '2026-12-18'),
  ];
  const now = at('2026-11-22T12:00:00Z');
  expect(coveredUntil('vrf_', have, now)).toBe(at('2026-11-28'));
  expect(missingRanges('vrf_', have, now, spanMsFor(90))).toEqual([
    range('2026-11-28', '2026-12-03'),
    range('2026-12-18', '2027-01-02'),
  ]);
});

test('a new one begins where the last one ends, also in the middle of a day', () => {
  const odd = { from: id(at('2026-11-20')), to: id(at('2026-11-24T07:30:00.123Z')) };
  const [first] = missingRanges('vrf_', [odd], at('2026-11-22T12:00:00Z'), dayMs);
  expect(first?.from).toBe(odd.to);
});

test('a process whose clock is an hour late at midnight finds its partition', () => {
  const now = at('2026-11-22T00:10:00Z');
  const late = now - 3_600_000;
  expect(coveredUntil('vrf_', extended([], now, 1), late)).toBeGreaterThan(now);
});

test('what the settings say of old partitions does not matter: the real upper bound decides', () => {
  const old = range('2026-09-01', '2026-11-20');
  const now = at('2026-11-22T12:00:00Z');
  expect(isExpired(old, now, 7)).toBe(false); // computed from a span of 2 days it was past retention
  expect(isExpired(old, at('2026-11-27T00:00:00Z'), 7)).toBe(false);
  expect(isExpired(old, at('2026-11-27T00:00:00.001Z'), 7)).toBe(true);
  expect(isExpired({ from: lowest, to: highest }, now, 1)).toBe(false);
});

test.each([
  [`FOR VALUES FROM ('vrf_a') TO ('vrf_b')`, { from: 'vrf_a', to: 'vrf_b' }],
  [`FOR VALUES FROM (MINVALUE) TO ('vrf_b')`, { from: lowest, to: 'vrf_b' }],
  [`FOR VALUES FROM ('vrf_a') TO (MAXVALUE)`, { from: 'vrf_a', to: highest }],
  ['DEFAULT', null],
])('a bound is read: %s', (text, expected) => {
  expect(parseBound(text)).toEqual(expected);
});

test('open bounds: everything is covered for ever, and nothing is made', () => {
  const all = [{ from: lowest, to: highest }];
  expect(coveredUntil('vrf_', all, at('2026-11-22'))).toBe(Number.POSITIVE_INFINITY);
  expect(missingRanges('vrf_', all, at('2026-11-22'), dayMs)).toEqual([]);
});
