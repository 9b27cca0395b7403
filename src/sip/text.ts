// Text of SIP headers: tokens, quoted strings, lists and parameters (RFC 3261 section 25.1). Every function walks its text once,
// because strangers choose how long the text is and what repeats in it. A string holds octets: one character each, up to U+00FF.

const TOKEN = /^[-A-Za-z0-9.!%*_+`'~]+$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** The octets to send for `text`: characters beyond U+00FF become UTF-8, because Node would write U+010D as a CR. */
export const toOctets = (text: string): string =>
  text.replace(/[\u0100-\uffff]+/g, (wide) => Buffer.from(wide, 'utf8').toString('latin1'));

/** The octets of `text`, with `%` and two digits for each of `others`, a pattern of single octets. */
export const percentEncode = (text: string, others: RegExp): string =>
  toOctets(text).replace(others, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Without blanks around it. JavaScript's own trim takes U+00A0, too, which here is an octet of a letter: of the last one of "voilà". */
export function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** A number of decimal digits alone, at most `most`; null for everything else. */
export function parseDecimal(text: string, most: number): number | null {
  if (!/^[0-9]+$/.test(text)) return null;
  const number = Number(text);
  return number <= most ? number : null;
}

/** Where the quoted string that begins at `at` ends: the place after its closing quote, or -1 when it has none. */
export function endOfQuoted(text: string, at: number): number {
  for (let place = at + 1; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === '"') return place + 1;
  }
  return -1;
}

/** What a quoted string says, without quotes and escapes. */
export const unquote = (quoted: string): string => quoted.slice(1, -1).replace(/\\(.)/gs, '$1');

export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The parts of a list, trimmed. Separators inside of quotes and of `<>` do not count. */
export function splitOutside(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === '<') {
      const end = character === '"' ? endOfQuoted(text, at) : text.indexOf('>', at) + 1;
      at = end > 0 ? end : text.length;
      continue;
    }
    if (character === separator) {
      parts.push(trim(text.slice(start, at)));
      start = at + 1;
    }
    at += 1;
  }
  parts.push(trim(text.slice(start)));
  return parts;
}

/** `name` or `name=value` each, names in lower case, values without quotes; the first of a name counts. Null where a quote never ends. */
export function parseParameters(parts: readonly string[]): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = trim(equals < 0 ? part : part.slice(0, equals)).toLowerCase();
    const value = equals < 0 ? '' : trim(part.slice(equals + 1));
    const end = value.startsWith('"') ? endOfQuoted(value, 0) : 0;
    if (end < 0) return null;
    if (isToken(name) && !parameters.has(name)) parameters.set(name, end > 0 ? unquote(value.slice(0, end)) : value);
  }
  return parameters;
}
