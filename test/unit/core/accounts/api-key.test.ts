import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultKeyPrefixes,
  formatKey,
  hashesEqual,
  hashSecret,
  newApiKeySecret,
  parseKey,
} from '../../../../src/core/accounts/api-key.ts';
import { newId } from '../../../../src/core/ids.ts';

const parts = fc
  .record({
    mode: fc.constantFrom<'live' | 'test'>('live', 'test'),
    nowMs: fc.nat({ max: 2 ** 40 }),
    random: fc.uint8Array({ minLength: 10, maxLength: 10 }),
    secretBytes: fc.uint8Array({ minLength: 20, maxLength: 20 }),
  })
  .map(({ mode, nowMs, random, secretBytes }) => {
    const id = newId('key_', { nowMs, shard: 3, random });
    const secret = newApiKeySecret(secretBytes);
    const prefix = mode === 'live' ? defaultKeyPrefixes.livePrefix : defaultKeyPrefixes.testPrefix;
    return { mode, id, secret, text: formatKey({ prefix, id, secret }) };
  });
/** Anything a slipping finger, a bad copy or an attacker may put in a key's place. */
const oneChar = fc.oneof(
  fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABCXYZ_- '),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

describe('parseKey', () => {
  it('reads what formatKey wrote', () => {
    fc.assert(
      fc.property(parts, ({ mode, id, secret, text }) => {
        expect(parseKey(text, defaultKeyPrefixes)).toEqual({ kind: 'ok', mode, id, secret });
        expect(text).toMatch(/^ramz_(live|test)_[0-9a-z]{26}_[0-9a-z]{32}_[0-9a-z]{7}$/);
      }),
    );
  });

  it('finds every change of one character malformed', () => {
    fc.assert(
      fc.property(parts, fc.nat(), oneChar, ({ text }, where, char) => {
        const at = where % text.length;
        const changed = text.slice(0, at) + char + text.slice(at + 1);
        if (changed !== text) expect(parseKey(changed, defaultKeyPrefixes).kind).toBe('malformed');
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a character lost, doubled or swapped with its neighbour malformed', () => {
    fc.assert(
      fc.property(parts, fc.nat(), ({ text }, where) => {
        const at = where % (text.length - 1);
        const [a = '', b = ''] = [text[at], text[at + 1]];
        const lost = text.slice(0, at) + text.slice(at + 1);
        const doubled = text.slice(0, at) + a + text.slice(at);
        const swapped = text.slice(0, at) + b + a + text.slice(at + 2);
        for (const changed of [lost, doubled, swapped]) {
          if (changed !== text) expect(parseKey(changed, defaultKeyPrefixes).kind).toBe('malformed');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('tells why', () => {
    const key = { id: `key_${'0'.repeat(26)}`, secret: '0'.repeat(32) };
    const live = formatKey({ ...key, prefix: 'ramz_live_' });
    expect(parseKey('', defaultKeyPrefixes)).toEqual({ kind: 'malformed', reason: 'unknown_prefix' });
    expect(parseKey(live.toUpperCase(), defaultKeyPrefixes)).toEqual({ kind: 'malformed', reason: 'unknown_prefix' });
    expect(parseKey(`${live}\n`, defaultKeyPrefixes)).toEqual({ kind: 'malformed', reason: 'shape' });
    const asTest = live.replace('live', 'test');
    expect(parseKey(asTest, defaultKeyPrefixes)).toEqual({ kind: 'malformed', reason: 'checksum' });
  });

  it('takes the longer of two prefixes that begin alike', () => {
    const key = { id: `key_${'0'.repeat(26)}`, secret: '0'.repeat(32) };
    const prefixes = { livePrefix: 'sk_', testPrefix: 'sk_test_' };
    expect(parseKey(formatKey({ ...key, prefix: 'sk_' }), prefixes)).toMatchObject({ kind: 'ok', mode: 'live' });
    expect(parseKey(formatKey({ ...key, prefix: 'sk_test_' }), prefixes)).toMatchObject({ kind: 'ok', mode: 'test' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => parseKey(`ramz_live_${text}`, defaultKeyPrefixes).kind === 'malformed'),
    );
  });

  it('has a checksum that other tools can compute: the CRC-32 of zlib over all before it', () => {
    const text = formatKey({ prefix: '', id: 'key_12345', secret: '6789' });
    expect(text).toBe('12345_6789_1ghg4k4');
  });
});

describe('hashSecret', () => {
  it('depends on key and secret, and compares in constant time', () => {
    const key = randomBytes(32);
    const hash = hashSecret(key, 'secret');
    expect(hash).toHaveLength(32);
    expect(hashesEqual(hash, hashSecret(key, 'secret'))).toBe(true);
    expect(hashesEqual(hash, hashSecret(key, 'secres'))).toBe(false);
    expect(hashesEqual(hash, hashSecret(randomBytes(32), 'secret'))).toBe(false);
    expect(hashesEqual(hash, hash.subarray(1))).toBe(false);
  });
});
