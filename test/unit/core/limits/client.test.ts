import { randomBytes } from 'node:crypto';
import { assert, ipV4, ipV6, property, string } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clientHash, formerClientHashes, readClient } from '../../../../src/core/limits/client.ts';
import { type ClientLimits, clientCounts, clientLimited } from '../../../../src/core/limits/client-limits.ts';
import { newKey, newKeyRing, parseKeyRing } from '../../../../src/core/secrets/key-ring.ts';

const none = { ip: '', userAgent: '', deviceId: '' };
const read = (client: Partial<typeof none>) => readClient({ ...none, ...client });

describe('readClient', () => {
  it('leaves out what is not given', () => expect(read({})).toEqual({ kind: 'ok', client: {} }));

  it('counts an IPv6 address by its /64, and an address however it is written', () => {
    const ip = (text: string) => {
      const outcome = read({ ip: text });
      return outcome.kind === 'ok' ? outcome.client.ip : outcome;
    };
    expect(ip('2001:db8:1:2::1')).toBe(ip('2001:DB8:1:2:ffff::'));
    expect(ip('2001:db8:1:2::1')).not.toBe(ip('2001:db8:1:3::1'));
    expect(ip('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(ip('64:ff9b::203.0.113.7')).toBe('203.0.113.7');
  });

  it('does not count an address that many share', () => {
    for (const ip of ['10.0.0.1', '64:ff9b::10.0.0.1'])
      expect(read({ ip, deviceId: 'd' })).toEqual({ kind: 'ok', client: { deviceId: 'd' } });
  });

  test.each(['1.2.3', '203.0.113.7:443', '203.0.113.0/24', 'unknown', '203.0.113.7, 10.0.0.1'])(
    'refuses the address %j',
    (ip) => {
      expect(read({ ip })).toMatchObject({ kind: 'refused', code: 'invalid_argument', field: 'client.ip' });
      // The message must not repeat it: it is logged.
      expect(JSON.stringify(read({ ip }))).not.toContain(ip);
    },
  );

  it('takes every address', () => {
    assert(
      property(ipV4(), (ip) => {
        expect(read({ ip }).kind).toBe('ok');
      }),
    );
    assert(
      property(ipV6(), (ip) => {
        expect(read({ ip }).kind).toBe('ok');
      }),
    );
  });
});

describe('clientHash', () => {
  const json = newKeyRing((size) => randomBytes(size));
  const ringOf = (text: string) => {
    const parsed = parseKeyRing(text);
    if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
    return parsed.ring;
  };
  const ring = ringOf(json);

  it('depends on the account, the signal, the value and the key, and on nothing else', () => {
    const hash = clientHash(ring, 'acct_1', 'ip', '203.0.113.7');
    expect(hash).toBe(clientHash(ring, 'acct_1', 'ip', '203.0.113.7'));
    expect(hash).toMatch(/^[\w-]{22}$/);
    const others = [
      clientHash(ring, 'acct_2', 'ip', '203.0.113.7'),
      clientHash(ring, 'acct_1', 'device_id', '203.0.113.7'),
      clientHash(ring, 'acct_1', 'ip', '203.0.113.8'),
      clientHash(ringOf(newKeyRing((size) => randomBytes(size))), 'acct_1', 'ip', '203.0.113.7'),
    ];
    expect(new Set([hash, ...others]).size).toBe(5);
    assert(
      property(string(), string(), (one, other) => {
        expect(clientHash(ring, 'a', 'ip', one) === clientHash(ring, 'a', 'ip', other)).toBe(one === other);
      }),
    );
  });

  it('is made with a ring that has no key for it, too, and is not the one that the key would make', () => {
    const { signals: _, ...older } = JSON.parse(json);
    const hash = clientHash(ringOf(JSON.stringify(older)), 'acct_1', 'ip', '203.0.113.7');
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(hash).not.toBe(clientHash(ring, 'acct_1', 'ip', '203.0.113.7'));
  });
});

it('after a rotation the hash of before is known while the ring has the old key, and one that is to come is no former one', () => {
  const bytes = (seed: number) => (size: number) => new Uint8Array(size).fill(seed);
  const first = JSON.parse(newKeyRing(bytes(1)));
  const who = ['acct_1', 'ip', '203.0.113.7'] as const;
  for (const [purpose, others] of [
    ['signals', first],
    ['code', { ...first, signals: undefined }],
  ] as const) {
    const { current, keys } = first[purpose];
    const { id, text } = newKey(purpose, bytes(2));
    const both = { ...keys, [id]: text };
    const stages = [first[purpose], { current, next: id, keys: both }, { current: id, keys: both }];
    const [before, announced, rotated] = stages.map((section) => {
      const parsed = parseKeyRing(JSON.stringify({ ...others, [purpose]: section }));
      if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
      return { hash: clientHash(parsed.ring, ...who), former: formerClientHashes(parsed.ring, ...who) };
    });
    expect(before?.former).toEqual([]);
    expect(announced).toEqual(before);
    expect(rotated?.hash).not.toBe(before?.hash);
    expect(rotated?.former).toEqual([before?.hash]);
  }
});

describe('clientCounts', () => {
  const limits: ClientLimits = {
    ip: { sendsPerHour: 200, sendsPerDay: 1000 },
    device: { sendsPerHour: 10, sendsPerDay: null },
    userAgent: { sendsPerHour: null, sendsPerDay: 5 },
  };
  const own = { ip: {}, device: {}, userAgent: {} };

  it('counts each signal by hour and day, a user agent at its address only', () => {
    const counted = clientCounts({ ip: '203.0.113.7', deviceId: 'd', userAgent: 'u' }, limits, own);
    expect(counted.map(({ signal, periodMs, most }) => [signal, periodMs, most])).toEqual([
      ['ip', 3_600_000, 200],
      ['ip', 86_400_000, 1000],
      ['device_id', 3_600_000, 10],
      ['user_agent', 86_400_000, 5],
    ]);
    expect(counted.at(-1)?.value).toContain('203.0.113.7');
    expect(clientCounts({ userAgent: 'u' }, limits, own)).toEqual([]);
    expect(clientCounts({}, limits, own)).toEqual([]);
  });

  it("takes a limit of the account in place of the platform's", () => {
    const mine = { ...own, ip: { sendsPerHour: 7 } };
    expect(clientCounts({ ip: '203.0.113.7' }, limits, mine).map(({ most }) => most)).toEqual([7, 1000]);
  });

  it('names the field that was counted', () => {
    const [first] = clientCounts({ deviceId: 'd' }, limits, own);
    expect(first && clientLimited(first)).toEqual({
      rule: 'client_limit',
      reason: 'device_id',
      field: 'client.device_id',
    });
  });
});
