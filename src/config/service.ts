// Settings of the whole service (its identity, limits, webhooks) and of a verification (code, life, attempts, sends, cascade). Bounds
// between them are in crosscheck.ts, because each schema sees one setting.

import { z } from 'zod';
import { type GuardRule, guardRules, ruleModes } from '../core/limits/verdict.ts';
import { budgetSchema, clientsSchema } from './account-limits.ts';
import { defaults } from './defaults.ts';
import { perCount, senderIdSchema, settings } from './fields.ts';

const { service, limits, webhooks } = defaults;

export const retentionDaysSchema = z
  .int()
  .min(1)
  .max(3650)
  .default(service.retention_days)
  .describe('Sessions, numbers, receipts and webhooks older than this are purged.');

export const serviceSchema = settings({
  brand: z
    .string()
    .min(1)
    .max(20)
    .default(service.brand)
    .describe(
      'Name in the text of a message. The texts of all languages must be able to name it: without four digits in a row, and not ending in a word that operators write in receipts, as `ID`.',
    ),
  default_sender_id: senderIdSchema
    .default(service.default_sender_id)
    .describe('Sender name where neither the account nor the operator has one.'),
  home_country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two capital letters (ISO 3166), e.g. "DZ"')
    .nullable()
    .default(null)
    .describe(
      'Country the service is run in, ISO 3166: the refusal of a national number names the form it would have had. Destinations are decided by the prefixes of operators.',
    ),
  retention_days: retentionDaysSchema,
  report_retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(service.report_retention_days)
    .describe('What reports add up is kept so long: counts and costs, without numbers.'),
  audit_retention_days: z
    .int()
    .min(90)
    .max(3650)
    .default(service.audit_retention_days)
    .describe(
      'The audit log is kept so long. The database itself keeps the last 90 days, whatever the service asks it to delete.',
    ),
  closed_account_days: z
    .int()
    .min(1)
    .max(3650)
    .default(service.closed_account_days)
    .describe('A closed account can be reopened for so long; then everything of it is deleted.'),
  waiting_account_days: z
    .int()
    .min(1)
    .max(3650)
    .default(service.waiting_account_days)
    .describe('An account that waits for approval is closed when none of its keys was used for so long.'),
  public_base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .nullable()
    .default(null)
    .describe(
      'Address browsers reach the service at, for the page of an embedded signup; null = `http://localhost:PORT`. Beside `messaging.signup` it has to be https, but at this machine.',
    ),
});

const platformCount = (perAccount: string, period: string) =>
  perCount
    .nullable()
    .default(null)
    .describe(`Sends of all accounts together to one number within ${period}; null = three times \`${perAccount}\`.`);
const perSecond = z.number().positive().max(1_000_000);

/** One setting for each rule, under the rule's own name. */
const ruleModesSchema = z
  .strictObject(
    eachRule({
      key_restriction: 'Addresses, numbers and sends a day that the API key is restricted to.',
      allowed_prefixes: "Numbers outside the account's `allowed_prefixes`.",
      block_list: "Numbers on the account's block list, or on the platform's.",
      client_limit: "Sends for one end user's address or device.",
      sequential_numbers: 'Numbers that lie close together or at equal distances.',
      prefix_conversion: 'Prefixes whose codes are hardly ever entered.',
      budget: 'What the account and the API key may send and spend within an hour and a day.',
    }),
  )
  .prefault({})
  .describe('What becomes of a send that a rule against abuse objects to. An account may have modes of its own.');

function eachRule(meanings: Record<GuardRule, string>) {
  const setting = (meaning: string) =>
    z
      .enum(ruleModes)
      .default(limits.rule_mode)
      .describe(`${meaning} \`enforce\` refuses, \`monitor\` notes it in the session's timeline.`);
  return Object.fromEntries(guardRules.map((rule) => [rule, setting(meanings[rule])])) as Record<
    GuardRule,
    ReturnType<typeof setting>
  >;
}

