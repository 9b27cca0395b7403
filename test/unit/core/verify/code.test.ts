import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../../src/core/secrets/key-ring.ts';
import {
  codeFromBits,
  codeOf,
  codesEqual,
  deriveCode,
  forgottenCode,
  isCodeOf,
  normaliseCode,
  sealBytes,
  sealedCode,
} from '../../../../src/core/verify/code.ts';
import type { Session } from '../../../../src/core/verify/session.ts';
import { Story } from '../../../support/session.ts';

const key = Buffer.alloc(32, 7);
const length = fc.integer({ min: 4, max: 10 });

describe('deriveCode', () => {
  it('is HMAC-SHA-256 over id and counter, its first 64 bits modulo 10^n', () => {
    const digest = createHmac('sha256', key).update('vrf_x\0\0\0\0').digest('hex');
    const expected = (BigInt(`0x${digest.slice(0, 16)}`) % 1_000_000n).toString().padStart(6, '0');
    expect(deriveCode(key, 'vrf_x', 6)).toBe(expected);
    expect(deriveCode(createSecretKey(key), 'vrf_x', 6)).toBe(expected);
  });

  // Computed apart from this code, by Python's hmac and hashlib: int(hmac.digest(bytes([7])*32, id + salt + bytes(4), 'sha256')[:8]) % 10**n.
  it.each([
    ['vrf_x', '', 6, '974077'],
    ['vrf_x', '00000000000000000000000000000000', 6, '783010'],
    ['vrf_x', '000102030405060708090a0b0c0d0e0f', 6, '018766'],
    ['vrf_01k6h2q8z9e0f3m7x2c5v8b4nt', '00112233445566778899aabbccddeeff', 6, '407254'],
    ['vrf_01k6h2q8z9e0f3m7x2c5v8b4nt', '00112233445566778899aabbccddeeff', 10, '1448407254'],
    ['vrf_01k6h2q8z9e0f3m7x2c5v8b4nt', '', 10, '8262384148'],
  ])('of %s with the salt %j has %i digits: %s', (id, salt, n, code) => {
    expect(deriveCode(key, id, n, salt === '' ? null : Buffer.from(salt, 'hex'))).toBe(code);
  });

  it('is always the same for a session, and always of its length', () => {
    fc.assert(
      fc.property(fc.string(), length, (id, n) => {
        expect(deriveCode(key, id, n)).toMatch(new RegExp(`^[0-9]{${n}}$`));
        expect(deriveCode(key, id, n)).toBe(deriveCode(key, id, n));
      }),
    );
  });

  it('depends on the key and on the session', () => {
    expect(deriveCode(key, 'vrf_x', 10)).not.toBe(deriveCode(Buffer.alloc(32, 8), 'vrf_x', 10));
    expect(deriveCode(key, 'vrf_x', 10)).not.toBe(deriveCode(key, 'vrf_y', 10));
  });

  it('is uniform: every digit in every place, by chi-square', () => {
    const samples = 5000;
    const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
    for (let i = 0; i < samples; i += 1) {
      [...deriveCode(key, `vrf_${i}`, 6)].forEach((digit, place) => {
        const row = counts[place] ?? [];
        row[Number(digit)] = (row[Number(digit)] ?? 0) + 1;
      });
    }
    for (const row of counts) {
      const chiSquare = row.reduce((sum, seen) => sum + (seen - samples / 10) ** 2 / (samples / 10), 0);
      expect(chiSquare).toBeLessThan(27.88); // 9 degrees of freedom, p = 0.001; the samples are fixed, so it can't flicker
    }
  });

  it('refuses a length that is no code', () => {
    for (const n of [0, 3, 11, 6.5, Number.NaN]) expect(() => deriveCode(key, 'vrf_x', n)).toThrow(RangeError);
  });
});

describe('codeFromBits', () => {
  it('rejects exactly the incomplete stretch at the end', () => {
    fc.assert(
      fc.property(length, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (n, bits) => {
        const codes = 10n ** BigInt(n);
        const fair = 2n ** 64n - (2n ** 64n % codes);
        expect(codeFromBits(bits, n) === undefined).toBe(bits >= fair);
        expect(codeFromBits(fair, n)).toBeUndefined();
        expect(codeFromBits(fair - 1n, n)).toBe('9'.repeat(n));
        expect(codeFromBits(0n, n)).toBe('0'.repeat(n));
      }),
    );
  });
});

