// The forms in which a number is found, and what stands in its place.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  erasedForm,
  formsOf,
  isErased,
  storableId,
  storedNumber,
  withoutNumber,
} from '../../../src/core/erasure/number-forms.ts';
import { spansOf } from '../../../src/db/erasure/session.ts';

const number = '+213550123456';
const forms = formsOf(number);
const found = new RegExp(forms.pattern);
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** Parts of the pattern for base64, each character by its own test of the six bits at its place. */
function base64Parts(octets: Buffer): string[] {
  const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'];
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return [0, 2, 4].map((before) => {
    const groups = `${'.'.repeat(before)}${bits}......`.match(/.{6}/g)?.filter((group) => group !== '......') ?? [];
    return groups
      .map((group) => {
        const form = new RegExp(`^${group}$`);
        const fit = characters.filter((_, at) => form.test(at.toString(2).padStart(6, '0'))).join('');
        return fit.length === 1 && fit !== '+' ? fit : `[${fit}]`;
      })
      .join('');
  });
}

test('in base64 each character is one that has the bits of the digits there', () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 14 });
  fc.assert(
    // Of no country: the digits are looked for as they are.
    fc.property(digits, (rest) => {
      const whole = `999${rest.join('')}`.slice(0, 15);
      const octets = [...whole].map((digit) => digit.charCodeAt(0));
      const expected = [
        Buffer.from(octets),
        Buffer.from(octets.flatMap((octet) => [0, octet])),
        Buffer.from(octets.flatMap((octet) => [octet, 0])),
      ].flatMap(base64Parts);
      expect(formsOf(`+${whole}`).pattern.split('|').slice(-expected.length)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['E.164', number],
  ['without the plus', '213550123456'],
  ['with 00', '00213550123456'],
  ['national', '0550123456'],
  ['with spaces', '0550 12 34 56'],
  ['with hyphens', '+213-550-12-34-56'],
  ['with spaced hyphens', '0550 - 12 - 34 - 56'],
  ['with spaced slashes', '+213 550 / 12 34 56'],
  ['with spaced hyphens in Arabic digits', '٠٥٥٠ - ١٢ - ٣٤ - ٥٦'],
  ['in a URL', '%2B213550123456'],
  ['in Arabic digits', '٠٥٥٠١٢٣٤٥٦'],
  ['in Persian digits', '۰۵۵۰۱۲۳۴۵۶'],
  ['in hexadecimal', Buffer.from(number).toString('hex')],
  ['in hexadecimal with spaces', '35 35 30 31 32 33 34 35 36'],
  ['in UCS-2', ucs2(number).toString('hex').toUpperCase()],
  ['in UCS-2 of the other byte order', Buffer.from(number, 'utf16le').toString('hex')],
  ...[0, 1, 2].flatMap((before): [string, string][] => [
    [`in base64 behind ${before}`, Buffer.from(`${'x'.repeat(before)}${number}yz`).toString('base64')],
    [`in base64 of UCS-2 behind ${before}`, Buffer.concat([Buffer.alloc(before, 7), ucs2(number)]).toString('base64')],
    [`at the end of base64 behind ${before}`, Buffer.from(`${'x'.repeat(before)}${number}`).toString('base64')],
  ]),
])('it is found %s', (_, text) => {
  expect(text).toMatch(found);
});

test.each(['+213550123457', '+213551123456', '0550 12 34 5', Buffer.from('+213550123457').toString('base64')])(
  '%s is another one',
  (text) => {
    expect(text).not.toMatch(found);
  },
);

test.each([
  ['+213550123456', '+213550******'],
  ['+12125550123', '+121255*****'],
  ['+4512345', '+451****'],
])('%s is erased to %s', (e164, erased) => {
  expect(erasedForm(e164)).toBe(erased);
  expect([isErased(erased), isErased(e164)]).toEqual([true, false]);
});

test('in JSON it is replaced, and what contains it emptied', () => {
  const body = {
    id: 'evt_01k6h2r1c3e0f2b6n9q5501234',
    at: '2055-01-23T45:60:00.000Z',
    data: {
      to: number,
      raw: 'id:1 stat:DELIVRD',
      client_reference: `u-${number}`,
      parts: 1,
      tags: ['0550123456', 'x'],
    },
  };
  expect(withoutNumber(body, forms)).toEqual({
    ...body,
    data: { to: '+213550******', raw: '', client_reference: '', parts: 1, tags: ['', 'x'] },
  });
});

test("WhatsApp's ids are not stored with an erased session", () => {
  expect(storableId('+213550******', 'whatsapp', 'wamid.x')).toBeNull();
  expect(storableId('+213550******', 'sms', '8A3F')).toBe('8A3F');
  expect(storableId(number, 'whatsapp', 'wamid.x')).toBe('wamid.x');
});

test('spans that overlap are one', () => {
  expect(spansOf([10_000, 10_500, 60_000])).toEqual([
    { from: 9_000, until: 12_500 },
    { from: 59_000, until: 62_000 },
  ]);
});

test.each([
  ['as a send stores it', '+2130550 12-34-56', '+213550123456'],
  ['a range that is not assigned (any more)', '+213 950123456', '+213950123456'],
  ['a length that the country has given up', '+22501234567', '+22501234567'],
  ['national', '0550123456', null],
  ['letters', '+21355012345x', null],
  ['no country', '+0550123456', null],
])('the number to erase, %s', (_, text, number) => {
  expect(storedNumber(text)).toBe(number);
});
