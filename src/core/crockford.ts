// Lowercase Crockford base32: digits and letters without i, l, o and u, so that nothing is misread aloud. Used by ids and API keys.

export const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** One character of the alphabet, as a piece of a regular expression. */
export const crockfordClass = '[0-9a-hjkmnp-tv-z]';

/** `length` characters for a whole number below 32^length, most significant first. Exact up to 2^53. */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i += 1) {
    text = crockfordAlphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The number written in `text`. A character outside the alphabet is a bug of the caller: RangeError. */
export function decodeNumber(text: string): number {
  let value = 0;
  for (const char of text) {
    const digit = crockfordAlphabet.indexOf(char);
    if (digit < 0) throw new RangeError('not lowercase Crockford base32');
    value = value * 32 + digit;
  }
  return value;
}

/** Eight characters for every five bytes; the length has to be a multiple of five, so that there is no padding to agree on. */
export function encodeBytes(bytes: Uint8Array): string {
  if (bytes.length % 5 !== 0) throw new RangeError('base32 without padding needs a multiple of 5 bytes');
  let text = '';
  for (let at = 0; at < bytes.length; at += 5) {
    let group = 0;
    for (let i = 0; i < 5; i += 1) group = group * 256 + (bytes[at + i] ?? 0);
    text += encodeNumber(group, 8);
  }
  return text;
}
