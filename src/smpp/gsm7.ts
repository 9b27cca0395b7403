// The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 sections 6.2.1 and 6.2.1.1), one septet per octet:
// SMPP carries it unpacked.

const ESCAPE = 0x1b;

/** In code order; U+001B holds the place of the escape. */
const basicTable =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà';

const extensionTable: readonly (readonly [code: number, char: string])[] = [
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
];

const basicCodes = new Map([...basicTable].map((char, code) => [char, code] as const));
basicCodes.delete(String.fromCharCode(ESCAPE));
const extensionCodes = new Map(extensionTable.map(([code, char]) => [char, code] as const));
const extensionChars = new Map(extensionTable);

/** Septets the character costs, 2 with the escape; 0 when the alphabet lacks it. */
export function septetsOf(char: string): number {
  if (basicCodes.has(char)) return 1;
  return extensionCodes.has(char) ? 2 : 0;
}

/** Null when a character is in neither table: nothing is replaced silently. */
export function encodeGsm7(text: string): Buffer | null {
  const octets: number[] = [];
  for (const char of text) {
    const basic = basicCodes.get(char);
    const extension = extensionCodes.get(char);
    if (basic !== undefined) octets.push(basic);
    else if (extension !== undefined) octets.push(ESCAPE, extension);
    else return null;
  }
  return Buffer.from(octets);
}

/** What a phone would show: an unknown escape shows the basic character, an octet over 0x7F becomes U+FFFD. */
export function decodeGsm7(octets: Buffer): string {
  let text = '';
  for (let i = 0; i < octets.length; i++) {
    let code = octets[i]!;
    if (code === ESCAPE) {
      i += 1;
      code = octets[i] ?? 0x20;
      const extension = extensionChars.get(code);
      if (extension !== undefined) {
        text += extension;
        continue;
      }
      if (code === ESCAPE) code = 0x20; // reserved for a table of tables; shown as a space
    }
    text += basicTable[code] ?? '\ufffd';
  }
  return text;
}
