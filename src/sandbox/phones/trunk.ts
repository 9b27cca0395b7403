// The trunk as others see it: the numbers it takes, in any of the forms that real trunks are dialed in, and the `voice` section of a
// configuration file that fits.

import type { Credentials } from './digest.ts';

const countryCode = '213';
/** The trunk's own number, as a caller id that its operator gave out. */
const callerId = '+21321000000';

/** The request URI's user as E.164: from `+213…`, `00213…`, `0…` or `213…`, as a sip or tel URI. Null = no number. */
export function dialedNumber(uri: string): string | null {
  const user = /^(?:sips?|tel):([^@;?]+)/i.exec(uri)?.[1]?.replace(/%2B/i, '+') ?? '';
  const dialed = user.replace(/[-.()]/g, '');
  if (/^\+[1-9]\d{6,14}$/.test(dialed)) return dialed;
  if (/^00[1-9]\d{6,14}$/.test(dialed)) return `+${dialed.slice(2)}`;
  if (/^0[1-9]\d{6,9}$/.test(dialed)) return `+${countryCode}${dialed.slice(1)}`;
  return /^[1-9]\d{9,14}$/.test(dialed) ? `+${dialed}` : null;
}

/** The user of a From URI, a number in international format where it is one. */
export function callerOf(uri: string): string {
  return dialedNumber(uri) ?? /^\w+:([^@;?]+)@/.exec(uri)?.[1] ?? 'anonymous';
}

export interface TrunkAt {
  host: string;
  port: number;
  credentials: Credentials | null;
  /** Prefixes of the numbers that are called over the trunk. */
  prefixes: readonly string[];
}

/** The `voice` of a configuration file (RAMZ_CONFIG): plain JSON. Room is wide, so that load can be tried. */
export function sandboxVoice({ host, port, credentials, prefixes }: TrunkAt): Record<string, unknown> {
  const login = credentials ? { username: credentials.username, password: credentials.password } : {};
  return {
    media: { host },
    trunks: [
      {
        name: 'sandbox',
        address: `${host}:${port}`,
        transport: 'udp',
        ...login,
        local: { host },
        caller_id: callerId,
        asserted_identity: callerId,
        number_format: 'plus',
        prefixes: [...prefixes],
        channels: 400,
        calls_per_second: 100,
        tariff: [
          {
            version: 'sandbox-1',
            valid_from: '2020-01-01T00:00:00+01:00',
            currency: 'DZD',
            amount: '0.15',
            per: 'second',
            charged: 'answer',
          },
        ],
      },
    ],
  };
}
