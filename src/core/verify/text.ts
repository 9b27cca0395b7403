// The texts of an SMS in three languages, always one segment: 160 characters of the GSM alphabet, or 70 UTF-16 units, since a second
// segment doubles the price. Texts of WhatsApp are templates of its platform; calls play recordings.

import { isGsm7Basic } from '../../text/gsm7-alphabet.ts';
import { type AutofillRefusal, type AutofillRequest, parseAutofill } from './autofill.ts';
import type { Autofill, Language } from './session.ts';

export interface SmsTextRequest {
  language: Language;
  /** 4-10 ASCII digits. */
  code: string;
  /** The business's name. Left out where it doesn't fit, or could be taken for the code. */
  brand?: string;
  /** A text of the account's own, with `{code}` once and `{brand}` once at most. The usual text stands in where it doesn't fit. */
  template?: string;
  autofill?: Autofill;
}

/** What of its wording a text has: the account's own text, the brand in the usual one, or neither. */
export type Says = 'template' | 'brand' | 'plain';

export type SmsText =
  | { kind: 'ok'; text: string; encoding: 'gsm7' | 'ucs2'; parts: 1; says: Says }
  | { kind: 'refused'; reason: AutofillRefusal | 'not_a_code' | 'too_long' };

/** U+200E, left-to-right mark. */
const lrm = '\u200e';
/** U+200F, right-to-left mark. */
const rlm = '\u200f';

/**
 * Between two marks the digits are a left-to-right run of their own in any line. Marks rather than the
 * isolates U+2068/U+2069: those came with Unicode 6.3, and a phone older than that shows each as a box beside the code.
 */
const isolate = (code: string): string => lrm + code + lrm;

/** Behind a name in Arabic letters digits would be drawn to its left, as a part of it. */
const beside = (name: string, code: string): string =>
  /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(name) ? isolate(code) : code;

type Body = (code: string, brand: string) => string;

/** For each language, bodies from the fullest to the briefest; the first one that fits is taken. */
const bodies: Record<Language, { withBrand: Body[]; plain: Body[] }> = {
  // An Arabic word comes first: clients take the direction of the whole line from its first strong letter. Another stands
  // between name and code: a Latin name next to the code would become one left-to-right run with it, and change places.
  ar: {
    withBrand: [
      (code, brand) => `رمز ${brand} للتحقق: ${isolate(code)}. لا تشاركه مع أحد.`,
      (code, brand) => `رمز ${brand} هو ${isolate(code)}`,
    ],
    plain: [
      (code) => `رمز التحقق: ${isolate(code)}. لا تشاركه مع أحد.`,
      (code) => `رمز التحقق: ${isolate(code)}`,
      (code) => `رمزك: ${isolate(code)}`,
    ],
  },
  // The second is for names outside the GSM alphabet, beside which one segment has 70 characters.
  fr: {
    withBrand: [
      (code, brand) => `Votre code de vérification ${brand} : ${beside(brand, code)}. Ne le communiquez à personne.`,
      (code, brand) => `Votre code ${brand} : ${isolate(code)}`,
    ],
    plain: [(code) => `Votre code de vérification : ${code}. Ne le communiquez à personne.`],
  },
  en: {
    withBrand: [
      (code, brand) => `Your ${brand} verification code: ${code}. Do not share it with anyone.`,
      (code, brand) => `Your ${brand} code: ${isolate(code)}`,
    ],
    plain: [(code) => `Your verification code: ${code}. Do not share it with anyone.`],
  },
};

/** Android's SMS Retriever passes over messages of more bytes than this. */
const maxRetrieverBytes = 140;

/** The text of one SMS. Refused only for input that validation should have refused: a bad code or a bad autofill request. */
export function smsText(request: SmsTextRequest): SmsText {
  const { code, autofill = {} } = request;
  if (!/^[0-9]{4,10}$/.test(code)) return { kind: 'refused', reason: 'not_a_code' };
  const asked = parseAutofill(autofill);
  if (asked.kind === 'invalid') return { kind: 'refused', reason: asked.reason };
  for (const { says, text } of candidates(request, asked)) {
    if (excessOf(text, asked) > 0) continue;
    // A brand and a text are approved one by one, so nobody may have looked at the two together.
    if (says !== 'plain' && receiptKeyOf(text) !== null) continue;
    return { kind: 'ok', text, encoding: isPlain(text) ? 'gsm7' : 'ucs2', parts: 1, says };
  }
  return { kind: 'refused', reason: 'too_long' };
}

