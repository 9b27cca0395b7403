import { afterEach, expect, test, vi } from 'vitest';
import { environmentAt } from '../../../scripts/shake/clock.ts';

afterEach(() => vi.useRealTimers());

const library = { RAMZ_FAKETIME: '/lib/faketime.so' };

test.each([
  ['2027-12-31T23:59:30Z', '+30s'],
  ['2027-12-31T23:59:00.400Z', '+0s'],
  ['2027-12-31T23:58:00Z', '-60s'],
])('a run at %s is %s away', (at, offset) => {
  vi.useFakeTimers({ now: Date.parse('2027-12-31T23:59:00Z'), toFake: ['Date'] });
  expect(environmentAt(at, { ...library, LD_PRELOAD: '/lib/own.so' })).toEqual({
    ...library,
    LD_PRELOAD: '/lib/faketime.so:/lib/own.so',
    FAKETIME: offset,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
});

test('what is no time is refused', () => {
  expect(() => environmentAt('midnight', library)).toThrow('--at: midnight is not a time');
});
