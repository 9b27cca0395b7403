// The settings of a verification: code, life, attempts, sends, cascade. Bounds between them are in crosscheck.ts, because each schema
// sees one setting.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { settings } from './fields.ts';

const d = defaults.verify;

const channelSchema = z.enum(['sms', 'whatsapp', 'voice']);
/** Bounds of every configuration; within them a deployment sets its own. */
const hardLimits = {
  codeLength: { min: 4, max: 10 },
  ttlSeconds: { min: 30, max: 3600 },
  timeoutSeconds: { min: 1, max: 900 },
};
const { codeLength, ttlSeconds, timeoutSeconds } = hardLimits;

const codeLengthValue = z.int().min(codeLength.min).max(codeLength.max);
const ttlValue = z.int().min(ttlSeconds.min).max(ttlSeconds.max);
const timeoutValue = z.int().min(timeoutSeconds.min).max(timeoutSeconds.max);

export const verifySchema = settings({
  code_length: settings({
    min: codeLengthValue
      .default(d.code_length.min)
      .describe('Shortest a client may ask for; under 6 needs `allow_short_codes`.'),
    max: codeLengthValue.default(d.code_length.max).describe('Longest a client may ask for.'),
    default: codeLengthValue.default(d.code_length.default).describe('Without a word from the client.'),
  })
    .prefault({})
    .describe('Digits of a code.'),
  allow_short_codes: z
    .boolean()
    .default(d.allow_short_codes)
    .describe('true lets `code_length` go down to 4: one guess in 2,000 gets through five tries.'),
  ttl_seconds: settings({
    min: ttlValue.default(d.ttl_seconds.min).describe('Shortest a client may ask for.'),
    max: ttlValue.default(d.ttl_seconds.max).describe('Longest a client may ask for; over 600 needs `allow_long_ttl`.'),
    default: ttlValue.default(d.ttl_seconds.default).describe('Without a word from the client.'),
  })
    .prefault({})
    .describe('Life of a session, and of its code.'),
  allow_long_ttl: z
    .boolean()
    .default(d.allow_long_ttl)
    .describe('true lets `ttl_seconds` go over 600, the longest NIST SP 800-63B allows.'),
  max_attempts: z.int().min(1).max(20).default(d.max_attempts).describe('Tries at the code of one session.'),
  max_sends: z
    .int()
    .min(1)
    .max(20)
    .default(d.max_sends)
    .describe('Sends and resends of one session; steps of the cascade do not count.'),
  resend_interval_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(d.resend_interval_seconds)
    .describe('Between two sends of one session.'),
  minimum_remaining_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(d.minimum_remaining_seconds)
    .describe('With less life left than this, a second send opens a new session.'),
  cascade: z
    .array(
      settings({
        channel: channelSchema.describe('`sms`, `whatsapp` or `voice`.'),
        timeout_seconds: timeoutValue.describe('How long a receipt is waited for before the next leg.'),
      }),
    )
    .min(1)
    .prefault([...d.cascade])
    .describe('Legs of an account that set none of its own, in order; each channel once.'),
  timeout_seconds: settings({
    min: timeoutValue.default(d.timeout_seconds.min).describe('Shortest.'),
    max: timeoutValue.default(d.timeout_seconds.max).describe('Longest.'),
  })
    .prefault({})
    .describe('What a leg may wait.'),
});
