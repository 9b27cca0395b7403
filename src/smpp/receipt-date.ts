// The dates in a receipt's text: digits without a zone, in whichever of four forms the operator chose.

import { localToUtc, nearest } from './zone.ts';

/** `auto` goes by length; 12 digits have two readings, and the one nearer to now is taken. */
export type ReceiptDateFormat = 'auto' | 'YYMMDDhhmm' | 'YYMMDDhhmmss' | 'YYYYMMDDhhmm' | 'YYYYMMDDhhmmss';

const byLength: Record<number, readonly Exclude<ReceiptDateFormat, 'auto'>[]> = {
  10: ['YYMMDDhhmm'],
  12: ['YYMMDDhhmmss', 'YYYYMMDDhhmm'],
  14: ['YYYYMMDDhhmmss'],
};

/**
 * Unix ms, or null when the digits make no date. Digits of another length than the format's are read as with `auto`: a
 * date in a surprising form is still a date.
 */
export function parseReceiptDate(digits: string, timeZone: string, now: number, format: ReceiptDateFormat = 'auto') {
  if (!/^\d+$/.test(digits)) return null;
  const formats = format.length === digits.length ? [format] : (byLength[digits.length] ?? []);
  const readings = formats.map((each) => readLocal(digits, each)).filter((local) => local !== null);
  const moments = readings.map((local) => localToUtc(local, timeZone, now));
  return nearest(moments, now) ?? null;
}

/** What the wall clock showed, as if it were UTC; null when there is no such day or hour. */
function readLocal(digits: string, format: string): number | null {
  const part = (letters: string): number => {
    const start = format.indexOf(letters);
    return start < 0 ? 0 : Number(digits.slice(start, start + letters.length));
  };
  const year = format.startsWith('YYYY') ? part('YYYY') : 2000 + part('YY');
  const [month, day, hour, minute, second] = [part('MM'), part('DD'), part('hh'), part('mm'), part('ss')];
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const rolledOver = new Date(local).getUTCMonth() !== month - 1 || new Date(local).getUTCDate() !== day;
  return rolledOver ? null : local;
}
