// The GSM 7-bit default alphabet (3GPP TS 23.038 section 6.2.1) as far as it is needed to know what fits, and which sender names
// may be used. Turning text into bytes is the business of smpp/, which core may not import.

/** The basic table in code order; the escape at 0x1B is left out, since it is no character of its own. */
const basicTable =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà';

/** The extension table: reached by the escape, so each costs two septets. */
const extensionTable = '\f^{}\\[~]|€';

const basic: ReadonlySet<string> = new Set(basicTable);
const extension: ReadonlySet<string> = new Set(extensionTable);

/** Every character is in the basic table: one septet each, on every phone. */
export function isGsm7Basic(text: string): boolean {
  return [...text].every((char) => basic.has(char));
}

/** The text can be sent as GSM 7-bit, extension table included. */
export function isGsm7(text: string): boolean {
  return gsm7Length(text) !== undefined;
}

/** Length in septets, 160 of which fit one SMS; undefined when a character is in neither table. */
export function gsm7Length(text: string): number | undefined {
  let septets = 0;
  for (const char of text) {
    if (basic.has(char)) septets += 1;
    else if (extension.has(char)) septets += 2;
    else return undefined;
  }
  return septets;
}

/**
 * A custom sender name: 1-11 characters, of which the contract says "GSM characters". Narrower here, since what passes every
 * operator is: ASCII letters and digits, and between them single spaces, `-`, `.`, `_`, `&`. `@` and `$` change places on some
 * SMSCs (codes 0x00 and 0x02), accented letters depend on the operator's default alphabet. At least one letter: a name of digits
 * alone would pass for a phone number or a short code that belongs to somebody else.
 */
export function isSenderName(name: string): boolean {
  return name.length <= 11 && /^[A-Za-z0-9]+(?:[ ._&-][A-Za-z0-9]+)*$/.test(name) && /[A-Za-z]/.test(name);
}
