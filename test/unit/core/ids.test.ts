import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeNumber,
  encodeBytes,
  encodeNumber,
  idSource,
  isId,
  lowestId,
  newId,
  shardForAccount,
  shardForNumber,
  shardOf,
  timeOf,
} from '../../../src/core/ids.ts';

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const shard = fc.integer({ min: 0, max: 1023 });
const random = fc.uint8Array({ minLength: 10, maxLength: 16 });
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** The 128 bits of an id, decoded here on its own so that the layout is checked and not mirrored. */
const uuidBits = (id: string): string =>
  [...id.slice(-26)]
    .map((char) => digits.indexOf(char).toString(2).padStart(5, '0'))
    .join('')
    .slice(2);

describe('newId', () => {
  it('gives back its time and shard, and is a UUIDv7', () => {
    fc.assert(
      fc.property(time, shard, random, (nowMs, inShard, bytes) => {
        const id = newId('vrf_', { nowMs, shard: inShard, random: bytes });
        const bits = uuidBits(id);
        expect(id).toHaveLength(30);
        expect(isId('vrf_', id)).toBe(true);
        expect(timeOf(id)).toBe(nowMs);
        expect(shardOf(id)).toBe(inShard);
        expect(shardForAccount(id)).toBe(inShard);
        expect(Number.parseInt(bits.slice(0, 48), 2)).toBe(nowMs);
        expect(bits.slice(48, 52)).toBe('0111');
        expect(bits.slice(64, 66)).toBe('10');
        expect(Number.parseInt(bits.slice(53, 63), 2)).toBe(inShard);
      }),
    );
  });

  it('sorts by time, and the lowest id of a time is a bound', () => {
    fc.assert(
      fc.property(time, time, shard, random, (a, b, inShard, bytes) => {
        const id = newId('msg_', { nowMs: a, shard: inShard, random: bytes });
        if (a < b) expect(id < lowestId('msg_', b)).toBe(true);
        else expect(id >= lowestId('msg_', b)).toBe(true);
        expect(isId('msg_', lowestId('msg_', a))).toBe(true);
      }),
    );
  });

  it('uses 62 random bits, each of them', () => {
    const bitsOf = (bytes: Uint8Array) => uuidBits(newId('', { nowMs: 0, shard: 0, random: bytes }));
    const zero = bitsOf(new Uint8Array(10));
    const one = bitsOf(new Uint8Array(10).fill(255));
    const changed = [...zero].flatMap((bit, index) => (bit === one[index] ? [] : [index]));
    expect(changed).toEqual([52, 63, ...Array.from({ length: 62 }, (_, index) => 66 + index)]);
  });

  it('refuses what cannot be', () => {
    const bytes = new Uint8Array(10);
    expect(() => newId('a_', { nowMs: -1, shard: 0, random: bytes })).toThrow(RangeError);
    expect(() => newId('a_', { nowMs: 2 ** 48, shard: 0, random: bytes })).toThrow(RangeError);
    expect(() => newId('a_', { nowMs: 0, shard: 1024, random: bytes })).toThrow(RangeError);
    expect(() => newId('a_', { nowMs: 0, shard: 0, random: new Uint8Array(9) })).toThrow(RangeError);
  });
});

describe('shardForNumber', () => {
  it.each([
    // printf '+213550000001' | sha256sum begins with d3cb: 1101 0011 11.
    ['+213550000001', 847],
    ['+213661234567', 500],
    ['+33612345678', 267],
  ])('is for good: %s is in shard %i', (number, shard) => {
    expect(shardForNumber(number)).toBe(shard);
  });

  it('spreads the numbers of one operator over all shards', () => {
    const shards = Array.from({ length: 20_000 }, (_, n) => shardForNumber(`+21355${String(n).padStart(7, '0')}`));
    const counts = [...Map.groupBy(shards, (each) => each).values()].map((each) => each.length);
    expect(counts).toHaveLength(1024);
    expect(Math.max(...counts)).toBeLessThan(60);
  });
});

describe('isId', () => {
  const id = newId('vrf_', { nowMs: 1_700_000_000_000, shard: 7, random: new Uint8Array(10) });
  it.each([
    ['another prefix', id.replace('vrf_', 'msg_')],
    ['upper case', id.toUpperCase()],
    ['too short', id.slice(0, -1)],
    ['too long', `${id}0`],
    ['a line end', `${id}\n`],
    ['a letter that is left out', `${id.slice(0, -1)}u`],
    ['more than 128 bits', `vrf_8${id.slice(5)}`],
    ['another version', `${id.slice(0, 14)}0${id.slice(15)}`],
    ['another variant', `${id.slice(0, 17)}0${id.slice(18)}`],
    ['no string', 7],
  ])('is false for %s', (_, value) => {
    expect(isId('vrf_', id)).toBe(true);
    expect(isId('vrf_', value)).toBe(false);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => typeof isId('vrf_', value) === 'boolean'));
  });
});

describe('idSource', () => {
  it('makes unique ids in the shard asked for, and asks for random bytes once per 8 KiB', () => {
    let calls = 0;
    const next = idSource({
      now: () => 1_700_000_000_000,
      randomBytes: (size) => {
        calls += 1;
        return randomBytes(size);
      },
    });
    const ids = Array.from({ length: 2000 }, () => next('msg_', 42));
    expect(new Set(ids).size).toBe(2000);
    expect(ids.every((id) => isId('msg_', id) && shardOf(id) === 42)).toBe(true);
    expect(calls).toBe(Math.ceil(2000 / Math.floor(8192 / 12)));
  });

  it('spreads ids without a shard over the shards', () => {
    const next = idSource({ now: () => 0, randomBytes });
    const shards = new Set(Array.from({ length: 5000 }, () => shardOf(next('acct_'))));
    expect(shards.size).toBeGreaterThan(900);
  });
});

describe('crockford', () => {
  it('reads back what it wrote, in order', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().filter((n) => n >= 0),
        (value) => {
          expect(decodeNumber(encodeNumber(value, 11))).toBe(value);
        },
      ),
    );
    expect(() => decodeNumber('il')).toThrow(RangeError);
  });

  it('writes bytes as the bits they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 5, maxLength: 5 }), (bytes) => {
        const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
        const expected = (bits.match(/.{5}/g) ?? []).map((five) => digits[Number.parseInt(five, 2)]).join('');
        expect(encodeBytes(bytes)).toBe(expected);
      }),
    );
    expect(() => encodeBytes(new Uint8Array(4))).toThrow(RangeError);
  });
});
