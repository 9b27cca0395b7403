// The forms in which a phone number may stand in what is stored, and what stands in its place once it is erased. A number is in columns of its
// own, and inside of texts: a carrier's report (plain, in hexadecimal, as UCS-2), the body of a webhook, a reference that a client has chosen.

import { parsePhone, typedSeparators } from '../phone.ts';
import { prefixOf } from '../reports/rollup.ts';

/**
 * What stands in place of a number: the prefix that reports divide by, which ten thousand numbers at least have in common, and an asterisk for
 * each other digit. So sessions that are added up once more add up as before.
 */
export const erasedForm = (e164: string): string => prefixOf(e164).padEnd(e164.length, '*');

export const isErased = (number: string): boolean => number.endsWith('*');

/** A carrier's id of a message, as it may be stored with a session to `to`: WhatsApp writes the number into its ids. */
export const storableId = (to: string, channel: string, id: string | null): string | null =>
  isErased(to) && channel === 'whatsapp' ? null : id;

const e164Form = /^\+[1-9][0-9]{6,14}$/;

/**
 * The number in E.164 as a send stores it. One that no send takes may have been valid when it was stored, and is taken as it is written.
 * Null = no number.
 */
export function storedNumber(text: string): string | null {
  const parsed = parsePhone(text);
  if (parsed.kind === 'ok') return parsed.e164;
  const written = text.replace(typedSeparators, '');
  return e164Form.test(written) ? written : null;
}

/** A number as it is looked for in texts. */
export interface NumberForms {
  e164: string;
  /** In place of the number. */
  erased: string;
  /** Regular expression, in the words that Postgres and JavaScript have in common. */
  pattern: string;
}

/** A shorter part of a number could stand anywhere. */
const leastNational = 7;
/** Digits of other scripts that people type: Arabic-Indic and Persian. */
const scripts = ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹'];

/** @param e164 with the plus. One that is valid no longer may have been so when it was stored. */
export function formsOf(e164: string): NumberForms {
  const parsed = parsePhone(e164);
  const whole = e164.slice(1);
  const national = parsed.kind === 'ok' && parsed.national.length >= leastNational ? parsed.national : whole;
  const digits = [...national];
  const hex = digits.map((digit) => `3${digit}`);
  const patterns = [
    // With or without the country code, 00 or a leading 0, and with the separators that people write: 0550 - 12 - 34 - 56.
    digits.join('[^0-9]{0,3}'),
    ...scripts.map((script) => digits.map((digit) => script[Number(digit)]).join('[^0-9]{0,3}')),
    // Octets in hexadecimal; UCS-2 has a zero octet before or behind each.
    hex.join('[^0-9A-Fa-f]{0,2}'),
    hex.join('[^0-9A-Fa-f]{0,2}00[^0-9A-Fa-f]{0,2}'),
    ...base64Of(Buffer.from(national, 'latin1')),
    ...base64Of(Buffer.from(digits.map((digit) => `\0${digit}`).join(''), 'latin1')),
    ...base64Of(Buffer.from(digits.map((digit) => `${digit}\0`).join(''), 'latin1')),
  ];
  return { e164, erased: erasedForm(e164), pattern: patterns.join('|') };
}

/** Each character of base64, with its six bits. */
const base64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((character, at) => ({
  character,
  bits: at.toString(2).padStart(6, '0'),
}));

/**
 * Base64 of octets that stand somewhere in others, at each of the three places. The characters at both ends have bits of the octets before and
 * behind as well: there any character stands that has the bits which are known.
 */
function base64Of(octets: Buffer): string[] {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return [0, 2, 4].map((before) => {
    const known = '.'.repeat(before) + bits;
    const groups = known.padEnd(Math.ceil(known.length / 6) * 6, '.').match(/.{6}/g) ?? [];
    return groups.map(charactersWith).join('');
  });
}

/** One character, or a class of those whose six bits are these; a point is any bit, and stands at one end only. */
function charactersWith(bits: string): string {
  const known = bits.replaceAll('.', '');
  const fits = bits.startsWith('.') ? 'endsWith' : 'startsWith';
  const found = base64
    .filter((each) => each.bits[fits](known))
    .map(({ character }) => character)
    .join('');
  return found.length === 1 && found !== '+' ? found : `[${found}]`;
}

/** Ids and times of our own making have digits in a row, and never a number. */
const ours = /^(?:[a-z]+_[0-9a-hjkmnp-tv-z]{26}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z)$/;

/** JSON without the number: as a value of its own it becomes its erased form, a text that contains it becomes empty, and so does every `raw`. */
export function withoutNumber(value: unknown, forms: NumberForms): unknown {
  const pattern = new RegExp(forms.pattern);
  const found = { test: (text: string) => !ours.test(text) && pattern.test(text) };
  const clean = (each: unknown, name = ''): unknown => {
    if (typeof each === 'string') {
      if (each === forms.e164) return forms.erased;
      return name === 'raw' || found.test(each) ? '' : each;
    }
    if (Array.isArray(each)) return each.map((inner) => clean(inner));
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => [found.test(key) ? '' : key, clean(inner, key)]),
    );
  };
  return clean(value);
}
