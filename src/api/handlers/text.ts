// Values of several handlers: free text, validated, and times between rows and messages.

import { type Timestamp, timestampDate, timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { fail } from '../waist/errors.ts';

/** Without spaces around it. Throws `invalid_argument` when nothing is left. */
export function readText(text: string, field: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw fail('invalid_argument', `${field} must not be blank`, { field });
  return trimmed;
}

/** Absent where there is none. */
export const toTimestamp = (at: Date | number | null): Timestamp | undefined => {
  if (at === null) return undefined;
  return typeof at === 'number' ? timestampFromMs(at) : timestampFromDate(at);
};

/** The last instant the wire can name (RFC 3339): binary protobuf could go beyond, and a Date not even there. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Unix ms; undefined for a time before 1970 or after 9999. */
export function toMs(timestamp: Timestamp): number | undefined {
  const ms = timestampDate(timestamp).getTime();
  return ms >= 0 && ms <= latest ? ms : undefined;
}
