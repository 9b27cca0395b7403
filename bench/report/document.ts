// Puts figures into the pages of docs/, so that what stands there was measured and not typed.

import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces the block of that name. @throws when the page has none. */
export function writeIntoDocument(name: string, text: string, page = 'performance.md'): void {
  const path = new URL(`../../docs/${page}`, import.meta.url);
  writeFileSync(path, withBlock(readFileSync(path, 'utf8'), name, text));
}

/** What stands between the comments `name:` and `:name`, as a block of preformatted text. */
export function withBlock(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: -->\n`, `<!-- :${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the document has no place for ${name}`);
  return `${document.slice(0, from + begin.length)}\n\`\`\`text\n${text}\n\`\`\`\n\n${document.slice(to)}`;
}
