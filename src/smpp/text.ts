// Message texts: which encoding carries them, their octets, and how many parts they take. data_coding numbers are the
// operator's and are not known here.

import { encodeGsm7, septetsOf } from './gsm7.ts';

/** How an SMSC reads octets under its default data_coding (SMPP v3.4 section 5.2.19: "SMSC Default Alphabet"). */
export type DefaultAlphabet = 'gsm7' | 'latin1';

export interface EncodedText {
  /** `ucs2` is UTF-16BE, as phones have long read it. */
  encoding: DefaultAlphabet | 'ucs2';
  octets: Buffer;
  /** Parts the network carries and the operator bills. */
  segments: number;
}

/** Units in a message alone, and in one of several, where a header takes 6 octets (3GPP TS 23.040 section 9.2.3.24.1). */
const limits = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
} as const;

/**
 * The default alphabet where it has every character, else UCS-2.
 *
 * With `latin1` a text must be in both ISO 8859-1 and GSM 7-bit: the phone still gets the latter, and the SMSC would put
 * question marks where it can't convert.
 */
export function encodeText(text: string, alphabet: DefaultAlphabet = 'gsm7'): EncodedText {
  const gsm7 = encodeGsm7(text);
  if (gsm7 !== null && alphabet === 'gsm7') {
    return { encoding: 'gsm7', octets: gsm7, segments: countSegments(text, 'gsm7') };
  }
  if (gsm7 !== null && isLatin1(text)) {
    return { encoding: 'latin1', octets: Buffer.from(text, 'latin1'), segments: countSegments(text, 'gsm7') };
  }
  return { encoding: 'ucs2', octets: encodeUcs2(text), segments: countSegments(text, 'ucs2') };
}

/** Neither an escaped pair nor a surrogate pair is ever torn between two parts, so units may be lost at each seam. */
export function countSegments(text: string, units: 'gsm7' | 'ucs2'): number {
  const { single, part } = limits[units];
  let total = 0;
  let parts = 1;
  let inPart = 0;
  for (const char of text) {
    const size = units === 'ucs2' ? char.length : septetsOf(char);
    total += size;
    inPart += size;
    if (inPart <= part) continue;
    parts += 1;
    inPart = size;
  }
  return total <= single ? 1 : parts;
}

export const encodeUcs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** A last odd octet is dropped. */
export function decodeUcs2(octets: Buffer): string {
  const whole = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)));
  return whole.swap16().toString('utf16le');
}

function isLatin1(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}
