// The settings of one mobile operator: routing, flow, message form, receipts, price, and its binds (SMPP v3.4 section 4.1). They are
// one schema, because a bind has no meaning without its operator.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { costTlvSchema, type SecretSchema, senderIdSchema, settings, tariffSchema } from './fields.ts';
import { receiptSchema } from './receipt-form.ts';

const d = defaults.operator;

const addressSchema = settings({
  source_ton: z
    .int()
    .min(0)
    .max(6)
    .default(d.address.source_ton)
    .describe('Type of number of the sender: 5 = alphanumeric.'),
  source_npi: z
    .int()
    .min(0)
    .max(18)
    .default(d.address.source_npi)
    .describe('Numbering plan of the sender: 0 = unknown.'),
  dest_ton: z
    .int()
    .min(0)
    .max(6)
    .default(d.address.dest_ton)
    .describe('Type of number of the recipient: 1 = international.'),
  dest_npi: z.int().min(0).max(18).default(d.address.dest_npi).describe('Numbering plan of the recipient: 1 = E.164.'),
});

const dataCodingSchema = settings({
  gsm: z.int().min(0).max(255).default(d.data_coding.gsm).describe('data_coding of a text in the default alphabet.'),
  ucs2: z.int().min(0).max(255).default(d.data_coding.ucs2).describe('data_coding of a text in UTF-16BE (Arabic).'),
});

const messageIdSchema = settings({
  rule: z
    .enum(['same', 'answer_hex_receipt_decimal', 'answer_decimal_receipt_hex'])
    .default(d.message_id.rule)
    .describe('How the id in a receipt is written, against the id in the answer to submit_sm.'),
  strip_leading_zeros: z
    .boolean()
    .default(d.message_id.strip_leading_zeros)
    .describe('true where one of the two is padded with zeros.'),
  case_insensitive: z
    .boolean()
    .default(d.message_id.case_insensitive)
    .describe('true where the two differ in upper and lower case.'),
});

const validityFormat = z.enum(['relative', 'absolute', 'none']);

const validitySchema = settings({
  format: validityFormat
    .default(d.validity.format)
    .describe('How validity_period is written (SMPP v3.4 section 7.1.1); `none` sends it empty: the SMSC decides.'),
  granularity_seconds: z
    .int()
    .min(1)
    .max(3600)
    .default(d.validity.granularity_seconds)
    .describe("The session's remaining life is rounded down to a multiple of this, but never below one."),
  fallback: validityFormat
    .default(d.validity.fallback)
    .describe('Form of the one further try after command_status 0x62; the same as `format` = no further try.'),
});

const pauseSeconds = z.number().min(0.1).max(3600);

const reconnectSchema = settings({
  min_seconds: pauseSeconds
    .default(d.reconnect.min_seconds)
    .describe('After a lost connection or a failed try: anywhere up to this, twice as long after each failure.'),
  max_seconds: pauseSeconds.default(d.reconnect.max_seconds).describe('The longest of these pauses.'),
  already_bound_seconds: pauseSeconds
    .default(d.reconnect.already_bound_seconds)
    .describe('After 0x05: the SMSC still holds the old bind. Doubles up to 30.'),
  bind_failed_seconds: pauseSeconds
    .default(d.reconnect.bind_failed_seconds)
    .describe('After 0x0D, which SMSCs say while they restart. Doubles up to `max_seconds`.'),
  credentials_seconds: pauseSeconds
    .default(d.reconnect.credentials_seconds)
    .describe('After 0x0E and 0x0F: more tries may lock the account.'),
});

const moment = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with its zone, e.g. "2026-01-01T02:00:00+01:00"',
});

const maintenanceSchema = settings({
  from: moment.describe('Its beginning, with its zone.'),
  to: moment.describe('Its end, which is outside it.'),
});

