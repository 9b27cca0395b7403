// The form of an operator's receipts: dates, words and texts, which no two operators write alike (SMPP v3.4 appendix B is only an example).

import { z } from 'zod';
import { compilePattern } from '../text/linear-pattern.ts';
import { defaults } from './defaults.ts';
import { settings } from './fields.ts';

const d = defaults.operator.receipt;

/** Delivery states in the words of SMPP v3.4 section 5.2.28; ENROUTE and ACCEPTD are not final. */
const stateSchema = z.enum(['ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD']);

/** The groups that a pattern may have. */
const patternGroups = ['id', 'stat', 'err', 'submit_date', 'done_date'];

const patternSchema = z
  .string()
  .min(1)
  .superRefine((source, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const compiled = compilePattern(source);
    if (compiled.kind === 'refused') return refuse(compiled.reason);
    const { names } = compiled.pattern;
    const unknown = names.find((name) => !patternGroups.includes(name));
    if (unknown !== undefined) return refuse(`has a group ${unknown}: there are ${patternGroups.join(', ')}`);
    if (!names.includes('id') || !names.includes('stat')) refuse('must have the groups (?<id>…) and (?<stat>…)');
  });

export const receiptSchema = settings({
  date_format: z
    .enum([
      'auto',
      'YYMMDDhhmm',
      'YYMMDDhhmmss',
      'YYYYMMDDhhmm',
      'YYYYMMDDhhmmss',
      'DDMMYYhhmm',
      'DDMMYYhhmmss',
      'DDMMYYYYhhmm',
      'DDMMYYYYhhmmss',
      'epoch',
    ])
    .default(d.date_format)
    .describe(
      '`auto` goes by length, takes the year first, and for 12 digits the reading nearest to now. `epoch`: seconds or milliseconds since 1970.',
    ),
  unmarked: z
    .enum(['ignore', 'accept_known_id'])
    .default(d.unmarked)
    .describe(
      'What to do with a receipt that is not marked as one (esm_class 0x00, 0x08, 0x10). Any phone can send such a text: `accept_known_id` takes it in only for a message that is open and has its id and phone.',
    ),
  pattern: patternSchema
    .nullable()
    .default(null)
    .describe(
      'Regular expression for texts that are not written in keys, with the groups `id`, `stat`, `err`, `submit_date` and `done_date`; case does not count. Texts that it does not find are read as usual.',
    ),
  message_states: z
    .record(z.string().regex(/^\d{1,3}$/, 'must be the number of a message_state'), stateSchema)
    .default({})
    .describe('Numbers of the message_state TLV that mean something else here than in SMPP v3.4.'),
  meanings: z
    .record(
      z
        .string()
        .regex(
          /^[0-9A-Z_-]+(\/[0-9A-Za-z]{1,8})?$/,
          'must be STAT or STAT/err, with STAT in capitals, e.g. "UNDELIV/027"',
        )
        .max(50),
      stateSchema,
    )
    .default({})
    .describe(
      'What `STAT` or `STAT/err` means here in the words of SMPP; `STAT/err` wins over `STAT`. ENROUTE = not final.',
    ),
});
