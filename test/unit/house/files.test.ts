// The shape of our files: short, but no crumbs, with a header that says what lives there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SRC, sourceFiles } from './imports.ts';

const MAX_LINES = 300;

/** Beside the migrations, of which a release never changes one. */
const MOST_FILES = 660;

/** Below it, readers of one flow open too many files. */
const LEAST_MEDIAN = 95;

const files = sourceFiles().map((path) => ({ path, lines: readFileSync(join(SRC, path), 'utf8').split('\n') }));

test('there are files to look at', () => {
  expect(files.length).toBeGreaterThan(10);
});

test(`no file is longer than ${MAX_LINES} lines`, () => {
  const long = files.filter(({ lines }) => lines.length - 1 > MAX_LINES);
  expect(long.map(({ path, lines }) => `${path}: ${lines.length - 1} lines`)).toEqual([]);
});

test(`half of the files have at least ${LEAST_MEDIAN} lines: a section with one reader stands in its reader's file`, () => {
  const counts = files.map(({ lines }) => lines.length - 1).sort((a, b) => a - b);
  expect(counts[Math.floor(counts.length / 2)]).toBeGreaterThanOrEqual(LEAST_MEDIAN);
});

test(`no more than ${MOST_FILES} files`, () => {
  expect(files.filter(({ path }) => !path.startsWith('db/migrations/')).length).toBeLessThanOrEqual(MOST_FILES);
});

test('every file says at its top what lives there', () => {
  const silent = files.filter(({ lines }) => !/^(\/\/|\/\*)/.test(lines[lines[0]?.startsWith('#!') ? 1 : 0] ?? ''));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('a spread adds what is held elsewhere: no literal is spread to keep its keys on one line', () => {
  const literal = /\.\.\.(?:\{|\[[^\][]*\](?!\.))/;
  expect('({ ...{ a, b } })').toMatch(literal);
  expect("[...['a', 'b']]").toMatch(literal);
  expect('[...[...lines].map(f), ...[a, b].map(g), ...(x ? { x } : {})]').not.toMatch(literal);
  expect(files.filter(({ lines }) => literal.test(lines.join('\n'))).map(({ path }) => path)).toEqual([]);
});
