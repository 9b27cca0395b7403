// Whose address a call has: proxies are believed as far as they are trusted, and no further.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddresses, plainAddress } from '../../../../src/api/clients/address.ts';
import { callerOf } from '../../../../src/core/limits/addresses.ts';

const addresses = clientAddresses(() => ['10.0.0.0/8', '127.0.0.1', '2001:db8:1::/48']);

describe('the address of a call', () => {
  test.each([
    ['nobody is in between', '192.0.2.1', undefined, '192.0.2.1'],
    ['a stranger says what it likes', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['a proxy names its caller', '10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['the caller wrote something to the left', '10.1.2.3', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    ['two proxies stand in a row', '127.0.0.1', '203.0.113.9, 192.0.2.1, 10.9.9.9', '192.0.2.1'],
    ['the call began at a proxy', '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['a port is there too', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    ['IPv6 comes with a port', '127.0.0.1', '[2001:db8:2::5]:4711', '2001:db8:2::5'],
    ['IPv6 comes without one', '2001:db8:1::9', '2001:db8:2::5', '2001:db8:2::5'],
    ['IPv4 is written as IPv6', '127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['IPv4 is written as IPv6, in hexadecimal', '127.0.0.1', '::FFFF:c000:201', '192.0.2.1'],
    ['IPv4 came through a translator', '127.0.0.1', '64:ff9b::192.0.2.1', '192.0.2.1'],
    ['a proxy is behind a translator', '64:ff9b::10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['IPv6 is written out', '127.0.0.1', '2001:DB8:2:0:0:0:0:5', '2001:db8:2::5'],
    ['what is no address ends it', '127.0.0.1', '192.0.2.1, unknown, 10.0.0.7', '10.0.0.7'],
    ['nothing is named', '127.0.0.1', '', '127.0.0.1'],
    ['short forms are no address', '127.0.0.1', '1', '127.0.0.1'],
  ])('%s', (_, peer, forwardedFor, expected) => {
    expect(addresses.of(peer, forwardedFor)).toBe(expected);
  });

  test('nothing a caller writes itself can change what the proxy adds', () => {
    const address = fc.ipV4().filter((each) => !addresses.isTrusted(each));
    fc.assert(
      fc.property(fc.string(), address, (written, client) => {
        expect(addresses.of('10.0.0.1', `${written}, ${client}`)).toBe(client);
      }),
    );
  });

  test('the setting is read again when it has changed', () => {
    let proxies: string[] = [];
    const changing = clientAddresses(() => proxies);
    expect(changing.of('10.0.0.1', '192.0.2.1')).toBe('10.0.0.1');
    proxies = ['10.0.0.1'];
    expect(changing.of('10.0.0.1', '192.0.2.1')).toBe('192.0.2.1');
    expect(changing.of('10.0.0.2', '192.0.2.1')).toBe('10.0.0.2');
  });
});

test('a caller is an IPv4 address, or the /64 of an IPv6 address', () => {
  expect(callerOf('192.0.2.1')).toBe('192.0.2.1');
  expect(callerOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(callerOf('2001:db8:1:2::')).toBe('2001:db8:1:2::/64');
  expect(callerOf('2001:db8:1:3::')).not.toBe(callerOf('2001:db8:1:2::'));
  expect(callerOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(callerOf('')).toBe('');
  expect(plainAddress('::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(plainAddress(undefined)).toBe('');
});
