import { describe, expect, it } from 'vitest';
import { bindOptions } from '../../../src/channels/sms/wire.ts';
import { Bind } from '../../../src/smpp/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { bind, callTariff, config, errors, operator, tariff, trunk, voice, warnings } from './sources.ts';

const beta = (change: Record<string, unknown> = {}) => operator({ id: 'beta', prefixes: ['+21366'], ...change });

describe('rules between settings', () => {
  it.each([
    [
      'two operators of one id',
      { operators: [operator(), beta({ id: 'alpha' })] },
      'operators[1].id: "alpha" is the id of operators[0] too',
    ],
    [
      'one prefix at two operators',
      { operators: [operator(), beta({ prefixes: ['+21366', '+21355'] })] },
      'operators[1].prefixes[1]: "+21355" is given at operators[0].prefixes[0] too',
    ],
    [
      'one prefix twice',
      { operators: [operator({ prefixes: ['+21355', '+21355'] })] },
      'operators[0].prefixes[1]: "+21355" is given at operators[0].prefixes[0] too',
    ],
    [
      'a password that no bind can be made with',
      { operators: [operator({ binds: [bind({ password: 'x'.repeat(65) })] })] },
      'operators[0].binds[0].password: is longer than 64 octets: no bind can be made with it',
    ],
    [
      'a name that SMPP can not write',
      { operators: [operator({ binds: [bind(), bind({ system_id: 'r\u0430mz' })] })] },
      'operators[0].binds[1].system_id: has a character that SMPP can not write (NUL, or outside ISO 8859-1)',
    ],
    [
      'a password with a NUL',
      { operators: [operator({ binds: [bind({ password: 'a\0b' })] })] },
      'operators[0].binds[0].password: has a character that SMPP can not write (NUL, or outside ISO 8859-1)',
    ],
    [
      'a service_type that SMPP can not write',
      { operators: [operator({ service_type: '\u2013' })] },
      'operators[0].service_type: has a character that SMPP can not write (NUL, or outside ISO 8859-1)',
    ],
    [
      'two tariffs of one version',
      { operators: [operator({ tariff: [tariff(), tariff({ valid_from: '2026-07-01T00:00:00Z' })] })] },
      'operators[0].tariff[1].version: "1" is used twice',
    ],
    [
      'two tariffs from one moment, however written',
      { operators: [operator({ tariff: [tariff(), tariff({ version: '2', valid_from: '2025-12-31T23:00:00Z' })] })] },
      'operators[0].tariff[1].valid_from: another tariff begins at the same moment',
    ],
    [
      'a short code',
      { verify: { code_length: { min: 4 } } },
      'verify.code_length.min: is under 6 without allow_short_codes',
    ],
    [
      'a long life',
      { verify: { ttl_seconds: { max: 900 } } },
      'verify.ttl_seconds.max: is over 600 without allow_long_ttl',
    ],
    [
      'a default out of bounds',
      { verify: { ttl_seconds: { max: 300 } } },
      'verify.ttl_seconds.default: must be from 60 to 300',
    ],
    [
      'bounds that cross',
      { verify: { code_length: { min: 8, max: 7 } } },
      'verify.code_length.min: is greater than code_length.max',
    ],
    [
      'a leg out of bounds',
      { verify: { cascade: [{ channel: 'sms', timeout_seconds: 2 }] } },
      'verify.cascade[0].timeout_seconds: must be from 5 to 900',
    ],
    [
      'a channel twice',
      { verify: { cascade: [1, 2].map(() => ({ channel: 'sms', timeout_seconds: 15 })) } },
      'verify.cascade[1].channel: sms is in the cascade twice',
    ],
    [
      'fewer sends a day than an hour',
      { limits: { sends_per_number_per_day: 5 } },
      'limits.sends_per_number_per_day: is less than limits.sends_per_number_per_hour',
    ],
    [
      'less for the whole platform than for one account',
      { limits: { platform_sends_per_number_per_hour: 9 } },
      'limits.platform_sends_per_number_per_hour: is less than limits.sends_per_number_per_hour',
    ],
    [
      'a lock by the row before the lock by the hour',
      { limits: { failures_per_number_in_row: 9 } },
      'limits.failures_per_number_in_row: is less than limits.failures_per_number_per_hour',
    ],
    [
      'a brand that could be taken for the code',
      { service: { brand: 'Taxi 4444' } },
      'service.brand: must be visible, without control characters or four digits in a row',
    ],
    [
      'a brand that is none',
      { service: { brand: ' ' } },
      'service.brand: must be visible, without control characters or four digits in a row',
    ],
    [
      'a brand that reads like a receipt in a text of one language',
      { service: { brand: 'My ID' } },
      `service.brand: has the text in fr say "ID :", which operators write in receipts, in front of the message's own words`,
    ],
    [
      'scenario numbers of no operator',
      { scenario_prefix: '+21377', operators: [operator()] },
      'scenario_prefix: belongs to no operator',
    ],
  ])('refuse %s', (_, file, message) => {
    expect(errors(file)).toEqual([message]);
  });

  it('let through what was asked for in so many words', () => {
    const verify = {
      code_length: { min: 4, default: 4 },
      allow_short_codes: true,
      ttl_seconds: { max: 900 },
      allow_long_ttl: true,
    };
    expect(config({ verify }).verify).toMatchObject({ codeLength: { min: 4, default: 4 }, ttlSeconds: { max: 900 } });
  });

  it('let through every brand of the greatest length that texts can name, in any alphabet', () => {
    const verify = { code_length: { max: 10 } };
    for (const brand of [
      'x'.repeat(20),
      'ش'.repeat(20),
      'Ω'.repeat(20),
      '😀'.repeat(10),
      'Taxi 444',
      'ID Shop',
      'shop.example',
    ])
      expect(errors({ verify, service: { brand } }), brand).toEqual([]);
  });

  it('let in only what a bind can be made with', () => {
    const written = { system_id: 'é'.repeat(15), system_type: 'é'.repeat(12), password: 'é'.repeat(64) };
    const parsed = config({ operators: [operator({ binds: [bind(written)] })] }).operators[0]!;
    const options = { ...bindOptions(parsed, parsed.binds[0]!), onDeliver: async () => ({ status: 0 }) };
    expect(() => new Bind(options)).not.toThrow();
  });

  it.each([
    ['/run/secrets/alpha_ca.pem', 'its path'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'a damaged one'],
    [selfSigned().key, 'a key'],
  ])('let in no authority that is none: no certificate would ever fit (%#: %s)', (ca) => {
    const file = (text: string) => ({ operators: [operator({ binds: [bind({ tls: { ca: text } })] })] });
    const message = 'operators[0].binds[0].tls.ca: has no certificate in PEM: {"file": "/path"} names the file of one';
    expect(errors(file(ca))).toEqual([message]);
    expect(errors(file(selfSigned().cert))).toEqual([]);
  });

  it('let one prefix lie inside another', () => {
    expect(errors({ operators: [operator({ prefixes: ['+2135'] }), beta({ prefixes: ['+21355'] })] })).toEqual([]);
  });
});

