import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countSegments, decodeGsm7, decodeUcs2, encodeGsm7, encodeText, encodeUcs2 } from '../../../src/smpp/text.ts';

const gsmChars = [
  ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCXYZÄÖÑÜ§¿abcxyzäöñüà^{}\\[~]|€\f',
];

describe('GSM 7-bit', () => {
  test.each([
    ['Code 123456', '436f646520313233343536'],
    ['@£$¥èéùìòÇ', '00010203040506070809'],
    ['Δ_ΦΓΛΩΠΨΣΘΞ', '101112131415161718191a'],
    ['ÆæßÉ¤¡ÄÖÑÜ§¿äöñüà', '1c1d1e1f24405b5c5d5e5f607b7c7d7e7f'],
    ['€[]{}\\~^|\f', '1b651b3c1b3e1b281b291b2f1b3d1b141b401b0a'],
  ])('%j', (text, hex) => {
    expect(encodeGsm7(text)?.toString('hex')).toBe(hex);
    expect(decodeGsm7(Buffer.from(hex, 'hex'))).toBe(text);
  });

  test.each(['رمز', 'ê', 'ç', '`', '\u001b', '😀', 'ÿ'])('%j is in neither table: null, never a space', (text) => {
    expect(encodeGsm7(`a${text}`)).toBeNull();
  });

  test('whatever is encoded comes back', () => {
    const text = fc.array(fc.constantFrom(...gsmChars), { maxLength: 50 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(text, (each) => {
        expect(decodeGsm7(encodeGsm7(each)!)).toBe(each);
      }),
    );
  });

  test.each([
    ['1b61', 'a'],
    ['1b', ' '],
    ['1b1b', ' '],
    ['80ff', '\ufffd\ufffd'],
  ])('octets %s no table has are shown, not dropped', (hex, text) => {
    expect(decodeGsm7(Buffer.from(hex, 'hex'))).toBe(text);
  });
});

describe('UCS-2', () => {
  test('big-endian, Arabic', () => {
    expect(encodeUcs2('رمز 42').toString('hex')).toBe('063106450632002000340032');
  });
  test('whatever is encoded comes back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeUcs2(encodeUcs2(text))).toBe(text);
      }),
    );
  });
  test('decoding leaves its input as it was, and drops an odd octet', () => {
    const octets = Buffer.from('063106', 'hex');
    expect(decodeUcs2(octets)).toBe('ر');
    expect(octets.toString('hex')).toBe('063106');
  });
});

describe('the encoding is chosen by the text', () => {
  test.each([
    ['Code 1_@{}€', 'gsm7', 'gsm7'],
    ['Vérifié à 10 h', 'gsm7', 'gsm7'],
    ['Votre code reçu', 'gsm7', 'ucs2'], // ç is not in GSM 7-bit, only Ç is
    ['رمز 123456', 'gsm7', 'ucs2'],
    ['Vérifié @_', 'latin1', 'latin1'],
    ['5 €', 'latin1', 'ucs2'],
    ['reçu', 'latin1', 'ucs2'], // in ISO 8859-1, but the phone would get a question mark
  ] as const)('%s under %s: %s', (text, alphabet, encoding) => {
    expect(encodeText(text, alphabet).encoding).toBe(encoding);
  });
  test('latin1 octets are ISO 8859-1', () => {
    expect(encodeText('é@_', 'latin1').octets.toString('hex')).toBe('e9405f');
  });
  test('the default alphabet is gsm7', () => {
    expect(encodeText('é@_').octets.toString('hex')).toBe('050011');
  });
});

describe('segments', () => {
  test.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    [`${'a'.repeat(159)}€`, 2],
    ['€'.repeat(153), 3], // 76 pairs a part: none is torn
    ['ر'.repeat(70), 1],
    ['ر'.repeat(71), 2],
    ['ر'.repeat(134), 2],
    ['ر'.repeat(135), 3],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(67), 3], // 33 pairs a part
  ])('%#', (text, parts) => {
    expect(encodeText(text).segments).toBe(parts);
  });
  test('a text is counted in the units it is sent in', () => {
    expect(countSegments('a'.repeat(71), 'ucs2')).toBe(2);
  });
});
