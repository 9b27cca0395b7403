import { isIP } from 'node:net';
import { array, assert, constantFrom, integer, ipV4, ipV6, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  callerOf,
  contains,
  isInside,
  isShared,
  type Network,
  parseAddress,
  parseNetwork,
} from '../../../../src/core/limits/addresses.ts';

const network = (text: string): Network => {
  const parsed = parseNetwork(text);
  if (!parsed) throw new Error(`${text} is no network`);
  return parsed;
};
const inside = (net: string, text: string): boolean => {
  const address = parseAddress(text);
  return address !== null && isInside(network(net), address);
};

describe('parseAddress', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b:1::203.0.113.7', '64:ff9b:1::cb00:7107'],
  ])('reads %s', (text, plain) => expect(parseAddress(text)?.toString()).toBe(plain));

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '0x7f.1',
    '2130706433',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3.4:80',
  ])('refuses %j', (text) => expect(parseAddress(text)).toBeNull());
  test.each([
    'fe80::1%eth0',
    '[::1]',
    ':::1',
    '1::2::3',
    '12345::',
    '::ffff:1.2.3.4.5',
    '1.2.3.4/32',
    'localhost',
    '١.٢.٣.٤',
  ])('refuses %j', (text) => expect(parseAddress(text)).toBeNull());

  it('takes what Node takes for an address, without a zone', () => {
    const part = constantFrom('1', '255', '256', '01', '0x1', '', 'ffff', '12345', ':', '::', '.', '/', '%e', ' ');
    const anyText = oneof(
      ipV4(),
      ipV6(),
      string(),
      array(part, { maxLength: 16 }).map((parts) => parts.join('')),
    );
    const joined = tuple(ipV6(), constantFrom('', '.', ':', '1', '.1.2.3', ':1.2.3.4', ':1.2.3.04')).map((parts) =>
      parts.join(''),
    );
    assert(
      property(oneof(anyText, joined), (text) => {
        expect(parseAddress(text) !== null).toBe(isIP(text) !== 0 && !text.includes('%'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads every address in its own form again', () => {
    assert(
      property(ipV4(), (text) => {
        expect(parseAddress(text)?.toString()).toBe(text);
      }),
    );
    assert(
      property(ipV6(), (text) => {
        expect(parseAddress(parseAddress(text)?.toString() ?? '')).toEqual(parseAddress(text));
      }),
    );
  });
});

describe('networks', () => {
  it('are matched by their leading bits, and by their kind', () => {
    expect(inside('10.0.0.0/8', '10.255.0.1')).toBe(true);
    expect(inside('10.0.0.0/8', '11.0.0.1')).toBe(false);
    expect(inside('10.0.0.0/8', '::ffff:10.0.0.1')).toBe(true);
    expect(inside('10.0.0.1', '10.0.0.1')).toBe(true);
    expect(inside('::ffff:10.0.0.1', '10.0.0.1')).toBe(true);
    expect(inside('::ffff:10.0.0.0/104', '::ffff:10.255.0.1')).toBe(true);
    expect(inside('::ffff:10.0.0.0/104', '11.0.0.1')).toBe(false);
    expect(contains(network('10.0.0.0/8'), network('::ffff:10.1.0.0/112'))).toBe(true);
    expect(inside('203.0.113.0/24', '64:ff9b::203.0.113.7')).toBe(true);
    expect(inside('64:ff9b::203.0.113.0/120', '203.0.113.7')).toBe(true);
    expect(inside('64:ff9b::203.0.113.0/120', '64:ff9b::203.0.114.7')).toBe(false);
    expect(inside('::/0', '10.0.0.1')).toBe(false);
    expect(inside('0.0.0.0/0', '2001:db8::1')).toBe(false);
    expect(inside('2001:db8::/32', '2001:db8:1::1')).toBe(true);
    expect(inside('2001:db8::1', '2001:db8::2')).toBe(false);
  });

  test.each([
    '',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/08x',
    '10.0/8',
    '::/129',
    'fe80::%1/64',
  ])('refuses %j', (text) => expect(parseNetwork(text)).toBeNull());

  it('contain exactly those whose every address they have', () => {
    const anyNetwork = tuple(ipV4(), integer({ min: 0, max: 32 })).map(([text, bits]) => network(`${text}/${bits}`));
    assert(
      property(anyNetwork, integer({ min: 0, max: 32 }), ipV4(), (outer, bits, text) => {
        const inner = network(`${text}/${bits}`);
        if (contains(outer, inner)) expect(inner.bits).toBeGreaterThanOrEqual(outer.bits);
        expect(contains(outer, inner)).toBe(inner.bits >= outer.bits && isInside(outer, inner.address));
        expect(contains(inner, inner)).toBe(true);
      }),
    );
  });
});

test('a subscriber is an IPv4 address or a /64', () => {
  assert(
    property(ipV4(), (text) => {
      expect(callerOf(text)).toBe(text);
    }),
  );
  expect(callerOf('2001:db8:1:2:3:4:5:6')).toBe(callerOf('2001:db8:1:2::9'));
  expect(callerOf('64:ff9b::cb00:7107')).toBe('203.0.113.7');
  expect(callerOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(callerOf('2001:db8:1:3::')).not.toBe(callerOf('2001:db8:1:2::'));
});

test.each([
  '10.1.2.3',
  '192.168.0.1',
  '172.16.0.1',
  '127.0.0.1',
  '169.254.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
])('%s is nobody on the internet', (text) =>
  expect(isShared(parseAddress(text) as NonNullable<ReturnType<typeof parseAddress>>)).toBe(true),
);
test.each(['203.0.113.7', '8.8.8.8', '172.32.0.1', '2001:db8::1', '2606:4700::1111'])(
  '%s may be a subscriber',
  (text) => expect(isShared(parseAddress(text) as NonNullable<ReturnType<typeof parseAddress>>)).toBe(false),
);