/** Where a receipt repeats the message without saying where it begins, the code behind such a key would be read as the key's value. */
const receiptKey = /\b(?:id|sub|dlvrd|date|stat(?:us)?|err(?:or)?|text)\s*:/i;

/** What of some words is such a key; null where nothing is. */
export const receiptKeyOf = (words: string): string | null => receiptKey.exec(words)?.[0] ?? null;

/** What is such a key in the best text that fits, which is not said for that reason; null where nothing is. */
export function receiptKeyInText(request: SmsTextRequest): string | null {
  const asked = parseAutofill(request.autofill ?? {});
  const best = candidates(request, asked).find(({ text }) => excessOf(text, asked) === 0);
  return best ? receiptKeyOf(best.text) : null;
}

/**
 * How many characters too long the account's own text is, or the briefest of the usual ones that names the brand; 0 where it fits, and
 * where the brand can't be named in any.
 */
export function excess(request: SmsTextRequest): number {
  const wanted: Says = request.template === undefined ? 'brand' : 'template';
  const asked = parseAutofill(request.autofill ?? {});
  const named = candidates(request, asked).filter(({ says }) => says === wanted);
  const lengths = named.map(({ text }) => excessOf(text, asked));
  return lengths.length === 0 ? 0 : Math.min(...lengths);
}

/** Every text there could be, the best first. */
function candidates({ language, code, brand = '', template }: SmsTextRequest, asked: AutofillRequest) {
  const lastLine = lastLineFor(asked, code);
  const { withBrand, plain } = bodies[language];
  const nameable = isNameable(brand);
  const own = template !== undefined && (nameable || !template.includes('{brand}'));
  return [
    ...(own ? [{ says: 'template' as const, text: filled(template, code, brand, lastLine) }] : []),
    ...(nameable ? withBrand.map((body) => ({ says: 'brand' as const, text: body(code, brand) + lastLine })) : []),
    ...plain.map((body) => ({ says: 'plain' as const, text: body(code, brand) + lastLine })),
  ];
}

function lastLineFor(asked: AutofillRequest, code: string): string {
  if (asked.kind === 'android') return `\n${asked.appHash}`;
  return asked.kind === 'web' ? `\n@${asked.host} #${code}` : '';
}

const placeholder = /\{(code|brand)\}/g;
const arabic = /^\p{Script=Arabic}$/u;

/**
 * A line that begins with the code takes its direction from the marks around it: a right-to-left mark before them keeps the direction
 * that its own letters ask for.
 */
function filled(template: string, code: string, brand: string, lastLine: string): string {
  const put = (digits: string) => template.replace(placeholder, (_, name) => (name === 'code' ? digits : brand));
  const text = put(code) + lastLine;
  if (isPlain(text)) return text;
  const firstLetter = /\p{L}/u.exec(template.replace(placeholder, ''))?.[0] ?? '';
  const startsWithPlaceholder = /^[^\p{L}]*\{(?:code|brand)\}/u.test(template);
  const turned = arabic.test(firstLetter) && startsWithPlaceholder;
  return (turned ? rlm : '') + put(isolate(code)) + lastLine;
}

/** How far the text is over one segment, or over what the SMS Retriever reads. */
function excessOf(text: string, asked: AutofillRequest): number {
  const overSegment = text.length - (isPlain(text) ? 160 : 70);
  const overRetriever = asked.kind === 'android' ? Buffer.byteLength(text) - maxRetrieverBytes : 0;
  return Math.max(0, overSegment, overRetriever);
}

/** One septet for each character at every operator: those whose SMSC takes Latin-1 have no other letters of the GSM alphabet. */
const isPlain = (text: string): boolean => isGsm7Basic(text) && !/[^\n\u0020-\u00ff]/.test(text);

/** No control or bidi characters, no four digits in a row that a phone could offer as the code. */
export const isNameable = (brand: string): boolean =>
  brand.trim() !== '' && !/[\p{C}\p{Zl}\p{Zp}]|\p{Nd}{4}/u.test(brand);
