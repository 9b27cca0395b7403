// The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 sections 6.2.1 and 6.2.1.1): which characters it has, and
// how many septets each costs. core decides by it what fits one SMS, smpp writes it to the wire: both must use the same table.

/** Precedes a code of the extension table. */
export const gsm7Escape = 0x1b;

/** The basic table in code order; U+001B holds the place of the escape, which is no character of its own. */
export const gsm7BasicTable =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà';

export const gsm7ExtensionTable: readonly (readonly [code: number, char: string])[] = [
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

/** Codes of the basic table by character, without the escape. */
export const gsm7BasicCodes: ReadonlyMap<string, number> = new Map(
  [...gsm7BasicTable].map((char, code) => [char, code] as const).filter(([, code]) => code !== gsm7Escape),
);

/** Codes of the extension table by character; each goes behind an escape. */
export const gsm7ExtensionCodes: ReadonlyMap<string, number> = new Map(
  gsm7ExtensionTable.map(([code, char]) => [char, code] as const),
);

/** Septets the character costs, 2 with the escape; 0 when the alphabet lacks it. */
export function septetsOf(char: string): 0 | 1 | 2 {
  if (gsm7BasicCodes.has(char)) return 1;
  return gsm7ExtensionCodes.has(char) ? 2 : 0;
}

/** Every character is in the basic table: one septet each, on every phone. */
export function isGsm7Basic(text: string): boolean {
  return [...text].every((char) => gsm7BasicCodes.has(char));
}

/** Length in septets, 160 of which fit one SMS; undefined when a character is in neither table. */
export function gsm7Length(text: string): number | undefined {
  let septets = 0;
  for (const char of text) {
    const cost = septetsOf(char);
    if (cost === 0) return undefined;
    septets += cost;
  }
  return septets;
}
