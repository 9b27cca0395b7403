import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  internationalForm,
  maskPhone,
  maskWritten,
  parsePhone,
  routeByPrefix,
  servedNumber,
} from '../../../src/core/phone.ts';

describe('parsePhone', () => {
  it('reads an international mobile number', () => {
    expect(parsePhone('+213550000001')).toEqual({
      kind: 'ok',
      e164: '+213550000001',
      country: 'DZ',
      national: '550000001',
      type: 'mobile',
    });
  });

  it.each(['+213 550 00 00 01', ' +213-550-000-001 ', '+213.550.000.001', '+213\u00a0550\u202f000\u2011001'])(
    'takes the separators out of %j',
    (input) => {
      expect(parsePhone(input)).toMatchObject({ kind: 'ok', e164: '+213550000001' });
    },
  );

  it.each([
    ['0550000001', '+213550000001'],
    [' 0550 00 00 01 ', '+213550000001'],
    ['00213550000001', '+213550000001'],
    ['055', null],
    ['me', null],
    ['', null],
  ])('%s, dialed in Algeria, is %s', (input, meant) => {
    expect(internationalForm(input, 'DZ')).toBe(meant);
    expect(internationalForm(input, 'XX')).toBeNull();
  });

  it.each([
    '\u202a+213 550 00 00 01\u202c',
    '\u200e+213550000001\u200f',
    '\u2068+213550000001\u2069',
    '\u061c+213550000001',
    '+213\u2009550\u2013000\u2212001',
  ])('takes the invisible marks out of %j: phones copy numbers with them', (input) => {
    expect(parsePhone(input)).toMatchObject({ kind: 'ok', e164: '+213550000001' });
  });

  it('takes them out of a national number, too', () => {
    expect(internationalForm('\u202a0550 00 00 01\u202c', 'DZ')).toBe('+213550000001');
  });

  it('accepts numbers of countries that do not tell fixed from mobile', () => {
    expect(parsePhone('+12025550123')).toMatchObject({ kind: 'ok', type: 'fixed_line_or_mobile', country: 'US' });
  });

  it.each([
    ['0550000001', 'not_international'],
    ['00213550000001', 'not_international'],
    ['213550000001', 'not_international'],
    ['', 'not_international'],
    ['+', 'malformed'],
    ['+213550000001;ext=5', 'malformed'],
    ['+213550000001x5', 'malformed'],
    ['+44 (0)7400123456', 'malformed'],
    ['+٢١٣٥٥٠٠٠٠٠٠١', 'malformed'],
    ['+213+550000001', 'malformed'],
    ['+999123456789', 'unknown_country'],
    ['+0213550000001', 'unknown_country'],
    ['+2135500', 'too_short'],
    ['+21355000000123', 'too_long'],
    [`+${'2'.repeat(60)}`, 'too_long'],
    ['+213990000001', 'unassigned'],
    ['+21321123456', 'not_mobile'], // fixed line in Algiers
    ['+33112345678', 'not_mobile'],
    ['+448081570192', 'not_mobile'], // toll-free
    ['+33899123456', 'not_mobile'], // premium rate
    ['+33912345678', 'not_mobile'], // a service on the Internet, where the numbering plan has a range for them
    ['+445612345678', 'not_mobile'],
  ])('refuses %s as %s', (input, reason) => {
    expect(parsePhone(input)).toEqual({ kind: 'invalid', reason });
  });

  it('takes any seven digits behind the prefixes of the sandbox', () => {
    const prefix = fc.constantFrom('+21355', '+21366', '+21377');
    fc.assert(
      fc.property(prefix, fc.integer({ min: 0, max: 9_999_999 }), (start, rest) => {
        const number = start + String(rest).padStart(7, '0');
        expect(parsePhone(number)).toMatchObject({ kind: 'ok', e164: number, type: 'mobile' });
      }),
    );
  });

  it('never throws; ok is E.164 and reads as itself', () => {
    const numberLike = fc.string({ unit: fc.constantFrom(...'+0123456789 -()x.'), maxLength: 20 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          numberLike,
          numberLike.map((text) => `+${text}`),
        ),
        (input) => {
          const parsed = parsePhone(input);
          if (parsed.kind !== 'ok') return;
          expect(parsed.e164).toMatch(/^\+[1-9][0-9]{6,14}$/);
          expect(parsePhone(parsed.e164)).toEqual(parsed);
        },
      ),
    );
  });
});