export const limitsSchema = settings({
  sends_per_number_per_hour: perCount
    .default(limits.sends_per_number_per_hour)
    .describe('Sends of one account to one number within an hour.'),
  sends_per_number_per_day: perCount
    .default(limits.sends_per_number_per_day)
    .describe('Sends of one account to one number within a day.'),
  platform_sends_per_number_per_hour: platformCount('sends_per_number_per_hour', 'an hour'),
  platform_sends_per_number_per_day: platformCount('sends_per_number_per_day', 'a day'),
  failures_per_number_per_hour: perCount
    .default(limits.failures_per_number_per_hour)
    .describe('Wrong codes within an hour per (account, mode, number), over sessions; then 429 `number_locked`.'),
  failures_per_number_in_row: perCount
    .default(limits.failures_per_number_in_row)
    .describe(
      'Wrong codes in a row per (account, mode, number), over hours and sessions; then the number stays locked until `npm run account -- unlock`.',
    ),
  account_sends_per_second: perSecond
    .default(limits.account_sends_per_second)
    .describe('Sends of one account and mode within a second, over all processes.'),
  account_sends_burst: perCount
    .default(limits.account_sends_burst)
    .describe('Sends an idle account may make at once before the rate holds; at least as many as its rate a second.'),
  account_calls_per_second: perSecond
    .default(limits.account_calls_per_second)
    .describe(
      'Calls of one account and mode within a second, all operations together, at each process; likewise calls without a key from one address (of IPv6: one /64).',
    ),
  watches_per_account: perCount
    .default(limits.watches_per_account)
    .describe('Sessions that one account and mode watches at each process at once; then 429 `too_many_watches`.'),
  unauthenticated_connections_per_address: perCount
    .default(limits.unauthenticated_connections_per_address)
    .describe(
      'Connections of one address (of IPv6: one /64) at each port that have not yet carried a call with a good key; one more cuts the oldest of them that is idle. Those of `trusted_proxies` are not counted.',
    ),
  authentication_failures_per_minute: perCount
    .default(limits.authentication_failures_per_minute)
    .describe(
      'Refused keys and tokens of administrators from one address (of IPv6: one /64) within a minute; then calls whose key or token is not known to be good get 429 `too_many_failures` until the minute is over.',
    ),
  waiting_accounts: perCount
    .default(limits.waiting_accounts)
    .describe(
      'Accounts made by open registration that wait for approval at once; one more gets 429 `rate_limited`, and the log says so.',
    ),
  registrations_per_address_per_hour: perCount
    .default(limits.registrations_per_address_per_hour)
    .describe(
      'Calls of one address (of IPv6: one /64) at each process that create an account by open registration, within an hour. It is a bucket that begins full and refills evenly, so within the first hour up to twice as many go through; further ones get 429 `rate_limited`.',
    ),
  waiting_account_calls_per_hour: perCount
    .default(limits.waiting_account_calls_per_hour)
    .describe(
      'Calls within an hour of one account that waits for approval, by its test keys, at each process. It is a bucket that begins full and refills evenly, so within the first hour up to twice as many go through.',
    ),
  webhook_endpoints_per_host: perCount
    .default(limits.webhook_endpoints_per_host)
    .describe('Webhook endpoints of one account, both modes together, at one host, all its ports together.'),
  webhook_deliveries_per_host: perCount
    .default(limits.webhook_deliveries_per_host)
    .describe('Webhook requests under way to one host, over all accounts, ports and processes; further ones wait.'),
  webhook_deliveries_per_host_per_second: perSecond
    .default(limits.webhook_deliveries_per_host_per_second)
    .describe(
      'Webhook requests to one host within a second, over all accounts, ports and processes; further ones wait.',
    ),
  client: clientsSchema,
  rules: ruleModesSchema,
  budget: budgetSchema,
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
    .describe('Requests under way to one endpoint, over all processes: each has its share, at least one.'),
  disable_after_days: z
    .int()
    .min(1)
    .max(30)
    .default(webhooks.disable_after_days)
    .describe('Days in which every delivery to an endpoint fails, after which it is switched off.'),
});

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
    default: codeLengthValue.default(d.code_length.default).describe('Where a send asks for none.'),
  })
    .prefault({})
    .describe('Digits of a code.'),
  allow_short_codes: z
    .boolean()
    .default(d.allow_short_codes)
    .describe('true lets `code_length` go down to 4: one guess in 2,000 gets through five tries.'),
  allow_custom_code: z
    .boolean()
    .default(d.allow_custom_code)
    .describe(
      'true lets keys with the scope `custom_code` send codes of their own; the key ring needs a `custom_code` key, under which they are stored.',
    ),
  ttl_seconds: settings({
    min: ttlValue.default(d.ttl_seconds.min).describe('Shortest a client may ask for.'),
    max: ttlValue.default(d.ttl_seconds.max).describe('Longest a client may ask for; over 600 needs `allow_long_ttl`.'),
    default: ttlValue.default(d.ttl_seconds.default).describe('Where a send asks for none.'),
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
    .describe('Time between two sends of one session.'),
  minimum_remaining_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(d.minimum_remaining_seconds)
    .describe('With less life left than this, a second send opens a new session.'),
  in_doubt_seconds: z
    .int()
    .min(1)
    .max(60)
    .default(d.in_doubt_seconds)
    .describe(
      'How long a receipt is waited for once nobody knows whether the carrier has the message; then the next leg starts.',
    ),
  in_doubt_resend: z
    .boolean()
    .default(d.in_doubt_resend)
    .describe('Where no leg is left, an SMS or WhatsApp message in doubt goes out once more, once a run.'),
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
    min: timeoutValue.default(d.timeout_seconds.min).describe('Shortest that a leg may have.'),
    max: timeoutValue.default(d.timeout_seconds.max).describe('Longest that a leg may have.'),
  })
    .prefault({})
    .describe('Bounds of the `timeout_seconds` that a send, an account or `verify.cascade` gives a leg.'),
});
