// The dates of receipts: local time of the operator, without a zone, in one of the widths seen in the field.

export type DateForm = 'YYMMDDhhmm' | 'YYMMDDhhmmss' | 'YYYYMMDDhhmm';

const HOUR_MS = 3_600_000;

/**
 * Returns a writer for one IANA zone and one form. Times are milliseconds since the epoch.
 * The zone's offset is looked up once an hour of time, not once a receipt: Intl costs more than the whole receipt.
 */
export function dateWriter(timeZone: string, form: DateForm): (at: number) => string {
  const offsetAt = offsetReader(timeZone);
  return (at) => {
    const digits = new Date(at + offsetAt(at)).toISOString().replace(/\D/g, '');
    switch (form) {
      case 'YYMMDDhhmm':
        return digits.slice(2, 12);
      case 'YYMMDDhhmmss':
        return digits.slice(2, 14);
      case 'YYYYMMDDhhmm':
        return digits.slice(0, 12);
    }
  };
}

/** Zones change their offset on whole hours of UTC, so one look-up holds for the hour. */
function offsetReader(timeZone: string): (at: number) => number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  let knownHour = Number.NaN;
  let offsetMs = 0;
  return (at) => {
    const hour = Math.floor(at / HOUR_MS);
    if (hour !== knownHour) {
      const seen = Object.fromEntries(
        parts.formatToParts(hour * HOUR_MS).map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day = 1, hour: hours = 0, minute = 0, second = 0 } = seen;
      offsetMs = Date.UTC(year, month - 1, day, hours, minute, second) - hour * HOUR_MS;
      knownHour = hour;
    }
    return offsetMs;
  };
}
