import { expect, test } from 'vitest';
import { Reading } from '../../../src/smpp/timers.ts';

test('from the start it is up to date, and a deadline is a deadline', () => {
  const reading = new Reading();
  expect([reading.isUpToDate(0), reading.countsAt(10)]).toEqual([true, 10]);
});

test('stopped, nothing counts; going on, it catches up first', () => {
  const reading = new Reading();
  expect([reading.stop(true, 0), reading.stop(true, 1), reading.stopped]).toEqual([true, false, true]);
  expect([reading.isUpToDate(5_000), reading.countsAt(10)]).toEqual([false, Number.POSITIVE_INFINITY]);
  expect(reading.stop(false, 6_000)).toBe(true);
  expect([reading.isUpToDate(6_099), reading.isUpToDate(6_100)]).toEqual([false, true]);
  expect([reading.countsAt(10), reading.countsAt(7_000)]).toEqual([6_100, 7_000]);
});

test('a timer that rings late says that nothing was read; a second one in a row does not', () => {
  const reading = new Reading();
  reading.rang(0, 249);
  expect(reading.isUpToDate(249)).toBe(true);
  reading.rang(0, 250);
  expect(reading.isUpToDate(250)).toBe(false);
  reading.rang(350, 700);
  expect(reading.isUpToDate(700)).toBe(true);
});
