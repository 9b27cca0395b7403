// The settings of one bind: how to reach and enter an operator's SMSC (SMPP v3.4 section 4.1), and how it writes receipts.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { type SecretSchema, settings } from './fields.ts';

const d = defaults.bind;

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
      .default(d.tls.reject_unauthorized)
      .describe('false accepts any certificate: encrypted, but any server that answers can read the codes.'),
  });

  return settings({
    host: z.string().min(1).describe('Name or address of the SMSC.'),
    port: z.int().min(1).max(65_535).default(d.port).describe('TCP port of the SMSC.'),
    system_id: z.string().min(1).max(15).describe('User name the operator gave; at most 15 octets (SMPP v3.4).'),
    password: secret.describe(
      'Password the operator gave. SMPP v3.4 has room for 8 octets; longer ones get a warning.',
    ),
    system_type: z.string().max(12).default(d.system_type).describe('Only where the operator names one.'),
    type: z
      .enum(['transceiver', 'transmitter_receiver'])
      .default(d.type)
      .describe('One connection both ways, or a pair: a transmitter to submit and a receiver for receipts.'),
    count: z
      .int()
      .min(1)
      .max(32)
      .default(d.count)
      .describe('Binds of this kind over all processes together; a transmitter-receiver pair counts as one.'),
    tls: tls.nullable().default(null).describe('null = plain TCP. `{}` = TLS with the certificate verified.'),
  });
}

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
