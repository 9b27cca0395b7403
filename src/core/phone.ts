// Phone numbers: parsing and judging by libphonenumber's full metadata, routing by prefix, masking for logs. The full metadata is
// needed to refuse ranges that no subscriber has: a message to them costs money and verifies nothing.

import {
  isSupportedCountry,
  type NumberType,
  ParseError,
  parsePhoneNumberWithError,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';

export type PhoneType = 'mobile' | 'fixed_line_or_mobile';

export type PhoneRefusal =
  /** No leading plus sign: a national number, or 00 in place of the plus. */
  | 'not_international'
  /** Something other than digits and their usual separators. */
  | 'malformed'
  | 'unknown_country'
  | 'too_short'
  | 'too_long'
  /** The length is right, but the range is not assigned. */
  | 'unassigned'
  /** Assigned to something that can't be expected to receive a code: fixed line, premium rate, pager, toll-free… */
  | 'not_mobile';

export type ParsedPhone =
  | {
      kind: 'ok';
      /** E.164 with the plus sign, without separators. */
      e164: string;
      /** ISO 3166-1 alpha-2, or '001' for ranges that belong to no country. */
      country: string;
      /** The digits after the country code. */
      national: string;
      type: PhoneType;
    }
  | { kind: 'invalid'; reason: PhoneRefusal };

/**
 * What is between the digits that people type and paste: white space, every dash and minus, soft hyphen, zero-width characters, bidi marks,
 * embeddings and isolates. Phones set in Arabic copy a number with such marks around it.
 */
export const typedSeparators = /[\s\p{Pd}\u2212\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069]/gu;
const maxInputLength = 40;

/** Brackets stay, since `+44 (0) 20` is read in two ways. */
const withoutSeparators = (input: string): string => input.replace(typedSeparators, '').replaceAll('.', '');

/**
 * Reads a number in international format: plus sign, country code, subscriber number (spec, `to`).
 * North American numbers are accepted although fixed and mobile numbers share their ranges there.
 */
export function parsePhone(input: string): ParsedPhone {
  if (input.length > maxInputLength) return invalid('too_long');
  const compact = withoutSeparators(input);
  if (!compact.startsWith('+')) return invalid('not_international');
  if (!/^\+[0-9]+$/.test(compact)) return invalid('malformed');
  const number = parse(compact);
  if (typeof number === 'string') return invalid(number);
  const type = number.getType();
  // The library's reason first: "too short" helps the caller more than "unassigned" does.
  if (!number.isValid() || type === undefined) return invalid(lengthProblem(compact) ?? 'unassigned');
  const accepted = acceptedTypes[type];
  if (!accepted) return invalid('not_mobile');
  return {
    kind: 'ok',
    e164: number.number,
    country: number.country ?? '001',
    national: number.nationalNumber,
    type: accepted,
  };
}

/** A national number of that country (ISO 3166) in international format; null where the input is none. */
export function internationalForm(input: string, country: string): string | null {
  const compact = withoutSeparators(input);
  if (input.length > maxInputLength || !/^[0-9]+$/.test(compact) || !isSupportedCountry(country)) return null;
  try {
    const number = parsePhoneNumberWithError(compact, country);
    return number.isValid() ? number.number : null;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

/**
 * The number in E.164 that a network means by an address in whatever form: with a plus, with 00, in full, or national. A 0 in front of that is
 * dialled at home in most countries, and part of the number in some (Côte d'Ivoire, Congo). `prefixes` are those of the numbers that the network serves. Null where the address is no such number.
 */
export function servedNumber(address: string, prefixes: readonly string[]): string | null {
  const digits = address.replace(/^\+|^00/, '');
  if (!/^[0-9]{6,15}$/.test(digits)) return null;
  if (prefixes.some((prefix) => digits.length > 7 && `+${digits}`.startsWith(prefix))) return `+${digits}`;
  for (const national of new Set([digits.replace(/^0/, ''), digits]))
    for (const prefix of prefixes) {
      // A country code has one to three digits, and no code begins with another one.
      for (let end = 2; end <= 4; end += 1) {
        const code = prefix.slice(1, end);
        const number = `+${code}${national}`;
        if (number.startsWith(prefix) && isNumberOf(code, number)) return number;
      }
    }
  return null;
}

/** Whether it is a number of that country code as it is written: the parser leaves out a 0 that does not belong to it. */
function isNumberOf(code: string, number: string): boolean {
  const parsed = parse(number);
  if (typeof parsed === 'string') return false;
  return parsed.countryCallingCode === code && parsed.number === number && parsed.isValid();
}

const acceptedTypes: Partial<Record<NonNullable<NumberType>, PhoneType>> = {
  MOBILE: 'mobile',
  FIXED_LINE_OR_MOBILE: 'fixed_line_or_mobile',
};

const refusals: Record<string, PhoneRefusal> = {
  INVALID_COUNTRY: 'unknown_country',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
};

function parse(compact: string): ReturnType<typeof parsePhoneNumberWithError> | PhoneRefusal {
  try {
    return parsePhoneNumberWithError(compact);
  } catch (error) {
    if (error instanceof ParseError) return refusals[error.message] ?? 'malformed';
    throw error;
  }
}

function lengthProblem(compact: string): PhoneRefusal | undefined {
  const problem = validatePhoneNumberLength(compact);
  return problem === undefined ? undefined : refusals[problem];
}

const invalid = (reason: PhoneRefusal): ParsedPhone => ({ kind: 'invalid', reason });

/**
 * The number as logs may show it: `+213550000001` → `+2135*****01`. Always five stars, so that its length stays hidden.
 * A number too short to keep anything secret that way is masked wholly.
 */
export function maskPhone(number: string): string {
  return /^\+[0-9]{9,}$/.test(number) ? `${number.slice(0, 5)}*****${number.slice(-2)}` : '*****';
}

/** Seven digits or more of any script, with the separators that people write between them: a date has eight. */
const written = /\+?\p{Nd}(?:[^\p{L}\p{Nd}]{0,2}\p{Nd}){6,}/gu;
const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** A text that a person has written, without the digits that may be a phone number, in whatever form. */
export const maskWritten = (text: string): string =>
  text.replace(written, (found) => (date.test(found) ? found : maskPhone(found)));

/** The operator with the longest prefix that `e164` starts with; undefined = no route. Prefixes are E.164 beginnings, e.g. `+21355`. */
export function routeByPrefix<T extends { prefixes: readonly string[] }>(
  e164: string,
  operators: readonly T[],
): T | undefined {
  let best: T | undefined;
  let bestLength = 0;
  for (const operator of operators) {
    for (const prefix of operator.prefixes) {
      if (prefix.length > bestLength && e164.startsWith(prefix)) {
        best = operator;
        bestLength = prefix.length;
      }
    }
  }
  return best;
}
