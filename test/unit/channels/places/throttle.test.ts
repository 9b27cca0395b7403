import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pressure, Throttle, type ThrottleOptions } from '../../../../src/channels/places/throttle.ts';

const throttle = (change: Partial<ThrottleOptions> = {}) => new Throttle({ ratePerSecond: 100, ...change }, 0);

/** How many are let through when asked every millisecond from `from` to `to`. */
function taken(each: Throttle, from: number, to: number): number {
  let count = 0;
  for (let now = from; now < to; now++) while (each.take(now).kind === 'taken') count += 1;
  return count;
}

describe('the bucket', () => {
  test('lets through the rate, and a tenth of a second at once', () => {
    const each = throttle();
    expect(taken(each, 0, 1)).toBe(10);
    expect(taken(each, 1, 1_001)).toBe(100);
  });
  test('a token that is put back is there again; what was never taken is not', () => {
    const each = throttle({ ratePerSecond: 10 });
    expect(taken(each, 0, 1)).toBe(1);
    each.put();
    expect(taken(each, 1, 2)).toBe(1);
    for (let n = 0; n < 5; n++) each.put();
    expect(taken(each, 2, 3)).toBe(1); // The bucket holds no more.
  });
  test('says when the next token will be there', () => {
    const each = throttle({ ratePerSecond: 4 });
    expect(each.take(0)).toEqual({ kind: 'taken' });
    expect(each.take(0)).toEqual({ kind: 'wait', until: 250 });
    expect(each.take(249).kind).toBe('wait');
    expect(each.take(250).kind).toBe('taken');
  });
  test('never more than rate × time and the burst, whenever it is asked', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 300 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 500 }), (each, ratePerSecond) => {
        const bucket = throttle({ ratePerSecond });
        let [now, count] = [0, 0];
        for (const gap of each) {
          now += gap;
          if (bucket.take(now).kind === 'taken') count += 1;
        }
        expect(count).toBeLessThanOrEqual(Math.max(1, ratePerSecond / 10) + (now / 1000) * ratePerSecond + 1e-6);
      }),
    );
  });
  test('waiting as long as it says always helps', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 999, noNaN: true }), (ratePerSecond) => {
        const bucket = throttle({ ratePerSecond });
        let now = 0;
        for (let i = 0; i < 50; i++) {
          const result = bucket.take(now);
          if (result.kind === 'taken') continue;
          now = result.until;
          expect(bucket.take(now)).toEqual({ kind: 'taken' });
        }
      }),
    );
  });
  test('a clock that is set back gives nothing', () => {
    const each = throttle({ ratePerSecond: 1 });
    each.take(10_000);
    expect(each.take(5_000).kind).toBe('wait');
  });
  test('a clock that is set back by an hour stops nothing for an hour', () => {
    const hour = 3_600_000;
    const each = new Throttle({ ratePerSecond: 50 }, hour);
    expect(taken(each, 0, 60_000)).toBeCloseTo(60 * 50, -1);
  });
});

describe('pressure', () => {
  test('halves once, however many answers of the window say so', () => {
    const each = throttle();
    for (let now = 0; now < 1_000; now += 100) each.pressed(now);
    expect(each.ratePerSecond(1_000)).toBe(50);
    each.pressed(1_000);
    expect(each.ratePerSecond(1_000)).toBe(25);
  });
  test('recovers slowly, from the end of the pressure on', () => {
    const each = throttle();
    each.pressed(0);
    expect(each.ratePerSecond(1_000)).toBe(50);
    expect(each.ratePerSecond(2_000)).toBe(55);
    expect(each.ratePerSecond(60_000)).toBe(100);
  });
  test('recovery does not depend on how often it is asked', () => {
    const [often, once] = [throttle(), throttle()];
    often.pressed(0);
    once.pressed(0);
    for (let now = 0; now < 5_000; now += 7) often.take(now);
    expect(often.ratePerSecond(5_000)).toBeCloseTo(once.ratePerSecond(5_000), 6);
  });
  test('is over after its time, also by a clock that was set back meanwhile', () => {
    const each = new Throttle({ ratePerSecond: 100 }, 3_600_000);
    each.pressed(3_600_000);
    expect(each.ratePerSecond(0)).toBe(50);
    each.pressed(1_000);
    expect(each.ratePerSecond(1_000)).toBe(25);
  });
  test('never falls below the least rate', () => {
    const each = throttle({ ratePerSecond: 3 });
    for (let now = 0; now < 10_000; now += 1_000) each.pressed(now);
    expect(each.ratePerSecond(10_000)).toBe(1);
    const slow = throttle({ ratePerSecond: 0.5 });
    slow.pressed(0);
    expect(slow.ratePerSecond(0)).toBe(0.5);
  });
});

test('another share of the rate keeps the pressure in proportion', () => {
  const each = throttle();
  each.pressed(0);
  each.setLimit(50, 0);
  expect(each.ratePerSecond(0)).toBe(25);
  expect(each.ratePerSecond(60_000)).toBe(50);
});

describe('which refusals are pressure', () => {
  /** Answers in order: `+` accepts the destination, `-` refuses it; the destinations whose refusals are signs. */
  const signs = (answers: string) => {
    const pressure = new Pressure();
    return answers.split(' ').filter((answer) => {
      const to = answer.slice(1);
      if (answer.startsWith('-')) return pressure.refused(to);
      pressure.accepted(to);
      return false;
    });
  };
  test('the first of each destination', () => {
    expect(signs('-a +b -c +b -d')).toEqual(['-a', '-c', '-d']);
  });
  test('not again that of one whose queue is full, as long as others are accepted, or nobody else is refused', () => {
    expect(signs('-a +b -a +b -a -a -a')).toEqual(['-a']);
    expect(signs('-a -c +b -a -c +b -c -a')).toEqual(['-a', '-c']);
  });
  test('each where nothing is accepted, so that an SMSC that takes nothing slows everything down', () => {
    expect(signs('-a -b -c -a -b -c -a')).toHaveLength(7);
  });
  test('again once the destination was accepted', () => {
    expect(signs('-a +a +b -a')).toEqual(['-a', '-a']);
  });
});
