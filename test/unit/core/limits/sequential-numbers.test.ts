// The rule `sequential_numbers` on single cases; what it makes of whole traffic is in test/unit/engine/limits/pumping.test.ts.

import { describe, expect, it } from 'vitest';
import {
  isSequential,
  type RecentSend,
  type SequentialFound,
  sequentialNumbers,
  type Verification,
} from '../../../../src/core/limits/sequential-numbers.ts';
import { seeded } from '../../../simulate/random.ts';

const sends = (
  numbers: Iterable<number>,
  isVerified: (nth: number) => boolean = () => false,
  how: Verification = 'checked',
): RecentSend[] =>
  [...numbers].map((number, nth) => ({ number: `+${number}`, at: 0, verified: isVerified(nth) ? how : 'no' }));

const row = (count: number, distance: number, from = 213550000000) =>
  Array.from({ length: count }, (_, nth) => from + nth * distance);

const stops = (found: SequentialFound | null) => (isSequential(found) ? found.reason : null);

describe('numbers that are too close', () => {
  it.each([
    [1, 20],
    [-1, 20],
    [7, 20],
    [1_000, 20],
    [33_333, 20],
  ])('stops a row at distance %i after %i sends', (distance, most) => {
    expect(stops(sequentialNumbers(sends(row(most - 1, distance))))).toBeNull();
    expect(stops(sequentialNumbers(sends(row(most, distance))))).toBe('evenly_spaced');
  });

  it('stops numbers of one hundred, thousand or ten thousand in any order', () => {
    for (const [width, most] of [
      [100, 25],
      [1_000, 50],
      [10_000, 80],
    ] as const) {
      const { next } = seeded(width, 'numbers');
      const numbers = new Set<number>();
      while (numbers.size < most) numbers.add(213550000050 + Math.floor(next() * (width - 1)));
      expect(sequentialNumbers(sends(numbers))?.points).toBeGreaterThanOrEqual(100);
    }
  });

  it('tells the longest numbers apart, and finds the same in any order', () => {
    const longest = sends(row(20, 1, 999_999_999_999_900), (nth) => nth === 7, 'claimed');
    const found = sequentialNumbers(longest);
    expect(found).toMatchObject({ number: '+999999999999919', sent: 20, verified: 1 });
    for (let from = 0; from < longest.length; from += 1)
      expect(sequentialNumbers([...longest.slice(from), ...longest.slice(0, from)])).toEqual(found);
  });

  it('finds a crowd that lies across round numbers', () => {
    const numbers = row(25, 1, 213550009990).map((number, nth) => number + (nth % 2) * 30);
    expect(stops(sequentialNumbers(sends(numbers)))).not.toBeNull();
  });

  it('believes a caller that claims every code for three quarters of the points', () => {
    expect(stops(sequentialNumbers(sends(row(79, 1), () => true, 'claimed')))).toBeNull();
    const found = sequentialNumbers(sends(row(80, 1), () => true, 'claimed'));
    expect(found).toMatchObject({ reason: 'evenly_spaced', sent: 80, verified: 80, points: 100 });
  });

  it('says which numbers, and how many of them were verified', () => {
    const found = sequentialNumbers(sends(row(40, 1), (nth) => nth === 3));
    expect(found).toMatchObject({ reason: 'evenly_spaced', sent: 40, verified: 1, points: 39 * 5 - 20 });
    expect(found?.number.startsWith('+2135500000')).toBe(true);
  });
});

describe('numbers that were erased', () => {
  const erased = (count: number, isVerified: (nth: number) => boolean = () => false): RecentSend[] =>
    sends(row(count, 1), isVerified).map((send) => ({ ...send, number: '+213550******' }));

  it('hide no others', () => {
    const found = sequentialNumbers([...erased(79), ...sends(row(20, 7))]);
    expect(found).toMatchObject({ reason: 'evenly_spaced', number: '+213550000133', sent: 20, points: 100 });
  });

  it('are a block by what is left of them', () => {
    expect(stops(sequentialNumbers(erased(79)))).toBeNull();
    const found = sequentialNumbers(erased(80));
    expect(found).toMatchObject({ reason: 'one_block', number: '+213550******', sent: 80, verified: 0, points: 100 });
    expect(stops(sequentialNumbers(erased(300, (nth) => nth % 10 === 0)))).toBeNull();
  });
});

describe('what is not', () => {
  it('counts a number once, however often it was sent to', () => {
    const same = Array.from({ length: 300 }, (_, nth) => 213550000000 + (nth % 3));
    expect(sequentialNumbers(sends(same))?.points).toBeLessThan(100);
  });

  it('leaves a company alone whose people verify', () => {
    const found = sequentialNumbers(sends(row(300, 1), (nth) => nth % 10 < 3));
    expect(stops(found)).toBeNull();
  });

  it('takes a number for verified where one of its sends was', () => {
    const twice = [...sends(row(30, 1)), ...sends(row(30, 1), () => true)];
    expect(sequentialNumbers(twice)).toBeNull();
  });

  it('takes the surest verification of a number, in any order', () => {
    const both = [...sends(row(30, 1), () => true, 'claimed'), ...sends(row(30, 1), () => true)];
    expect(sequentialNumbers(both)).toBeNull();
    expect(sequentialNumbers(both.toReversed())).toBeNull();
  });

  it('leaves a company alone that brings its own codes and claims that they were entered', () => {
    const { next } = seeded(3, 'numbers');
    const phones = new Set(Array.from({ length: 200 }, () => 213612345000 + Math.floor(next() * 400)));
    expect(stops(sequentialNumbers(sends(phones, (nth) => nth % 10 < 7, 'claimed')))).toBeNull();
  });

  it('compares numbers of one length only', () => {
    const short = row(15, 1, 21355000000);
    const long = row(15, 1, 213550000000);
    expect(stops(sequentialNumbers(sends([...short, ...long])))).toBeNull();
  });

  it('leaves scattered numbers alone, however many', () => {
    const { next } = seeded(5, 'numbers');
    const scattered = Array.from({ length: 2_000 }, () => 213550000000 + Math.floor(next() * 10_000_000));
    expect(stops(sequentialNumbers(sends(scattered)))).toBeNull();
  });

  it('finds nothing among no sends, and among one', () => {
    expect(sequentialNumbers([])).toBeNull();
    expect(sequentialNumbers(sends([213550000000]))?.points).toBe(4);
  });
});
