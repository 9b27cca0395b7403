// The dates in a receipt's text: digits without a zone, in whichever of four forms the operator chose.

import { localToUtc } from './zone.ts';

/** `auto` goes by length; 12 digits have two readings, and the one nearer to now is taken. */
export type ReceiptDateFormat = 'auto' | 'YYMMDDhhmm' | 'YYMMDDhhmmss' | 'YYYYMMDDhhmm' | 'YYYYMMDDhhmmss';

type Form = Exclude<ReceiptDateFormat, 'auto'>;

const none: readonly Form[] = [];
const byLength: Record<number, readonly Form[]> = {
  10: ['YYMMDDhhmm'],
  12: ['YYMMDDhhmmss', 'YYYYMMDDhhmm'],
  14: ['YYYYMMDDhhmmss'],
};

/**
 * Unix ms, or null when the digits make no date. Digits of another length than the format's are read as with `auto`: a
 * date in a surprising form is still a date.
 */
export function parseReceiptDate(
  digits: string,
  timeZone: string,
  now: number,
  format: ReceiptDateFormat = 'auto',
): number | null {
  if (!/^\d+$/.test(digits)) return null;
  if (format !== 'auto' && format.length === digits.length) return readDate(digits, format, timeZone, now);
  let nearest: number | null = null;
  for (const form of byLength[digits.length] ?? none) {
    const at = readDate(digits, form, timeZone, now);
    if (at !== null && (nearest === null || Math.abs(at - now) < Math.abs(nearest - now))) nearest = at;
  }
  return nearest;
}

function readDate(digits: string, form: Form, timeZone: string, now: number): number | null {
  const local = readLocal(digits, form);
  return local === null ? null : localToUtc(local, timeZone, now);
}

/** What the wall clock showed, as if it were UTC; null when there is no such day or hour. */
function readLocal(digits: string, form: Form): number | null {
  const longYear = form.startsWith('YYYY');
  const year = longYear ? twoDigits(digits, 0) * 100 + twoDigits(digits, 2) : 2000 + twoDigits(digits, 0);
  const next = longYear ? 4 : 2;
  const month = twoDigits(digits, next);
  const day = twoDigits(digits, next + 2);
  const hour = twoDigits(digits, next + 4);
  const minute = twoDigits(digits, next + 6);
  const second = form.endsWith('ss') ? twoDigits(digits, next + 8) : 0;
  if (year < 1970 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(local).getUTCDate() === day ? local : null; // else it rolled over into another month
}

const ZERO = 0x30;

const twoDigits = (digits: string, at: number): number =>
  (digits.charCodeAt(at) - ZERO) * 10 + (digits.charCodeAt(at + 1) - ZERO);
