// The words that commands share: a day or a time is what it looks like, or it is refused.
import { describe, expect, test } from 'vitest';
import { expiryOf, Refusal, utcTime } from '../../../src/cli/command.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

describe('a time in UTC', () => {
  test.each(['2027-01-31', '2027-01-31T14:00Z', '2027-01-31T14:00:05Z', '2027-01-31T14:00:05.250Z', '2028-02-29'])(
    '%s',
    (text) => {
      expect(utcTime(text)).toBe(Date.parse(text));
      expect(expiryOf(text, now)).toBe(Date.parse(text));
    },
  );
});

describe('no time: days, years, dates with the month first, days that no month has, times of an unnamed zone', () => {
  test.each([
    '45',
    '90',
    '2027',
    '5/6/27',
    'Jan 2028',
    '2027-02-31',
    '2027-1-5',
    '2027-01-31 12:00',
    '2027-01-31T24:00Z',
    '',
  ])('%j', (text) => {
    expect(utcTime(text)).toBeNaN();
    expect(() => expiryOf(text, now)).toThrow(Refusal);
  });
});

test('what expires does so in the future, or never', () => {
  expect(expiryOf(undefined, now)).toBeNull();
  expect(() => expiryOf('2026-11-22', now)).toThrow('--expires must be a day or time (UTC) in the future');
});
