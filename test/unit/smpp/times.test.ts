import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absoluteTime,
  localToUtc,
  parseReceiptDate,
  relativeTime,
  validityPeriod,
  zoneOffsetMs,
} from '../../../src/smpp/times.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('relative', () => {
  test.each([
    [0, '000000000000000R'],
    [300, '000000000500000R'], // five minutes; '300' would be read as something else
    [600, '000000001000000R'],
    [3_661, '000000010101000R'],
    [86_400 * 2, '000002000000000R'],
    [86_400 * 400, '000030000000000R'],
  ])('%d s', (seconds, text) => {
    expect(relativeTime(seconds)).toBe(text);
  });
});

describe('absolute', () => {
  test.each([
    [now, undefined, '260102030405000+'],
    [now, 'Africa/Algiers', '260102040405004+'],
    [now, 'Asia/Kathmandu', '260102084905023+'],
    [now, 'America/New_York', '260101220405020-'],
  ])('%d in %s', (at, zone, text) => {
    expect(absoluteTime(at, zone)).toBe(text);
  });
});

describe('validity period', () => {
  test.each([
    [599_999, 60, '000000000900000R'],
    [600_000, 60, '000000001000000R'],
    [59_999, 60, '000000000100000R'], // never below one step
    [-5, 1, '000000000001000R'],
    [90_500, 1, '000000000130000R'],
  ])('%d ms in steps of %d s', (remainingMs, granularitySeconds, text) => {
    expect(validityPeriod(remainingMs, now, { format: 'relative', granularitySeconds })).toBe(text);
  });
  test('absolute, and none', () => {
    expect(validityPeriod(600_000, now, { format: 'absolute' })).toBe('260102031405000+');
    expect(validityPeriod(600_000, now, { format: 'none' })).toBe('');
  });
  test('always sixteen characters', () => {
    const zone = fc.constantFrom('UTC', 'Africa/Algiers', 'Asia/Kathmandu', 'America/St_Johns');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), zone, (ms, timeZone) => {
        for (const format of ['relative', 'absolute'] as const) {
          expect(validityPeriod(ms, now, { format, timeZone })).toMatch(/^\d{15}[R+-]$/);
        }
      }),
    );
  });
});

describe('dates of receipts', () => {
  test.each([
    ['99991231235959-1200', 'UTC'],
    ['99991231235959', 'Pacific/Honolulu'],
    ['19700101000000+1200', 'UTC'],
  ])('%s in %s: no date that an answer can show', (digits, zone) => {
    expect(parseReceiptDate(digits, zone, now)).toBeNull();
  });
  test('the last one that can be shown is one', () => {
    expect(parseReceiptDate('99991231235959+0000', 'UTC', now)).toBe(Date.UTC(9999, 11, 31, 23, 59, 59));
  });
});

describe('time zones', () => {
  const hour = 3_600_000;
  test.each([
    ['Africa/Algiers', now, hour],
    ['Europe/Paris', Date.UTC(2026, 6, 1), 2 * hour],
    ['America/St_Johns', now, -3.5 * hour],
    ['UTC', now, 0],
  ])('%s', (zone, at, offset) => {
    expect(zoneOffsetMs(zone, at)).toBe(offset);
  });

  const paris = 'Europe/Paris';
  const twice = Date.UTC(2026, 9, 25, 2, 30); // 02:30 comes twice
  test('the hour that comes twice is the one nearer to now', () => {
    expect(localToUtc(twice, paris, Date.UTC(2026, 9, 25, 0, 31))).toBe(Date.UTC(2026, 9, 25, 0, 30));
    expect(localToUtc(twice, paris, Date.UTC(2026, 9, 25, 1, 31))).toBe(Date.UTC(2026, 9, 25, 1, 30));
  });
  test('the hour that is left out', () => {
    expect(localToUtc(Date.UTC(2026, 2, 29, 2, 30), paris, now)).toBe(Date.UTC(2026, 2, 29, 1, 30));
  });
  test('there and back, away from the turn of the clocks', () => {
    const at = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
    fc.assert(
      fc.property(at, (moment) => {
        expect(localToUtc(moment + zoneOffsetMs(paris, moment), paris, moment)).toBe(moment);
      }),
    );
  });
});
