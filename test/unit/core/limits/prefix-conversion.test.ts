// The rule `prefix_conversion` on single cases.

import { describe, expect, it } from 'vitest';
import { type Cohort, isCollapsed, prefixConversion } from '../../../../src/core/limits/prefix-conversion.ts';

const now = 10_000_000_000;
const minutesAgo = (minutes: number) => now - minutes * 60_000;

const cohort = (minutes: number, counted: number, verified = 0, prefix = '+213551'): Cohort => ({
  prefix,
  at: minutesAgo(minutes),
  counted,
  verified,
});

const stopped = (cohorts: readonly Cohort[]) =>
  prefixConversion(cohorts, now)
    .filter(isCollapsed)
    .map(({ prefix }) => prefix);

describe('a prefix that nobody verifies', () => {
  it('is stopped after 80 sends whose time is over', () => {
    expect(stopped([cohort(15, 70)])).toEqual([]);
    expect(stopped([cohort(15, 80)])).toEqual(['+213551', '+2135']);
  });

  it('is not stopped for sends whose time has just begun', () => {
    expect(stopped([cohort(1, 5_000)])).toEqual([]);
    expect(stopped([cohort(2, 500)])).toEqual([]);
    expect(stopped([cohort(3, 5_000)])).toEqual(['+213551', '+2135']);
  });

  it('is stopped whatever was verified there before', () => {
    const before = Array.from({ length: 100 }, (_, nth) => cohort(20 + nth, 100, 60));
    expect(stopped(before)).toEqual([]);
    expect(stopped([...before, cohort(12, 100)])).toEqual(['+213551', '+2135']);
  });

  it('is stopped as a range where the sends are spread over its prefixes', () => {
    const spread = Array.from({ length: 10 }, (_, nth) => cohort(15, 20, 0, `+21355${nth}`));
    expect(stopped(spread)).toEqual(['+2135']);
  });
});

describe('a prefix that some verify', () => {
  it.each([0.1, 0.3, 0.6])('is left alone at a conversion of %d', (share) => {
    const hours = Array.from({ length: 110 }, (_, nth) => cohort(11 + nth, 100, 100 * share));
    expect(stopped(hours)).toEqual([]);
  });

  it('counts a minute as a whole, over all its prefixes', () => {
    const minute = [cohort(15, 90, 0, '+213551'), cohort(15, 90, 60, '+213552')];
    expect(stopped(minute)).toEqual(['+213551']);
  });

  it('takes what was verified off, also where it was not counted', () => {
    expect(prefixConversion([cohort(15, 10, 30)], now)).toEqual([]);
  });
});
