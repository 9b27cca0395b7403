// How generated TypeScript looks: header, doc comments, literals. Knows nothing of the contract.

import { generatedBy } from '../header.ts';

const header = `// ${generatedBy('node.ts')}`;

const width = 120;

/** A TSDoc comment, wrapped; Markdown paragraphs and lists stay. No text: no comment. */
export function doc(text: string, indent = ''): string[] {
  const safe = text.replaceAll('*/', '*\\/').trim();
  if (safe === '') return [];
  const single = `${indent}/** ${safe} */`;
  if (!safe.includes('\n') && single.length <= width) return [single];
  const lines = safe.split('\n').flatMap((line) => wrap(line, width - indent.length - 3));
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** What follows in an item of a list is indented as its text. */
function wrap(text: string, limit: number): string[] {
  const hanging = text.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > limit) {
      lines.push(line);
      line = hanging + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A string in single quotes. */
export const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** A property's name, quoted only where it must be. */
export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

/** `{ a: 1, b: 2 }` on one line where it fits behind `before`, else one entry a line. */
export function object(before: string, entries: readonly string[], indent: string, after: string): string[] {
  const line = `${indent}${before}{ ${entries.join(', ')} }${after}`;
  if (entries.length > 0 && line.length <= width) return [line];
  if (entries.length === 0) return [`${indent}${before}{}${after}`];
  return [`${indent}${before}{`, ...entries.map((entry) => `${indent}  ${entry},`), `${indent}}${after}`];
}

/** `before(a, b)after` on one line where it fits, else one entry a line. `before` begins with its indentation. */
export function list(before: string, entries: readonly string[], after: string): string[] {
  const line = `${before}(${entries.join(', ')})${after}`;
  if (line.length <= width) return [line];
  const indent = /^ */.exec(before)?.[0] ?? '';
  return [`${before}(`, ...entries.map((entry) => `${indent}  ${entry},`), `${indent})${after}`];
}

/** `import type { a, b } from 'path';` */
export function importing(names: readonly string[], path: string, kind: 'type' | 'value' = 'type'): string[] {
  if (names.length === 0) return [];
  const sorted = [...new Set(names)].sort();
  const word = kind === 'type' ? 'import type' : 'import';
  const line = `${word} { ${sorted.join(', ')} } from '${path}';`;
  if (line.length <= width) return [line];
  return [`${word} {`, ...sorted.map((name) => `  ${name},`), `} from '${path}';`];
}

export const file = (...lines: string[]): string => `${[header, '', ...lines].join('\n').trimEnd()}\n`;
