// Python text: names, docstrings and comments, wrapped. Nothing here knows the contract.

import { generatedBy } from '../header.ts';

/** Longest line of the SDK, as its formatter has it (sdks/python/pyproject.toml). */
const lineWidth = 100;

export const header = `# ${generatedBy('python.ts')}`;

// Words that can't be names; `match` and the like can.
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** A name of the contract as a name in Python: `from` → `from_`. */
export const pyName = (name: string): string => (keywords.has(name) ? `${name}_` : name);

/** A word of a value set as a constant's name: `receipt.updated` → `RECEIPT_UPDATED`. */
export const constantName = (word: string): string => word.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

/** A string literal. */
export const quote = (text: string): string => JSON.stringify(text);

/** Paragraphs broken into lines that fit behind `indent` spaces; empty lines between paragraphs. */
export function wrap(text: string, indent: number): string[] {
  return text.split('\n\n').flatMap((paragraph, index) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/).filter((each) => each !== '')) {
      if (line !== '' && indent + line.length + 1 + word.length > lineWidth) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    if (line !== '') lines.push(line);
    return index === 0 ? lines : ['', ...lines];
  });
}

/** Text behind `indent` spaces; blank lines stay empty. */
export const indented = (lines: readonly string[], indent: number): string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line));

/** A docstring behind `indent` spaces; one line where it fits. Lines are as `wrap` makes them. */
export function docstring(lines: readonly string[], indent: number): string[] {
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'));
  const [only = '', ...more] = safe;
  const closed = `"""${only}"""`;
  if (more.length === 0 && indent + closed.length <= lineWidth && !only.endsWith('"'))
    return indented([closed], indent);
  return indented([`"""${only}`, ...more, '"""'], indent);
}

/** A docstring of plain text. */
export const described = (text: string, indent: number): string[] => docstring(wrap(text, indent + 3), indent);
