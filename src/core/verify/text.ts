// The texts of an SMS in three languages, always one segment: 160 GSM-7 characters, or 70 UTF-16 units for Arabic, since a second
// segment doubles the price. Texts of messaging apps are templates of their platform; calls play recordings.

import { gsm7Length, isGsm7Basic } from '../../text/gsm7-alphabet.ts';
import { type AutofillRefusal, parseAutofill } from './autofill.ts';
import type { Autofill, Language } from './session.ts';

export interface SmsTextRequest {
  language: Language;
  /** 4-10 ASCII digits. */
  code: string;
  /** The business's name. Left out where it doesn't fit, would cost the alphabet, or could be taken for the code. */
  brand?: string;
  autofill?: Autofill;
}

export type SmsText =
  | { kind: 'ok'; text: string; encoding: 'gsm7' | 'ucs2'; parts: 1 }
  | { kind: 'refused'; reason: AutofillRefusal | 'not_a_code' | 'too_long' };

/** U+200E, left-to-right mark. */
const lrm = '\u200e';

/**
 * Between two marks the digits are a left-to-right run of their own in any line. Marks rather than the
 * isolates U+2068/U+2069: those came with Unicode 6.3, and a phone older than that shows each as a box beside the code.
 */
const isolate = (code: string): string => lrm + code + lrm;

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
  fr: {
    withBrand: [(code, brand) => `Votre code de vérification ${brand} : ${code}. Ne le communiquez à personne.`],
    plain: [(code) => `Votre code de vérification : ${code}. Ne le communiquez à personne.`],
  },
  en: {
    withBrand: [(code, brand) => `Your ${brand} verification code: ${code}. Do not share it with anyone.`],
    plain: [(code) => `Your verification code: ${code}. Do not share it with anyone.`],
  },
};

/** Android's SMS Retriever passes over messages of more bytes than this. */
const maxRetrieverBytes = 140;

/** The text of one SMS. Refused only for input that validation should have refused: a bad code or a bad autofill request. */
export function smsText({ language, code, brand = '', autofill = {} }: SmsTextRequest): SmsText {
  if (!/^[0-9]{4,10}$/.test(code)) return { kind: 'refused', reason: 'not_a_code' };
  const asked = parseAutofill(autofill);
  if (asked.kind === 'invalid') return { kind: 'refused', reason: asked.reason };
  const lastLine =
    asked.kind === 'android' ? `\n${asked.appHash}` : asked.kind === 'web' ? `\n@${asked.host} #${code}` : '';
  const maxBytes = asked.kind === 'android' ? maxRetrieverBytes : Number.POSITIVE_INFINITY;

  const { withBrand, plain } = bodies[language];
  for (const body of isUsableBrand(brand, language) ? [...withBrand, ...plain] : plain) {
    const text = body(code, brand) + lastLine;
    if (fitsOneSegment(text) && Buffer.byteLength(text) <= maxBytes) {
      return { kind: 'ok', text, encoding: isGsm7Basic(text) ? 'gsm7' : 'ucs2', parts: 1 };
    }
  }
  return { kind: 'refused', reason: 'too_long' };
}

function fitsOneSegment(text: string): boolean {
  const septets = gsm7Length(text);
  return septets === undefined ? text.length <= 70 : septets <= 160;
}

/** No control or bidi characters, no four digits in a row that a phone could offer as the code, no letter that costs fr and en their alphabet. */
function isUsableBrand(brand: string, language: Language): boolean {
  if (brand.trim() === '' || /[\p{C}\p{Zl}\p{Zp}]|\p{Nd}{4}/u.test(brand)) return false;
  return language === 'ar' || isGsm7Basic(brand);
}
