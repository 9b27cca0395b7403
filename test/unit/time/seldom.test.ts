import { expect, test } from 'vitest';
import { Seldom } from '../../../src/time/seldom.ts';

const minute = 60_000;
function at(start: number) {
  let now = start;
  const lines = new Seldom(() => now);
  return { lines, pass: (ms: number) => (now += ms) };
}

test('a line is written once in its time, and others beside it', () => {
  const { lines, pass } = at(1_000);
  expect([lines.isDue('a', minute), lines.isDue('a', minute), lines.isDue('b', minute)]).toEqual([true, false, true]);
  pass(minute - 1);
  expect(lines.isDue('a', minute)).toBe(false);
  pass(1);
  expect(lines.isDue('a', minute)).toBe(true);
});

test('a clock that is set back silences nothing for as long', () => {
  const { lines, pass } = at(10 * 60 * minute);
  lines.isDue('a', minute);
  pass(-60 * minute);
  expect([lines.isDue('a', minute), lines.isDue('a', minute)]).toEqual([true, false]);
});

test('lines without end take no memory without end', () => {
  const { lines } = at(0);
  for (let n = 0; n < 1_000; n += 1) lines.isDue(String(n), minute);
  expect(lines.isDue('0', minute)).toBe(false);
  lines.isDue('one more', minute);
  expect(lines.isDue('0', minute)).toBe(true);
});
