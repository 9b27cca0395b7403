// How a PHP file and its PHPDoc are laid out.

import { generatedBy } from '../header.ts';

const width = 118;

/** A whole file: one class. `uses` are the fully qualified names it imports, `plugin` the one that makes it. */
export function file(namespace: string, uses: readonly string[], body: readonly string[], plugin = 'php.ts'): string {
  return [
    '<?php',
    '',
    `// ${generatedBy(plugin)}`,
    '',
    'declare(strict_types=1);',
    '',
    `namespace ${namespace};`,
    '',
    ...uses.map((name) => `use ${name};`),
    ...(uses.length > 0 ? [''] : []),
    ...body,
    '',
  ].join('\n');
}

/** A PHPDoc block; long paragraphs are broken. */
export function block(paragraphs: readonly string[], indent = ''): string[] {
  const lines = paragraphs
    .flatMap((paragraph) => paragraph.split('\n'))
    .flatMap((line) => wrap(safe(line), width - indent.length - 3));
  if (lines.length === 1 && String(lines[0]).length + indent.length + 7 <= width + 2)
    return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** Breaks at spaces, but not within `{@see …}`; what belongs to a tag (`@param …`) hangs in by two. */
function wrap(text: string, columns: number): string[] {
  const hang = text.startsWith('@') ? '  ' : '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ (?![^{}]*\})/)) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = `${hang}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A comment of the contract can't end ours. */
const safe = (text: string): string => text.replaceAll('*/', '*\u200B/');

/** A PHP string literal. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