describe('normaliseCode', () => {
  it.each([
    ['plain', '012345'],
    ['Arabic-Indic', '٠١٢٣٤٥'],
    ['Persian', '۰۱۲۳۴۵'],
    ['spaces', ' 012 345\n'],
    ['no-break spaces', '012\u00a0\u202f345'],
    ['dashes', '01-23–4—5'],
    ['minus and non-breaking hyphen', '012\u2212\u2011345'],
    ['bidi marks, embeddings and isolates', '\u200e\u202a\u2068012345\u2069\u202c\u200f\u061c'],
    ['zero-width characters', '012\u200b\u200d\ufeff345'],
    ['mixed', '\u2068٠١٢-۳۴5\u2069'],
  ])('reads %s', (_, input) => {
    expect(normaliseCode(input, 6)).toEqual({ kind: 'ok', digits: '012345' });
  });

  it.each(['', '12345', '1234567', 'abcdef', '12345a', '१२३४५६', '１２３４５６', '12.345', ' '.repeat(100), '1e5000'])(
    'finds %j malformed',
    (input) => {
      expect(normaliseCode(input, 6)).toEqual({ kind: 'malformed' });
    },
  );

  it('undoes any mixture of digits and separators', () => {
    const separator = fc.constantFrom('', ' ', '-', '\u00a0', '–', '\u200e', '\u2068', '\u2069', '\t');
    const written = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(0x30, 0x660, 0x6f0), separator);
    fc.assert(
      fc.property(fc.array(written, { minLength: 4, maxLength: 10 }), (chars) => {
        const input = chars.map(([digit, base, after]) => String.fromCharCode(base + digit) + after).join('');
        const digits = chars.map(([digit]) => digit).join('');
        expect(normaliseCode(input, chars.length)).toEqual({ kind: 'ok', digits });
      }),
    );
  });

  it('never throws, and ok is always ASCII digits of the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), length, (input, n) => {
        const result = normaliseCode(input, n);
        if (result.kind === 'ok') expect(result.digits).toMatch(new RegExp(`^[0-9]{${n}}$`));
      }),
    );
  });
});

describe('codesEqual', () => {
  it('is true for the same code only', () => {
    expect(codesEqual('012345', '012345')).toBe(true);
    expect(codesEqual('012345', '012346')).toBe(false);
    expect(codesEqual('012345', '12345')).toBe(false);
    expect(codesEqual('', '')).toBe(true);
  });
});

describe("the caller's own code", () => {
  const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  const { ring } = parsed;
  const sealed = sealedCode(ring, 'vrf_1', '042617', randomBytes(sealBytes));
  const session = (change: Partial<Session> = {}) => ({
    ...new Story().session,
    keyId: 'k',
    sealedCode: sealed,
    ...change,
  });

  it('is the code of its session, in test mode too, and of no other', () => {
    expect(codeOf(session(), ring)).toBe('042617');
    expect(codeOf(session({ mode: 'test' }), ring)).toBe('042617');
    expect(() => codeOf(session({ id: 'vrf_2' }), ring)).toThrow(/vrf_2.*not_authentic/);
    expect(isCodeOf(session(), '042617', ring)).toBe(true);
    expect(isCodeOf(session(), '042618', ring)).toBe(false);
  });

  it('stands in what is stored in no form, and twice in two', () => {
    expect(sealed).toMatch(/^custom_code-[0-9a-f]{8}[.]/);
    expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64').toString('latin1')).not.toContain('042617');
    expect(sealedCode(ring, 'vrf_1', '042617', randomBytes(sealBytes))).not.toBe(sealed);
  });

  it('is nothing once it is forgotten, and never another one that is derived', () => {
    const over = session({ sealedCode: forgottenCode });
    expect(isCodeOf(over, '042617', ring)).toBe(false);
    expect(() => codeOf(over, ring)).toThrow(/can not be read/);
  });
});
