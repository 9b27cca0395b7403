import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, it, test } from 'vitest';
import { allowedPrefixes, isNumberPrefix } from '../../../../src/core/limits/allowed-prefixes.ts';

it('allows every number where the account has no prefixes', () => {
  expect(allowedPrefixes('+213550000001', [])).toBeNull();
});

it('allows what begins with one of them, and finds every other number', () => {
  const prefixes = ['+21355', '+2136612'];
  expect(allowedPrefixes('+213550000001', prefixes)).toBeNull();
  expect(allowedPrefixes('+213661200001', prefixes)).toBeNull();
  const found = { rule: 'allowed_prefixes', reason: 'allowed_prefixes', field: 'to' };
  expect(allowedPrefixes('+213661100001', prefixes)).toEqual(found);
  expect(allowedPrefixes('+33612345678', prefixes)).toEqual(found);
});

const digits = (length: number) => array(constantFrom(...'0123456789'), { minLength: length, maxLength: length });

it('allows a number by each beginning of it, and by no other digits of that length', () => {
  assert(
    property(digits(11), integer({ min: 1, max: 11 }), digits(11), (number, length, others) => {
      const to = `+1${number.join('')}`;
      const prefix = `+1${others.slice(0, length).join('')}`;
      expect(allowedPrefixes(to, [to.slice(0, length + 2)])).toBeNull();
      expect(allowedPrefixes(to, [prefix]) === null).toBe(to.slice(0, length + 2) === prefix);
    }),
  );
});

test.each(['+1', '+21355', '+21355000000', '+491512', '+99912'])('%s is a prefix', (text) =>
  expect(isNumberPrefix(text)).toBe(true),
);
test.each(['', '+', '21355', '+0', '+213 55', '+21355*', '+2135500000012345', '+٢١٣', '+1\n'])('%j is none', (text) =>
  expect(isNumberPrefix(text)).toBe(false),
);

// They are stored in clear, and say whose number it is.
test.each(['+213550000001', '+213550000001234', '+21321234567', '+12025550123', '+43664123456', '+4366412345678'])(
  '%s is a whole number, or one and more',
  (text) => expect(isNumberPrefix(text)).toBe(false),
);

const phone = tuple(constantFrom(...getCountries()), digits(10)).map(([country, others]) =>
  `+${getCountryCallingCode(country)}${others.join('')}`.slice(0, 16),
);

it('finds the whole numbers that the parser finds, and no others', () => {
  const read = (text: string) => {
    try {
      return parsePhoneNumberWithError(text);
    } catch {
      return null;
    }
  };
  assert(
    property(phone, (text) => {
      const beginnings = Array.from(text, (_, end) => text.slice(0, end + 1));
      const whole = beginnings.filter((each) => read(each)?.isValid());
      if (whole.length === 0) expect(isNumberPrefix(text), text).toBe(true);
      // The parser also takes what is not written as it is dialled from abroad.
      else if (whole.some((each) => read(each)?.number === each)) expect(isNumberPrefix(text), text).toBe(false);
    }),
    { numRuns: 500 },
  );
});

it('takes every beginning of a mobile number of every country that is not itself a number', () => {
  for (const [country, national] of Object.entries(examples)) {
    const { number } = parsePhoneNumberWithError(national, country as CountryCode);
    const taken = Array.from(number, (_, end) => number.slice(0, end)).filter(isNumberPrefix);
    // Where lengths differ, the shortest is four digits shorter.
    expect(taken.length, number).toBeGreaterThanOrEqual(number.length - 5);
    expect(isNumberPrefix(number)).toBe(false);
  }
});
