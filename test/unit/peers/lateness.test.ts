// Lateness is a difference of delays: the clocks of the two ends may show anything.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lateness } from '../../../src/peers/lateness.ts';

const offset = fc.integer({ min: -(2 ** 31), max: 2 ** 31 });

test('whatever the clocks say, frames within the limit are in time, and one that took longer is late', () => {
  fc.assert(
    fc.property(offset, fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 20 }), (apart, delays) => {
      const lateness = new Lateness(100);
      let sentAt = 0;
      for (const delay of delays) {
        sentAt += 50;
        expect(lateness.isLate((sentAt + apart) >>> 0, sentAt + delay)).toBe(false);
      }
      expect(lateness.isLate((sentAt + apart) >>> 0, sentAt + Math.min(...delays) + 102)).toBe(true);
    }),
  );
});

test('a process that was frozen for longer than a window finds everything late that waited for it', () => {
  const lateness = new Lateness(100);
  expect(lateness.isLate(0, 1)).toBe(false);
  const late = [1_000, 20_000, 59_000].map((sentAt) => lateness.isLate(sentAt, 60_000));
  expect(late).toEqual([true, true, true]);
  expect(lateness.isLate(60_000, 60_001)).toBe(false);
});

test('a route that has become longer is the usual one after two windows', () => {
  const lateness = new Lateness(100);
  lateness.isLate(0, 1);
  let late = 0;
  for (let at = 100; at < 100_000; at += 1_000) late += lateness.isLate(at, at + 150) ? 1 : 0;
  expect(late).toBeGreaterThan(20);
  expect(lateness.isLate(100_000, 100_150)).toBe(false);
});
