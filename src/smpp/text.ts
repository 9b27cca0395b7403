// Message texts: the encoding that carries a text, its octets, and the parts it takes. data_coding numbers are the operator's, so
// they are not known here. The alphabet itself is in text/gsm7-alphabet.ts; SMPP carries it unpacked, one septet an octet.

import {
  gsm7BasicCodes,
  gsm7BasicTable,
  gsm7Escape,
  gsm7ExtensionCodes,
  gsm7ExtensionTable,
  septetsOf,
} from '../text/gsm7-alphabet.ts';

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

const extensionChars = new Map(gsm7ExtensionTable);

/** Null when a character is in neither table: nothing is replaced silently. */
export function encodeGsm7(text: string): Buffer | null {
  const octets: number[] = [];
  for (const char of text) {
    const basic = gsm7BasicCodes.get(char);
    const extension = gsm7ExtensionCodes.get(char);
    if (basic !== undefined) octets.push(basic);
    else if (extension !== undefined) octets.push(gsm7Escape, extension);
    else return null;
  }
  return Buffer.from(octets);
}

/** The text that a phone would show: an unknown escape shows the basic character, an octet over 0x7F becomes U+FFFD. */
export function decodeGsm7(octets: Buffer): string {
  let text = '';
  for (let i = 0; i < octets.length; i++) {
    let code = octets[i]!;
    if (code === gsm7Escape) {
      i += 1;
      code = octets[i] ?? 0x20;
      const extension = extensionChars.get(code);
      if (extension !== undefined) {
        text += extension;
        continue;
      }
      if (code === gsm7Escape) code = 0x20; // reserved for a table of tables; shown as a space
    }
    text += gsm7BasicTable[code] ?? '\ufffd';
  }
  return text;
}
