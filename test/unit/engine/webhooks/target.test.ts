// Where webhooks may go: addresses as they are written, and as names resolve.
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAddress, checkUrl, guardedLookup } from '../../../../src/engine/webhooks/target.ts';

const guarded = { allowPrivate: false };
const open = { allowPrivate: true };

describe('checkUrl', () => {
  it.each([
    'https://shop.example/hooks?a=1',
    'https://shop.example:443/',
    'https://shop.example:1024/',
    'https://shop.example:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ])('takes %s', (url) => expect(checkUrl(url, guarded)).toEqual({ kind: 'ok' }));

  it.each([
    ['http://shop.example/', 'must be https'],
    ['ftp://shop.example/', 'must be https'],
    ['//shop.example/', 'must be a complete https address'],
    ['https://', 'must be a complete https address'],
    ['https://shop.example/a b', 'must be a complete https address'],
    ['https:\\\\shop.example', 'must be a complete https address'],
    ['https://user@shop.example/', 'must not hold a user name or password'],
    ['https://:secret@shop.example/', 'must not hold a user name or password'],
    ['https://shop.example:0/', 'must not name port 0'],
    ...[22, 25, 53, 80, 444, 1023].map((port): [string, string] => [
      `https://shop.example:${port}/`,
      'must name port 443 or one from 1024 on',
    ]),
    ['https://localhost/', 'must be a public name or address'],
    ['https://LOCALHOST./', 'must be a public name or address'],
    ['https://api.localhost/', 'must be a public name or address'],
    ['https://metadata.google.internal/', 'must be a public name or address'],
    ['https://printer.local/', 'must be a public name or address'],
    ['https://db/', 'must be a public name or address'],
    // All ways to write 127.0.0.1 that the parser knows.
    ['https://127.1/', 'must be a public address'],
    ['https://2130706433/', 'must be a public address'],
    ['https://0x7f.0.0.1/', 'must be a public address'],
    ['https://0177.0.0.1/', 'must be a public address'],
    ['https://[::1]/', 'must be a public address'],
    ['https://[::ffff:127.0.0.1]/', 'must be a public address'],
  ])('refuses %s', (url, reason) => expect(checkUrl(url, guarded)).toEqual({ kind: 'refused', reason }));

  it('takes plain http and loopback where private targets are allowed, and still no credentials', () => {
    expect(checkUrl('http://127.0.0.1:8080/x', open)).toEqual({ kind: 'ok' });
    expect(checkUrl('http://localhost/x', open)).toEqual({ kind: 'ok' });
    expect(checkUrl('http://a:b@localhost/x', open).kind).toBe('refused');
    expect(checkUrl('file:///etc/passwd', open).kind).toBe('refused');
  });
});

const v4InPrivate = fc
  .tuple(
    fc.constantFrom<[number, number]>(
      ...([
        [0x00000000, 8],
        [0x0a000000, 8],
        [0x64400000, 10],
        [0x7f000000, 8],
        [0xa9fe0000, 16],
        [0xac100000, 12],
        [0xc0a80000, 16],
        [0xc6120000, 15],
        [0xe0000000, 4],
        [0xf0000000, 4],
      ] as [number, number][]),
    ),
    fc.integer({ min: 0, max: 0xffffffff }),
  )
  .map(([[base, bits], random]) => {
    const host = random % 2 ** (32 - bits);
    const value = base + host;
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  });

describe('checkAddress', () => {
  it('refuses every private, loopback, link-local, shared, multicast and reserved address, mapped into IPv6 or not', () => {
    fc.assert(
      fc.property(v4InPrivate, (address) => {
        for (const form of [address, `::ffff:${address}`, `64:ff9b::${address}`, `::${address}`]) {
          if (checkAddress(form, guarded).kind !== 'refused') throw new Error(`let ${form} through`);
          expect(checkAddress(form, open).kind).toBe('ok');
        }
      }),
    );
  });

  it.each([
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    'fec0::1',
    '100::1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::a83f:8110',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '::ffff:0:7f00:1',
    '5f00::1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '255.255.255.255',
    'nonsense',
  ])('refuses %s', (address) => expect(checkAddress(address, guarded).kind).toBe('refused'));

  it.each([
    '1.1.1.1',
    '105.96.0.1',
    '172.32.0.1',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00:1450::1',
    '64:ff9b::808:808',
  ])('takes %s', (address) => expect(checkAddress(address, guarded).kind).toBe('ok'));
});

describe('guardedLookup', () => {
  const look = (addresses: LookupAddress[], options: object = { all: true }, rules = guarded) =>
    new Promise((resolve) => {
      guardedLookup(async () => addresses, rules)('shop.example', options, (error, ...found) =>
        resolve(error ? error.code : found),
      );
    });
  const good = { address: '8.8.8.8', family: 4 };
  const bad = { address: '10.0.0.1', family: 4 };

  it('gives the addresses it has judged, one or all', async () => {
    expect(await look([good])).toEqual([[good]]);
    expect(await look([good], {})).toEqual(['8.8.8.8', 4]);
    expect(await look([{ address: '2606:4700::1111', family: 6 }, good], { family: 4 })).toEqual(['8.8.8.8', 4]);
  });

  it('refuses the name when any of its addresses is private', async () => {
    expect(await look([good, bad])).toBe('TARGET_REFUSED');
    expect(await look([bad, good], {})).toBe('TARGET_REFUSED');
    expect(await look([bad], {}, open)).toEqual(['10.0.0.1', 4]);
  });

  it('takes a name without IPv6 where a name server makes an address of the translator for it (DNS64)', async () => {
    const made = { address: '64:ff9b::808:808', family: 6 };
    expect(await look([good, made])).toEqual([[good, made]]);
    expect(await look([good, { address: '64:ff9b::a00:1', family: 6 }])).toBe('TARGET_REFUSED');
  });

  it('a name without address is an error', async () => {
    expect(await look([])).toBe('ENODATA');
    expect(await look([good], { family: 6 })).toBe('ENODATA');
  });
});
