// The settings of the voice call: what must be there, what is filled in, what is refused and warned of.
import { describe, expect, test } from 'vitest';
import { callTariff, config, errors, trunk, voice, warnings } from './sources.ts';

const one = (change: Record<string, unknown>) => voice({ trunks: [trunk(change)] });
const two = (change: Record<string, unknown>) => voice({ trunks: [trunk(), trunk({ name: 'second', ...change })] });

test('there are no voice settings unless they are configured', () => {
  expect(config({}).voice).toBeNull();
});

test('every default of the voice settings is filled in', () => {
  expect(config(voice()).voice).toEqual({
    requireKey: true,
    prompts: { ar: null, fr: null },
    media: { host: '0.0.0.0', ports: { from: 16_384, to: 17_383 }, advertise: null },
    trunks: [
      {
        name: 'main',
        address: 'sip.trunk.example',
        alsoFrom: [],
        transport: 'udp',
        tls: null,
        username: null,
        password: null,
        digest: 'any',
        domain: null,
        local: { host: '0.0.0.0', port: 0 },
        advertise: null,
        callerId: '+213210000000',
        assertedIdentity: null,
        numberFormat: 'plus',
        countryCode: null,
        prefixes: ['+213'],
        channels: 30,
        callsPerSecond: 5,
        ringSeconds: 28,
        optionsSeconds: 30,
        tariff: [
          {
            version: '1',
            validFrom: '2026-01-01T00:00:00+01:00',
            currency: 'DZD',
            amount: '6.00',
            per: 'minute',
            minimumSeconds: 0,
            charged: 'answer',
          },
        ],
      },
    ],
  });
});

test('the password of a trunk may come from a variable', () => {
  const loaded = config(one({ username: 'ramz', password: { env: 'SIP_PASSWORD' } }), { SIP_PASSWORD: 's3cret' });
  expect(loaded.voice?.trunks[0]?.password).toBe('s3cret');
});

test.each([['192.0.2.10:5060'], ['192.0.2.10'], ['sip.operator.example:5061'], ['pbx'], ['[2001:db8::1]:5060']])(
  'takes %s',
  (address) => {
    expect(errors(one({ address }))).toEqual([]);
  },
);

test.each([
  [{ name: 'Main' }, 'name: must be 1-32 of a-z, 0-9, _ and -, beginning with a letter'],
  [{ name: 'a+b' }, 'name: must be 1-32'],
  [{ address: 'sip:operator.example' }, 'address: must be a name or an address'],
  [{ address: '192.0.2.10:70000' }, 'address: must be a name or an address'],
  [{ address: '192.0.2.300' }, 'address: must be a name or an address'],
  [{ address: '2001:db8::1' }, 'address: must be a name or an address'],
  [{ transport: 'sctp' }, 'transport: must be one of "udp", "tcp", "tls"'],
  [{ caller_id: 'a@b' }, 'caller_id: must be a number'],
  [{ caller_id: '+2135\r\nX: y' }, 'caller_id: must be a number'],
  [{ asserted_identity: '<sip:a>' }, 'asserted_identity: must be a number'],
  [{ caller_id: undefined }, 'caller_id: is missing'],
  [{ prefixes: ['0555'] }, 'prefixes[0]: must be + and the first digits'],
  [{ prefixes: [] }, 'prefixes: must be at least 1 entries'],
  [{ channels: 0 }, 'channels: must be at least 1'],
  [{ channels: undefined }, 'channels: is missing'],
  [{ calls_per_second: 0 }, 'calls_per_second: must be more than 0'],
  [{ ring_seconds: 4 }, 'ring_seconds: must be at least 5'],
  [{ ring_seconds: 121 }, 'ring_seconds: must be at most 120'],
  [{ also_from: ['sip.example'] }, 'also_from[0]: must be an address or a network'],
  [{ advertise: 'sip.example' }, 'advertise: must be an IP address'],
  [{ local: { host: 'eth0' } }, 'local.host: must be an IP address'],
  [{ tariff: [] }, 'tariff: must have at least one tariff, or no cost is known'],
  [{ tariff: [callTariff({ per: 'hour' })] }, 'tariff[0].per: must be one of "second", "minute"'],
  [{ tariff: [callTariff(), callTariff()] }, 'tariff[1].version: "1" is used twice'],
  [{ username: 'ramz' }, 'password: is missing beside username'],
  [{ password: 'secret' }, 'username: is missing beside password'],
  [{ tls: {} }, 'tls: is only for transport "tls"'],
  [{ transport: 'tls', tls: { ca: '/run/secrets/ca.pem' } }, 'tls.ca: has no certificate in PEM'],
  [{ number_format: 'national' }, 'country_code: is missing beside number_format "national"'],
  [
    { number_format: 'national', country_code: '213', prefixes: ['+213', '+33'] },
    'prefixes[1]: "+33" is not in country 213',
  ],
])('refuses a trunk with %j', (change, message) => {
  expect(errors(one(change))[0]).toContain(`voice.trunks[0].${message}`);
});

test.each([
  [voice({ trunks: [] }), 'voice.trunks: must have at least one trunk'],
  [voice({ media: { advertise: 'example' } }), 'voice.media.advertise: must be an IP address'],
  [
    voice({ media: { ports: { from: 20_000, to: 19_000 } } }),
    'voice.media.ports.from: is greater than voice.media.ports.to',
  ],
  [voice({ require_keys: true }), 'voice.require_keys: is not a setting'],
  [two({ name: 'main' }), 'voice.trunks[1].name: "main" is the name of voice.trunks[0] too'],
])('refuses what does not fit together', (file, message) => {
  expect(errors(file)[0]).toContain(message);
});

test('two trunks may not share a local port, but both may take any free one', () => {
  const local = { port: 5060 };
  const both = voice({ trunks: [trunk({ local }), trunk({ name: 'second', local })] });
  expect(errors(both)).toEqual(['voice.trunks[1].local.port: 5060 is the port of voice.trunks[0] too']);
  expect(errors(two({}))).toEqual([]);
});

test('a range of media ports is refused where it has room for fewer calls than there are channels', () => {
  const range = (from: number, to: number) => voice({ media: { ports: { from, to } } });
  expect(errors(range(20_000, 20_059))).toEqual([]);
  // 20001-20060 has 60 ports, but only 29 pairs that begin with an even one.
  expect(errors(range(20_001, 20_060))).toEqual([
    'voice.media.ports: have room for 29 call(s), 2 ports each, but the trunks have 30 channels',
  ]);
});

describe('warnings', () => {
  test('are none for a plain trunk', () => {
    expect(warnings(voice())).toEqual([]);
    expect(warnings(one({ transport: 'tls' }))).toEqual([]);
  });

  test('name a certificate nobody looks at', () => {
    expect(warnings(one({ transport: 'tls', tls: { reject_unauthorized: false } }))).toEqual([
      'voice.trunks[0].tls.reject_unauthorized: false: any server that answers at this address can make and hear the calls',
    ]);
  });

  test('name a phone that would ring beyond its leg', () => {
    expect(warnings(one({ ring_seconds: 45 }))).toEqual([
      'voice.trunks[0].ring_seconds: is not less than the 45 s of the voice leg, whose end stops the ringing',
    ]);
  });
});