describe('warnings', () => {
  it('warns of an operator and a trunk none of whose rate cards has begun: what they send has no price, and no budget', () => {
    const later = { valid_from: '2999-01-01T00:00:00Z', version: '2' };
    const past = (file: object) => warnings(file).filter((line) => line.includes('none has begun'));
    expect(
      past({
        operators: [
          operator({ tariff: [tariff(later), tariff({ ...later, version: '3', valid_from: '2998-01-01T00:00:00Z' })] }),
        ],
      }),
    ).toEqual([
      'operators[0].tariff: none has begun: until 2998-01-01T00:00:00Z no cost is known, and no budget of money counts what is sent',
    ]);
    expect(past(voice({ trunks: [trunk({ tariff: [callTariff(later)] })] }))).toHaveLength(1);
    expect(past({ operators: [operator({ tariff: [tariff(), tariff(later)] })] })).toEqual([]);
  });

  it('are none for a plain configuration', () => {
    expect(warnings({ operators: [operator()] })).toEqual([]);
  });

  it('name a window beyond three times the rate of a bind, and only beyond', () => {
    const flow = (window: number) =>
      warnings({ operators: [operator({ window, rate_per_second: 8, binds: [bind({ count: 2 })] })] });
    expect(flow(12)).toEqual([]);
    expect(flow(13)).toEqual([
      'operators[0].window: 13 is more than three times the 4 a second that each of 2 bind(s) may send',
    ]);
  });

  it('name an account at an SMSC that two operators share', () => {
    const twice = operator({ binds: [bind(), bind()] });
    expect(
      warnings({ operators: [twice, beta({ binds: [bind({ system_id: 'other' }), bind({ port: 2776 })] })] }),
    ).toEqual([]);
    expect(
      warnings({ operators: [twice, beta({ binds: [bind({ port: 2776 }), bind({ host: 'SMSC.alpha.example' })] })] }),
    ).toEqual([
      'operators[1].binds[1].system_id: is the account of operators[0].binds[0] too: a receipt that the SMSC sends on a bind of the other operator finds no message',
    ]);
  });

  it('name a password the protocol has no room for, and a certificate nobody looks at', () => {
    const tls = { reject_unauthorized: false };
    expect(warnings({ operators: [operator({ binds: [bind({ password: 'nine char', tls })] })] })).toEqual([
      'operators[0].binds[0].password: is longer than the 8 octets SMPP v3.4 has room for; some SMSCs refuse or cut it',
      'operators[0].binds[0].tls.reject_unauthorized: false: any server that answers at this address can read the codes',
    ]);
  });

  it('name a network of all addresses that is to be a proxy', () => {
    expect(warnings({ trusted_proxies: ['10.0.0.0/8', '0.0.0.0/0', '::/0'] })).toEqual([
      expect.stringMatching(/^trusted_proxies\[1\]: is every address: any caller/),
      expect.stringMatching(/^trusted_proxies\[2\]: is every address/),
    ]);
  });

  it('name a retention that ends before the attempts of a webhook', () => {
    const kept = (retention_days: number) => warnings({ service: { retention_days } });
    expect(kept(4)).toEqual([]);
    expect(kept(3)).toEqual([
      'service.retention_days: is under 4: webhooks are tried for 76 to 83 hours, and what still waits may be deleted before',
    ]);
  });

  it('name private webhook targets outside the sandbox', () => {
    const webhooks = { allow_private_targets: true };
    expect(warnings({ webhooks })).toHaveLength(1);
    expect(warnings({ webhooks, sandbox: true })).toEqual([]);
  });
});
