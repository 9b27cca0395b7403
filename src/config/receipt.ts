// How an operator writes delivery receipts: dates, and words or numbers of its own for the delivery states.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { settings } from './settings.ts';

/** Delivery states in the words of SMPP v3.4 section 5.2.28; ENROUTE and ACCEPTD are not final. */
const stateSchema = z.enum(['ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD']);

export const receiptSchema = settings({
  date_format: z
    .enum(['auto', 'YYMMDDhhmm', 'YYMMDDhhmmss', 'YYYYMMDDhhmm', 'YYYYMMDDhhmmss'])
    .default(defaults.operator.receipt.date_format)
    .describe('`auto` goes by length, and for 12 digits takes the reading nearest to now.'),
  message_states: z
    .record(z.string().regex(/^\d{1,3}$/, 'must be the number of a message_state'), stateSchema)
    .default({})
    .describe('Numbers of the message_state TLV that mean something else here than in SMPP v3.4.'),
  meanings: z
    .record(
      z.string().regex(/^[A-Za-z]{1,10}(\/[0-9A-Za-z]{1,8})?$/, 'must be STAT or STAT/err, e.g. "UNDELIV/027"'),
      stateSchema,
    )
    .default({})
    .describe(
      'What `STAT` or `STAT/err` means here in the words of SMPP; `STAT/err` wins over `STAT`. ENROUTE = not final.',
    ),
});

/** True for an IANA zone name; an offset such as +01:00 has no rules for summer time and is refused. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
