// The voice call: what it says, the ports of its media, and the SIP trunks it goes out by. docs/voice.md has a trunk in ten lines.

import { isIP } from 'node:net';
import { z } from 'zod';
import { defaults } from './defaults.ts';
import { networkSchema, rateCard, type SecretSchema, settings } from './fields.ts';

const d = defaults.voice;

const port = z.int().min(1).max(65_535);
const address = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address, e.g. "192.0.2.1"');
const host = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, 'must be a name or an address without a port');
/** What may stand in the user part of a SIP URI unescaped, and is a number or a short name. */
const callerId = z
  .string()
  .regex(/^\+?[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, 'must be a number as the trunk writes it, e.g. "+213210000000"');

const mediaSchema = settings({
  host: address.default(d.media.host).describe('Address that the RTP sockets are bound to.'),
  ports: settings({
    from: port.default(d.media.ports.from).describe('The first.'),
    to: port.default(d.media.ports.to).describe('The last.'),
  })
    .prefault({})
    .describe('UDP ports of the media, two for each call (RTP, RTCP): open them in the firewall, both ways.'),
  advertise: address
    .nullable()
    .default(null)
    .describe(
      "Address in our SDP, e.g. that of a NAT; null = the trunk's `advertise`, otherwise `host` where that is one address, otherwise the address that the trunk is reached from.",
    ),
});

const promptsSchema = settings({
  ar: z.string().min(1).nullable().default(null).describe('For calls in Arabic; null = the bank that comes with Ramz.'),
  fr: z.string().min(1).nullable().default(null).describe('For calls in French; null = the bank that comes with Ramz.'),
});

/** The price of a call. A call is charged by time, so a rate card of messages would not say enough. */
const callTariffSchema = settings({
  ...rateCard('unit'),
  per: z
    .enum(['second', 'minute'])
    .describe('The unit with `charged` = `answer`; one that has begun counts whole. Otherwise a call is one unit.'),
  minimum_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(d.tariff.minimum_seconds)
    .describe('An answered call costs at least as much as one of this length.'),
  charged: z
    .enum(['answer', 'submit', 'delivery'])
    .default(d.tariff.charged)
    .describe(
      'Which calls cost: every answered one, by its length (a voicemail box too); every one that was taken; or only one whose code was heard.',
    ),
});

export function voiceSchema(secret: SecretSchema) {
  return settings({
    require_key: z
      .boolean()
      .default(d.require_key)
      .describe('true speaks the code only after a key was pressed; false speaks it to voicemail boxes, too.'),
    prompts: promptsSchema
      .prefault({})
      .describe('Folders with your own recordings, as `ramz prompts import` makes them.'),
    media: mediaSchema.prefault({}).describe('The sound of the calls (RTP).'),
    trunks: z
      .array(trunkSchema(secret))
      .min(1, 'must have at least one trunk')
      .describe('Ways into the telephone network, in the order they are tried where prefixes are of one length.'),
  });
}

export function trunkSchema(secret: SecretSchema) {
  const tls = settings({
    ca: secret
      .nullable()
      .default(null)
      .describe("PEM text of the authority that signed the trunk's certificate; null = the authorities Node trusts."),
    servername: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('Name the certificate must carry, where it is not the host of `address`.'),
    reject_unauthorized: z
      .boolean()
      .default(d.trunk.tls.reject_unauthorized)
      .describe('false accepts any certificate: encrypted, but any server that answers can make and hear the calls.'),
  });

  return settings({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1-32 of a-z, 0-9, _ and -, beginning with a letter')
      .describe('Short name in reports, metrics and logs. Do not change it later: stored messages refer to it.'),
    address: z
      .string()
      .refine(
        isTrunkAddress,
        'must be a name or an address, with or without a port, e.g. "sip.operator.example" or "192.0.2.10:5060"',
      )
      .describe('The SIP server. A name without a port is looked up as SRV, then as A (RFC 3263).'),
    also_from: z
      .array(networkSchema)
      .default([])
      .describe(
        'Other addresses and networks (CIDR) that the trunk sends from; what comes from elsewhere is dropped. Needed where answers or hang-ups come from others than it is called at.',
      ),
    transport: z.enum(['udp', 'tcp', 'tls']).default(d.trunk.transport).describe('What SIP travels over.'),
    tls: tls
      .nullable()
      .default(null)
      .describe('Only with transport `tls`; null there = the certificate is verified against `address`.'),
    username: z
      .string()
      .min(1)
      .max(128)
      .nullable()
      .default(null)
      .describe('For digest; null = the trunk asks for none.'),
    password: secret.nullable().default(null).describe('For digest (RFC 8760).'),
    digest: z
      .enum(['any', 'sha-256'])
      .default(d.trunk.digest)
      .describe(
        '`any` answers with SHA-256 where the trunk offers it, otherwise with MD5. `sha-256` never answers with MD5: a trunk that offers nothing else takes no call.',
      ),
    domain: host
      .nullable()
      .default(null)
      .describe('Host in the request URI, From and To; null = the host of `address`.'),
    local: settings({
      host: address.default(d.trunk.local.host).describe('Address that the signalling is bound to.'),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(d.trunk.local.port)
        .describe('UDP port of it; 0 = any, which is enough unless the trunk insists on one.'),
    })
      .prefault({})
      .describe('Our own side of the signalling.'),
    advertise: address
      .nullable()
      .default(null)
      .describe('Our address in Via and Contact, where it is not the one that the trunk is reached from.'),
    caller_id: callerId.describe('The number shown, as the trunk writes it: it must be one that is yours to show.'),
    asserted_identity: callerId
      .nullable()
      .default(null)
      .describe('Number in P-Asserted-Identity (RFC 3325); null = the header is not sent.'),
    number_format: z
      .enum(['plus', 'double_zero', 'national', 'digits'])
      .default(d.trunk.number_format)
      .describe('How the trunk takes numbers: `+213…`, `00213…`, `0…` (needs `country_code`) or `213…`.'),
    country_code: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, 'must be the digits of a country code, e.g. "213"')
      .nullable()
      .default(null)
      .describe('Country code that `national` leaves out.'),
    prefixes: z
      .array(z.string().regex(/^\+[1-9]\d{0,14}$/, 'must be + and the first digits of the number, e.g. "+213"'))
      .min(1)
      .describe(
        'Numbers that begin so may go out by this trunk. Of several trunks the one with the longest prefix is tried first.',
      ),
    channels: z.int().min(1).max(10_000).describe('Calls at once, at most, over all processes together; an E1 has 30.'),
    calls_per_second: z
      .number()
      .positive()
      .max(1000)
      .describe('Calls begun a second, at most, over all processes together.'),
    ring_seconds: z
      .int()
      .min(5)
      .max(120)
      .default(d.trunk.ring_seconds)
      .describe('How long a phone rings; then the call is given up as `no_answer`.'),
    options_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(d.trunk.options_seconds)
      .describe('Between two OPTIONS that ask whether the trunk is there; 0 = it is never asked.'),
    tariff: z
      .array(callTariffSchema)
      .min(1, 'must have at least one tariff, or no cost is known')
      .describe('Rate cards, in any order; a new price is a new entry, never a changed one.'),
  });
}

function isTrunkAddress(text: string): boolean {
  const [, inBrackets, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65_535)) return false;
  if (inBrackets !== undefined) return isIP(inBrackets) === 6;
  // A name that ends in a number is a mistyped address.
  if (/(^|\.)\d+$/.test(plain)) return isIP(plain) === 4;
  return plain.length <= 253 && /^(?:\w(?:[\w-]{0,61}\w)?\.)*\w(?:[\w-]{0,61}\w)?$/.test(plain);
}