export function operatorSchema(secret: SecretSchema) {
  return settings({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1-32 of a-z, 0-9, _ and -, beginning with a letter')
      .describe('Short name in receipts, metrics and logs. Do not change it later: stored messages refer to it.'),
    name: z.string().min(1).max(64).describe('Name for people.'),
    enabled: z
      .boolean()
      .default(d.enabled)
      .describe('false: not bound to, and its leg is skipped as `operator_maintenance`; the rest of the cascade runs.'),
    maintenance: z
      .array(maintenanceSchema)
      .default([])
      .describe('Times in which its leg is skipped as `operator_maintenance`; its binds stay, and receipts are taken.'),
    down_after_seconds: z
      .number()
      .min(0)
      .max(3600)
      .default(d.down_after_seconds)
      .describe('After so long without a bind in any process its leg is skipped as `operator_down`.'),
    prefixes: z
      .array(z.string().regex(/^\+[1-9]\d{0,14}$/, 'must be + and the first digits of the number, e.g. "+21355"'))
      .min(1)
      .describe('Numbers that begin so go to this operator; the longest prefix of all operators wins.'),
    binds: z.array(bindSchema(secret)).min(1).describe('Connections to the SMSC.'),
    window: z
      .int()
      .min(1)
      .max(1000)
      .default(d.window)
      .describe('submit_sm without an answer yet, at most, on one bind.'),
    rate_per_second: z
      .number()
      .positive()
      .max(10_000)
      .describe('submit_sm a second, at most, over all binds and all processes together.'),
    response_timeout_ms: z
      .int()
      .min(1000)
      .max(120_000)
      .default(d.response_timeout_ms)
      .describe(
        'How long an answer is waited for; a message whose submit_sm had none is `unknown` (`verify.in_doubt_seconds`).',
      ),
    enquire_link_idle_seconds: z
      .int()
      .min(5)
      .max(600)
      .default(d.enquire_link_idle_seconds)
      .describe('Silence after which enquire_link asks whether the other side is there.'),
    enquire_link_misses: z
      .int()
      .min(1)
      .max(10)
      .default(d.enquire_link_misses)
      .describe('Unanswered enquire_link in a row after which the connection is dropped and made again.'),
    submit_misses: z
      .int()
      .min(1)
      .max(100)
      .default(d.submit_misses)
      .describe('Unanswered submit_sm in a row on one bind after which it is made again and counts as sick.'),
    reconnect: reconnectSchema
      .prefault({})
      .describe('Pauses before a bind is tried again. A reload (SIGHUP) ends them.'),
    service_type: z
      .string()
      .max(5)
      .default(d.service_type)
      .describe('service_type of submit_sm, where one is asked for.'),
    registered_delivery: z
      .literal([1, 17])
      .default(d.registered_delivery)
      .describe('1 = receipt for every final outcome; 17 = intermediate notifications too.'),
    default_sender_id: senderIdSchema
      .nullable()
      .default(null)
      .describe('Sender name where the account has none approved here; null = `service.default_sender_id`.'),
    address: addressSchema.prefault({}).describe('TON and NPI of both addresses (SMPP v3.4 sections 5.2.5, 5.2.6).'),
    default_alphabet: z
      .enum(['gsm7', 'latin1'])
      .default(d.default_alphabet)
      .describe('How the SMSC reads octets under `data_coding.gsm`: GSM 7-bit, one per octet, or ISO 8859-1.'),
    data_coding: dataCodingSchema.prefault({}).describe('data_coding values (SMPP v3.4 section 5.2.19).'),
    message_id: messageIdSchema.prefault({}).describe('How receipts name the message they are about.'),
    time_zone: z
      .string()
      .refine(isTimeZone, 'is not an IANA time zone, e.g. "Africa/Algiers"')
      .describe('IANA zone of those dates in receipts that carry none.'),
    receipt: receiptSchema.prefault({}).describe('How this operator writes receipts.'),
    error_codes: z
      .record(z.string().regex(/^[0-9A-Za-z]{1,8}$/), z.string().min(1).max(100))
      .default({})
      .describe(
        'What `err` of a receipt means, in words for people: it stands beside it in the timeline. To decide, use `receipt.meanings`.',
      ),
    validity: validitySchema.prefault({}).describe('How long the SMSC may go on trying.'),
    tariff: z
      .array(tariffSchema)
      .min(1, 'must have at least one tariff, or no cost is known')
      .describe('Rate cards, in any order; a new price is a new entry, never a changed one.'),
    cost_tlv: costTlvSchema
      .nullable()
      .default(null)
      .describe('TLV of the receipt in which the operator says the cost; it wins over the tariff.'),
  });
}

const bind = defaults.bind;

export function bindSchema(secret: SecretSchema) {
  const tls = settings({
    ca: secret
      .nullable()
      .default(null)
      .describe('PEM text of the authority that signed the SMSC certificate; null = the authorities Node trusts.'),
    servername: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('Name the certificate must carry, where it is not `host`.'),
    reject_unauthorized: z
      .boolean()
      .default(bind.tls.reject_unauthorized)
      .describe('false accepts any certificate: encrypted, but any server that answers can read the codes.'),
  });

  return settings({
    host: z.string().min(1).describe('Name or address of the SMSC.'),
    port: z.int().min(1).max(65_535).default(bind.port).describe('TCP port of the SMSC.'),
    system_id: z.string().min(1).max(15).describe('User name the operator gave; at most 15 octets (SMPP v3.4).'),
    password: secret.describe(
      'Password the operator gave. SMPP v3.4 has room for 8 octets; longer ones get a warning.',
    ),
    system_type: z.string().max(12).default(bind.system_type).describe('Only where the operator names one.'),
    type: z
      .enum(['transceiver', 'transmitter_receiver'])
      .default(bind.type)
      .describe('One connection both ways, or a pair: a transmitter to submit and a receiver for receipts.'),
    count: z
      .int()
      .min(1)
      .max(32)
      .default(bind.count)
      .describe('Binds of this kind over all processes together; a transmitter-receiver pair counts as one.'),
    tls: tls.nullable().default(null).describe('null = plain TCP. `{}` = TLS with the certificate verified.'),
  });
}

/** True for an IANA zone name; an offset such as +01:00 has no rules for summer time and is refused. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
