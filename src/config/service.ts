// Settings of the whole service: who it is, the rules of a verification, limits, webhooks.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { senderIdSchema } from './sender.ts';
import { settings } from './settings.ts';

const { service, verify, limits, webhooks } = defaults;

export const serviceSchema = settings({
  brand: z.string().min(1).max(20).default(service.brand).describe('Name in the text of a message.'),
  default_sender_id: senderIdSchema
    .default(service.default_sender_id)
    .describe('Sender name where neither the account nor the operator has one.'),
  home_country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two capital letters (ISO 3166), e.g. "DZ"')
    .nullable()
    .default(null)
    .describe(
      'Country the service is run in, ISO 3166. Destinations are decided by the prefixes of operators, not by it.',
    ),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(service.retention_days)
    .describe('Sessions, numbers and receipts older than this are purged.'),
  public_base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .nullable()
    .default(null)
    .describe('Address clients reach the service at; null = `http://localhost:PORT`.'),
});

const channelSchema = z.enum(['sms', 'whatsapp', 'voice']);
export const hardLimits = {
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
      .default(verify.code_length.min)
      .describe('Shortest a client may ask for; under 6 needs `allow_short_codes`.'),
    max: codeLengthValue.default(verify.code_length.max).describe('Longest a client may ask for.'),
    default: codeLengthValue.default(verify.code_length.default).describe('Without a word from the client.'),
  })
    .prefault({})
    .describe('Digits of a code.'),
  allow_short_codes: z
    .boolean()
    .default(verify.allow_short_codes)
    .describe('true lets `code_length` go down to 4: one guess in 2,000 gets through five tries.'),
  ttl_seconds: settings({
    min: ttlValue.default(verify.ttl_seconds.min).describe('Shortest a client may ask for.'),
    max: ttlValue
      .default(verify.ttl_seconds.max)
      .describe('Longest a client may ask for; over 600 needs `allow_long_ttl`.'),
    default: ttlValue.default(verify.ttl_seconds.default).describe('Without a word from the client.'),
  })
    .prefault({})
    .describe('Life of a session, and of its code.'),
  allow_long_ttl: z
    .boolean()
    .default(verify.allow_long_ttl)
    .describe('true lets `ttl_seconds` go over 600, the longest NIST SP 800-63B allows.'),
  max_attempts: z.int().min(1).max(20).default(verify.max_attempts).describe('Tries at the code of one session.'),
  max_sends: z
    .int()
    .min(1)
    .max(20)
    .default(verify.max_sends)
    .describe('Sends and resends of one session; steps of the cascade do not count.'),
  resend_interval_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(verify.resend_interval_seconds)
    .describe('Between two sends of one session.'),
  minimum_remaining_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(verify.minimum_remaining_seconds)
    .describe('With less life left than this, a second send opens a new session.'),
  cascade: z
    .array(
      settings({
        channel: channelSchema.describe('`sms`, `whatsapp` or `voice`.'),
        timeout_seconds: timeoutValue.describe('How long a receipt is waited for before the next leg.'),
      }),
    )
    .min(1)
    .default(verify.cascade.map((leg) => ({ channel: leg.channel, timeoutSeconds: leg.timeout_seconds })))
    .describe('Legs of an account that set none of its own, in order; each channel once.'),
  timeout_seconds: settings({
    min: timeoutValue.default(verify.timeout_seconds.min).describe('Shortest.'),
    max: timeoutValue.default(verify.timeout_seconds.max).describe('Longest.'),
  })
    .prefault({})
    .describe('What a leg may wait.'),
});

const perCount = z.int().min(1).max(1_000_000);
const perSecond = z.number().positive().max(1_000_000);

export const limitsSchema = settings({
  sends_per_number_per_hour: perCount
    .default(limits.sends_per_number_per_hour)
    .describe('Sends to one number over all accounts.'),
  sends_per_number_per_day: perCount
    .default(limits.sends_per_number_per_day)
    .describe('Sends to one number over all accounts.'),
  failures_per_number_per_hour: perCount
    .default(limits.failures_per_number_per_hour)
    .describe('Wrong codes per (account, mode, number), over sessions; then 429 `number_locked`.'),
  account_sends_per_second: perSecond.default(limits.account_sends_per_second).describe('Sends of one account.'),
  account_sends_burst: perCount
    .default(limits.account_sends_burst)
    .describe('Sends an idle account may make at once before the rate holds.'),
  account_calls_per_second: perSecond
    .default(limits.account_calls_per_second)
    .describe('Calls of one account, all methods.'),
});

export const webhooksSchema = settings({
  timeout_seconds: z
    .int()
    .min(1)
    .max(60)
    .default(webhooks.timeout_seconds)
    .describe('How long an endpoint may take to answer.'),
  allow_private_targets: z
    .boolean()
    .default(webhooks.allow_private_targets)
    .describe('true lets endpoints be private, loopback or link-local addresses: a way into your own network.'),
  concurrency_per_endpoint: z
    .int()
    .min(1)
    .max(100)
    .default(webhooks.concurrency_per_endpoint)
    .describe('Requests under way to one endpoint, at most.'),
  disable_after_days: z
    .int()
    .min(1)
    .max(30)
    .default(webhooks.disable_after_days)
    .describe('Days of failure alone after which an endpoint is switched off.'),
});
