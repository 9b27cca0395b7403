// Times as SMPP writes them: local time by IANA zone, validity_period (SMPP v3.4 section 7.1.1), and the dates in receipts, most of
// which carry no zone. All times are Unix ms; a "local" one is the reading of a wall clock, counted as if it were UTC.

/** No zone has ever changed its offset inside a quarter of an hour, so one answer holds for all of it. */
const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;
/** A time from here on has no form in RFC 3339, nor in protobuf's JSON: no answer could show it. */
const YEAR_10000 = Date.UTC(10_000, 0, 1);
const MAX_CACHED = 1_000;

interface Zone {
  format: Intl.DateTimeFormat;
  offsets: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** Local minus UTC, in ms. @throws RangeError for a name that is no IANA zone. */
export function zoneOffsetMs(timeZone: string, at: number): number {
  const zone = zoneOf(timeZone);
  const quarter = Math.floor(at / QUARTER_HOUR_MS);
  const known = zone.offsets.get(quarter);
  if (known !== undefined) return known;
  if (zone.offsets.size >= MAX_CACHED) zone.offsets.clear();
  const offset = askIntl(zone.format, quarter * QUARTER_HOUR_MS);
  zone.offsets.set(quarter, offset);
  return offset;
}

/**
 * The moment a local clock showed this. In the hour that comes twice in autumn, the moment nearer to `near`; in the hour
 * that is left out in spring, the moment by the offset before the change.
 */
export function localToUtc(localAt: number, timeZone: string, near: number): number {
  const before = localAt - zoneOffsetMs(timeZone, localAt - DAY_MS);
  const after = localAt - zoneOffsetMs(timeZone, localAt + DAY_MS);
  if (before === after) return before; // no change of the offset around then
  const real = [before, after].filter((at) => at + zoneOffsetMs(timeZone, at) === localAt);
  return nearest(real, near) ?? before;
}

function nearest(candidates: readonly number[], near: number): number | undefined {
  return candidates.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    zone = { format, offsets: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

/** `longOffset` is "GMT", "GMT+01:00", or with seconds for dates long gone. */
function askIntl(format: Intl.DateTimeFormat, at: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at));
  const [, sign, hours = '0', minutes = '0'] = match ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -offset : offset;
}

export type ValidityFormat = 'relative' | 'absolute' | 'none';

export interface ValidityOptions {
  /** `none` is the empty string: the SMSC's own default. */
  format: ValidityFormat;
  /** The remaining life is rounded down to a multiple of this, but never below one. Default 1. */
  granularitySeconds?: number;
  /** IANA zone in which an absolute time is written, with its offset; default UTC. */
  timeZone?: string;
}

/** The day field ends at 31; no SMSC keeps a message for longer than a few days anyway. */
const MAX_RELATIVE_SECONDS = 30 * 86_400;

/** How long the SMSC may try, as it is written in validity_period. All times in ms. */
export function validityPeriod(remainingMs: number, now: number, options: ValidityOptions): string {
  const { format, granularitySeconds = 1, timeZone } = options;
  if (format === 'none') return '';
  const steps = Math.max(1, Math.floor(remainingMs / 1000 / granularitySeconds));
  const seconds = steps * granularitySeconds;
  return format === 'relative' ? relativeTime(seconds) : absoluteTime(now + seconds * 1000, timeZone);
}

/** `YYMMDDhhmmss000R`: a span, its years and months left at zero. Longer than 30 days is cut to 30 days. */
export function relativeTime(spanSeconds: number): string {
  const seconds = Math.min(Math.max(0, Math.floor(spanSeconds)), MAX_RELATIVE_SECONDS);
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `0000${[days, hours, minutes, seconds % 60].map(twoDigits).join('')}000R`;
}

/**
 * `YYMMDDhhmmsstnnp`: local time, tenths of a second (always 0 here), and the offset from UTC in quarters of an hour. Written in
 * the SMSC's own zone, it is right even where the SMSC overlooks the offset.
 */
export function absoluteTime(at: number, timeZone = 'UTC'): string {
  const offsetMs = zoneOffsetMs(timeZone, at);
  const local = new Date(at + offsetMs).toISOString(); // 2026-01-02T03:04:05.678Z
  const quarters = Math.abs(offsetMs) / 900_000;
  return `${local.slice(2, 19).replace(/\D/g, '')}0${twoDigits(quarters)}${offsetMs < 0 ? '-' : '+'}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** How a receipt's dates may be written. `epoch`: seconds or milliseconds since 1970, which need no zone. */
export const receiptDateForms = [
  'YYMMDDhhmm',
  'YYMMDDhhmmss',
  'YYYYMMDDhhmm',
  'YYYYMMDDhhmmss',
  'DDMMYYhhmm',
  'DDMMYYhhmmss',
  'DDMMYYYYhhmm',
  'DDMMYYYYhhmmss',
  'epoch',
] as const;

type Form = (typeof receiptDateForms)[number];

/** `auto` goes by length; 12 digits have two readings, and the one nearer to now is taken. */
export type ReceiptDateFormat = 'auto' | Form;

const none: readonly Form[] = [];
/** Only the year first: `auto` must not turn a wrong date into another. */
const byLength: Record<number, readonly Form[]> = {
  10: ['YYMMDDhhmm'],
  12: ['YYMMDDhhmmss', 'YYYYMMDDhhmm'],
  14: ['YYYYMMDDhhmmss'],
};

/**
 * Unix ms, or null when the digits make no date. A zone behind them, `YYYYMMDDhhmmss+hhmm`, holds whatever the operator's is. Digits of
 * another length than the format's are read as with `auto`: a date in a surprising form is still a date.
 */
export function parseReceiptDate(
  digits: string,
  timeZone: string,
  now: number,
  format: ReceiptDateFormat = 'auto',
): number | null {
  const [, local, sign, hours, minutes] = /^(\d{14})([+-])(\d\d)(\d\d)$/.exec(digits) ?? [];
  if (local !== undefined) {
    const at = readLocal(local, 'YYYYMMDDhhmmss');
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return at === null ? null : sayable(at - (sign === '-' ? -offsetMs : offsetMs));
  }
  if (!/^\d+$/.test(digits)) return null;
  if (format !== 'auto' && fits(digits, format)) return readDate(digits, format, timeZone, now);
  let nearest: number | null = null;
  for (const form of byLength[digits.length] ?? none) {
    const at = readDate(digits, form, timeZone, now);
    if (at !== null && (nearest === null || Math.abs(at - now) < Math.abs(nearest - now))) nearest = at;
  }
  return nearest;
}

/** The format in which the digits are a date within a day of now; null where none is. For digits that could not be read. */
export function guessReceiptDateFormat(digits: string, timeZone: string, now: number): ReceiptDateFormat | null {
  const isNear = (form: Form): boolean => {
    const at = fits(digits, form) ? readDate(digits, form, timeZone, now) : null;
    return at !== null && Math.abs(at - now) <= DAY_MS;
  };
  return /^\d+$/.test(digits) ? (receiptDateForms.find(isNear) ?? null) : null;
}

const fits = (digits: string, form: Form): boolean =>
  form === 'epoch' ? digits.length === 10 || digits.length === 13 : form.length === digits.length;

function readDate(digits: string, form: Form, timeZone: string, now: number): number | null {
  if (form === 'epoch') return Number(digits) * (digits.length === 10 ? 1_000 : 1);
  const local = readLocal(digits, form);
  return local === null ? null : sayable(localToUtc(local, timeZone, now));
}

/** Null for a time that no answer could show. */
const sayable = (at: number): number | null => (at >= 0 && at < YEAR_10000 ? at : null);

/** The reading of the wall clock, as if it were UTC; null when there is no such day or hour. */
function readLocal(digits: string, form: Exclude<Form, 'epoch'>): number | null {
  const longYear = form.includes('YYYY');
  const yearAt = form.indexOf('Y');
  const year = longYear
    ? digitsAt(digits, yearAt) * 100 + digitsAt(digits, yearAt + 2)
    : 2000 + digitsAt(digits, yearAt);
  const month = digitsAt(digits, form.indexOf('M'));
  const day = digitsAt(digits, form.indexOf('D'));
  const timeAt = form.indexOf('h');
  const hour = digitsAt(digits, timeAt);
  const minute = digitsAt(digits, timeAt + 2);
  const second = form.endsWith('ss') ? digitsAt(digits, timeAt + 4) : 0;
  if (year < 1970 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(local).getUTCDate() === day ? local : null; // else it rolled over into another month
}

const ZERO = 0x30;

const digitsAt = (digits: string, at: number): number =>
  (digits.charCodeAt(at) - ZERO) * 10 + (digits.charCodeAt(at + 1) - ZERO);