describe('servedNumber', () => {
  const prefixes = ['+3361', '+21355', '+21356'];
  it.each([
    ['213551234567', '+213551234567'],
    ['+213551234567', '+213551234567'],
    ['00213551234567', '+213551234567'],
    ['0551234567', '+213551234567'],
    ['551234567', '+213551234567'],
    ['561234567', '+213561234567'],
    ['0612345678', '+33612345678'],
    ['213661234567', null],
    ['0661234567', null],
    ['55123456', null],
    ['+551234567890', null],
    ['RAMZ', null],
    ['3030', null],
    ['', null],
    ['0', null],
    ['5'.repeat(40), null],
  ])('%s is %s', (address, number) => {
    expect(servedNumber(address, prefixes)).toBe(number);
  });

  it.each([
    ['0701020304', ['+22507'], '+2250701020304'],
    ['0701020304', ['+225'], '+2250701020304'],
    ['066123456', ['+24206'], '+242066123456'],
    ['0551234567', ['+225', '+213'], '+213551234567'],
  ])('%s is a number with its 0 where the country has it: %s', (address, served, number) => {
    expect(servedNumber(address, served)).toBe(number);
  });

  it('knows a whole country by its code alone', () => {
    expect(servedNumber('0551234567', ['+213'])).toBe('+213551234567');
    expect(servedNumber('551234567', ['+213'])).toBe('+213551234567');
    expect(servedNumber('551234567', [])).toBeNull();
  });
});

describe('maskPhone', () => {
  it('keeps the beginning and two digits', () => {
    expect(maskPhone('+213550000001')).toBe('+2135*****01');
  });

  it.each(['+2135500', '213550000001', '', 'hello', '+213 550 000 001'])('masks %j wholly', (input) => {
    expect(maskPhone(input)).toBe('*****');
  });
});

describe('maskWritten', () => {
  it.each([
    ['as +213551777888', 'as +2135*****88'],
    ['by phone (0551 77 78 88), twice', 'by phone (*****), twice'],
    ['00213-551-777-888', '*****'],
    ['+213 551.77.78.88', '*****'],
    ['٠٥٥١ ٧٧ ٧٨ ٨٨', '*****'],
    ['۰۵۵۱۷۷۷۸۸۸', '*****'],
    ['7771234 is a number, too', '***** is a number, too'],
  ])('masks %j', (text, masked) => {
    expect(maskWritten(text)).toBe(masked);
  });

  it.each(['', 'ticket 123456', 'since 2026-03-01', '10 of 12, then 20 of 30', 'acct_01k6h2p4w6e0f1s9a3d6g9h2kq'])(
    'leaves %j',
    (text) => {
      expect(maskWritten(text)).toBe(text);
    },
  );
});

describe('routeByPrefix', () => {
  const operators = [
    { id: 'a', prefixes: ['+2135', '+21366'] },
    { id: 'b', prefixes: ['+21355', '+213661'] },
    { id: 'c', prefixes: [] },
  ];
  it.each([
    ['+213550000001', 'b'],
    ['+213540000001', 'a'],
    ['+213660000001', 'a'],
    ['+213661000001', 'b'],
    ['+213770000001', undefined],
  ])('sends %s to %s', (to, id) => {
    expect(routeByPrefix(to, operators)?.id).toBe(id);
    expect(routeByPrefix(to, [...operators].reverse())?.id).toBe(id);
  });
});
