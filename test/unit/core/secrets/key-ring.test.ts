import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeKeyRing,
  isSealedWithCurrentKey,
  type KeyRing,
  keyPurposes,
  newKeyRing,
  open,
  parseKeyRing,
  seal,
} from '../../../../src/core/secrets/key-ring.ts';

const base64 = (fill: number, size = 32) => Buffer.alloc(size, fill).toString('base64');
const whole = {
  code: { current: 'c2', keys: { c1: base64(1), c2: base64(2) } },
  api_key: { current: 'a1', keys: { a1: base64(3) } },
  webhook_secret: { current: 'w1', keys: { w1: base64(4) } },
};
const ringOf = (value: unknown): KeyRing => {
  const parsed = parseKeyRing(typeof value === 'string' ? value : JSON.stringify(value));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};

describe('parseKeyRing', () => {
  it('gives the current key of a purpose, and every key by its id', () => {
    const ring = ringOf(whole);
    expect(ring.current('code')).toMatchObject({ id: 'c2', purpose: 'code' });
    expect(ring.current('code').key.export()).toEqual(Buffer.alloc(32, 2));
    expect(ring.byId('c1')?.key.export()).toEqual(Buffer.alloc(32, 1));
    expect(ring.byId('w1')?.purpose).toBe('webhook_secret');
    expect(ring.byId('x')).toBeUndefined();
    expect(ring.byId('constructor')).toBeUndefined();
  });

  it('reads a new ring; two are never alike', () => {
    const [one, two] = [newKeyRing(randomBytes), newKeyRing(randomBytes)];
    for (const purpose of keyPurposes) {
      expect(ringOf(one).current(purpose).key.symmetricKeySize).toBe(32);
      expect(ringOf(one).current(purpose).id).not.toBe(ringOf(two).current(purpose).id);
    }
  });

  it.each([
    ['no JSON', '{"code', ['key ring: not JSON']],
    ['no object', '[]', ['key ring: not an object']],
    ['a purpose missing', { ...whole, code: undefined }, ['code: needs "current" and "keys"']],
    ['a purpose too many', { ...whole, cod: {} }, ['"cod": not a purpose']],
    [
      'a current key that is none',
      { ...whole, code: { ...whole.code, current: 'c3' } },
      ['code.current: names none of its keys'],
    ],
    [
      'a current key of another purpose',
      { ...whole, api_key: { current: 'c1', keys: whole.api_key.keys } },
      ['api_key.current: names none of its keys'],
    ],
    [
      'a short key',
      { ...whole, api_key: { current: 'a1', keys: { a1: base64(3), a2: base64(3, 16) } } },
      ['api_key.keys."a2": not base64 of 32 bytes'],
    ],
    [
      'an id with a dot',
      { ...whole, api_key: { current: 'a1', keys: { a1: base64(3), 'a.2': base64(3) } } },
      ['api_key.keys."a.2": an id is 1-40 of a-z, 0-9, "-", "_"'],
    ],
    [
      'an id taken twice',
      { ...whole, webhook_secret: { current: 'w1', keys: { w1: base64(4), c1: base64(4) } } },
      ['webhook_secret.keys."c1": the id is taken'],
    ],
  ])('refuses %s, naming the path', (_, value, errors) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(parseKeyRing(text)).toEqual({ kind: 'invalid', errors });
  });

  it('never shows a key: not in errors, not when printed', () => {
    const secret = base64(9);
    const broken = { ...whole, code: { current: secret, keys: { c1: `${secret}!` } } };
    expect(JSON.stringify([parseKeyRing(JSON.stringify(broken)), parseKeyRing(`"${secret}`)])).not.toContain(secret);
    expect(JSON.stringify(ringOf(whole).current('code'))).toBe('{"id":"c2","purpose":"code","key":{}}');
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => parseKeyRing(text).kind === 'invalid'));
  });
});

