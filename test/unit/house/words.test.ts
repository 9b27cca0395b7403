// The words of our files: native, plain, technical English. A list cannot make a sentence good, but these words stood in nearly all that
// had to be read twice.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SRC, sourceFiles } from './imports.ts';

/** Each with the words to write instead. */
const UNWANTED: Record<string, string> = {
  anew: 'again, or "for each message"',
  'for ever': '"without a limit", or "until …"',
  whoever: 'the role: the caller, the operator, the reader',
  somebody: 'the role: another process, a caller',
  anybody: 'the role: any caller',
  everybody: 'the role: all callers, all processes',
  thereof: '"of it"',
  whereof: '"of which"',
  thereby: '"so", or "by it"',
  hence: 'so',
  whence: '"from where"',
  lest: '"so that … not"',
  whilst: 'while',
};

/** Values are passed, read or given, never "told". A few uses of people remain. */
const MOST_TOLD = 19;

/** A migration that has run is a document: neither it nor its comments are edited. */
const isFrozen = (path: string) => path.startsWith('db/migrations/');

const lines = sourceFiles()
  .filter((path) => !isFrozen(path))
  .flatMap((path) =>
    readFileSync(join(SRC, path), 'utf8')
      .split('\n')
      .map((text, index) => ({ text, at: `src/${path}:${index + 1}` })),
  );

const uses = (word: string) => {
  const pattern = new RegExp(`\\b${word}\\b`, 'i');
  return lines.filter(({ text }) => pattern.test(text));
};

test.each(Object.entries(UNWANTED))('no file says "%s"', (word, instead) => {
  const found = uses(word).map(({ at, text }) => `${at}: write ${instead}, not "${word}": ${text.trim()}`);
  expect(found).toEqual([]);
});

test(`"told" is written at most ${MOST_TOLD} times`, () => {
  const found = uses('told').map(({ at, text }) => `${at}: ${text.trim()}`);
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(MOST_TOLD);
});

test('a word is found where it stands, and not inside another', () => {
  expect(lines.length).toBeGreaterThan(1_000);
  expect(uses('const').length).toBeGreaterThan(100);
  expect(uses('cons')).toEqual([]);
});
