// A message's text in pieces, so that its code can be shown as something to take.

export type Piece = { kind: 'text' | 'code'; text: string; at: number };

/** Four to ten digits that belong to no longer number, nor to a price, a time or an address. */
const code = /(?<![\d.,:/+#-])\d{4,10}(?![\d/:]|[.,-]\d)/g;

/** Marks of direction stand around a code in Arabic: they are of no use beside an element that has a direction of its own. */
const marks = /[\u200e\u200f]/g;

export function pieces(text: string): Piece[] {
  const plain = text.replace(marks, '');
  const found: Piece[] = [];
  let from = 0;
  for (const match of plain.matchAll(code)) {
    if (match.index > from) found.push({ kind: 'text', text: plain.slice(from, match.index), at: from });
    found.push({ kind: 'code', text: match[0], at: match.index });
    from = match.index + match[0].length;
  }
  if (from < plain.length) found.push({ kind: 'text', text: plain.slice(from), at: from });
  return found;
}

export const codeIn = (text: string): string | null => pieces(text).find(({ kind }) => kind === 'code')?.text ?? null;

export interface TemplateText {
  body: string;
  /** The small line under it. */
  footer: string;
  /** What the button would copy where that is not the code of the body: a mistake that should be seen. */
  odd: string;
}

/** A message of WhatsApp as the sandbox writes it: the body, the footer, and a button in brackets only where it differs. */
export function templateText(text: string): TemplateText {
  const [body = '', ...rest] = text.split('\n');
  const isOdd = (line: string) => /^\[.*\]$/.test(line);
  return { body, footer: rest.filter((line) => !isOdd(line)).join('\n'), odd: rest.find(isOdd) ?? '' };
}