describe('seal and open', () => {
  const ring = ringOf(whole);
  const sealed = seal(ring, 'webhook_secret', 'whsec_x', 'we_1', Buffer.alloc(12, 5));

  it('opens what it sealed, also after a rotation', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.uint8Array({ minLength: 12, maxLength: 12 }),
        (text, aad, iv) => {
          const one = seal(ring, 'webhook_secret', text, aad, iv);
          expect(one).toMatch(/^w1\.[A-Za-z0-9+/]+=*$/);
          expect(open(ring, 'webhook_secret', one, aad)).toEqual({ kind: 'ok', plaintext: text });
        },
      ),
    );
    const keys = { ...whole.webhook_secret.keys, w2: base64(6) };
    const rotated = ringOf({ ...whole, webhook_secret: { current: 'w2', keys } });
    expect(open(rotated, 'webhook_secret', sealed, 'we_1')).toEqual({ kind: 'ok', plaintext: 'whsec_x' });
    expect(seal(rotated, 'webhook_secret', 'x', '', Buffer.alloc(12))).toMatch(/^w2\./);
  });

  it('knows what was sealed before the key changed', () => {
    expect(isSealedWithCurrentKey(ring, 'webhook_secret', sealed)).toBe(true);
    const keys = { ...whole.webhook_secret.keys, w2: base64(6), w1x: base64(7) };
    expect(
      isSealedWithCurrentKey(ringOf({ ...whole, webhook_secret: { current: 'w2', keys } }), 'webhook_secret', sealed),
    ).toBe(false);
    expect(
      isSealedWithCurrentKey(ringOf({ ...whole, webhook_secret: { current: 'w1x', keys } }), 'webhook_secret', sealed),
    ).toBe(false);
  });

  it('does not open in another row, or changed by one bit', () => {
    const refused = { kind: 'unreadable', reason: 'not_authentic' };
    expect(open(ring, 'webhook_secret', sealed, 'we_2')).toEqual(refused);
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(open(ring, 'webhook_secret', `w1.${changed.toString('base64')}`, 'we_1')).toEqual(refused);
    }
  });

  it('tells an unknown key, a key for something else and a broken text', () => {
    const reason = (text: string) => open(ring, 'webhook_secret', text, 'we_1');
    expect(reason(sealed.replace('w1.', 'w9.'))).toEqual({ kind: 'unreadable', reason: 'unknown_key' });
    expect(reason(sealed.replace('w1.', 'c1.'))).toEqual({ kind: 'unreadable', reason: 'unknown_key' });
    for (const text of ['', 'w1', 'w1.', '.AAAA', 'w1.AAAA']) {
      expect(reason(text)).toEqual({ kind: 'unreadable', reason: 'malformed' });
    }
    expect(() => seal(ring, 'webhook_secret', 'x', '', Buffer.alloc(11))).toThrow(RangeError);
  });
});

describe('a ring of an older version', () => {
  const { waba_secret: _, ...old } = JSON.parse(newKeyRing((size) => randomBytes(size)));

  it('is good for what it has, and says what it has not', () => {
    const ring = ringOf(old);
    expect([ring.has('code'), ring.has('waba_secret')]).toEqual([true, false]);
    expect(() => ring.current('waba_secret')).toThrow(/waba_secret/);
  });

  it('is completed with a key for what is new, and nothing else of it changes', () => {
    const text = JSON.stringify(old);
    const complete = completeKeyRing(text, (size) => randomBytes(size));
    expect(JSON.parse(complete)).toEqual({ ...old, waba_secret: expect.anything() });
    expect(ringOf(JSON.parse(complete)).has('waba_secret')).toBe(true);
    // A complete one stays as it is, byte for byte.
    expect(completeKeyRing(complete, () => expect.fail('no key is made'))).toBe(complete);
  });

  it('with a part that is broken is refused, not taken for an old one', () => {
    expect(parseKeyRing(JSON.stringify({ ...old, waba_secret: {} })).kind).toBe('invalid');
    expect(parseKeyRing(JSON.stringify({ ...old, waba_secret: null })).kind).toBe('invalid');
  });
});
