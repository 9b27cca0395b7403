// validity_period as a strict SMSC reads it (SMPP v3.4 section 7.1.1): `YYMMDDhhmmsstnnp`, or empty for the SMSC's own.

/** The forms an SMSC takes. */
export type ValidityForm = 'relative' | 'absolute';

export type Validity = { kind: 'none' } | { kind: 'until'; at: number } | { kind: 'invalid' };

const FORM = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d(\d\d)([R+-])$/;
const DAY_MS = 86_400_000;

/**
 * Reads `raw` against `now` (milliseconds). Relative years and months count as 365 and 30 days. Invalid: any other
 * shape, a form not in `accepted`, a time not in the future.
 */
export function readValidity(raw: string, accepted: readonly ValidityForm[], now: number): Validity {
  if (raw === '') return { kind: 'none' };
  const match = FORM.exec(raw);
  if (!match) return { kind: 'invalid' };
  const [year, month, day, hour, minute, second, quarters] = match.slice(1, 8).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const form: ValidityForm = match[8] === 'R' ? 'relative' : 'absolute';
  if (!accepted.includes(form)) return { kind: 'invalid' };
  const timeMs = ((hour * 60 + minute) * 60 + second) * 1000;
  if (form === 'relative') {
    const days = year * 365 + month * 30 + day;
    return future(now + days * DAY_MS + timeMs, now);
  }
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 || quarters > 48) {
    return { kind: 'invalid' };
  }
  const offsetMs = quarters * 15 * 60_000 * (match[8] === '-' ? -1 : 1);
  return future(Date.UTC(2000 + year, month - 1, day) + timeMs - offsetMs, now);
}

function future(at: number, now: number): Validity {
  return at > now ? { kind: 'until', at } : { kind: 'invalid' };
}
