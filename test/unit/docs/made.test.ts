// What is made from the code must be as the code is now.
import { expect, test } from 'vitest';
import { fill, partsOf } from '../../../scripts/docs/fill.ts';
import { parts } from '../../../scripts/docs/parts.ts';
import { pages, read } from './pages.ts';

test.each(pages())('%s is up to date', (path) => {
  const page = read(path);
  expect(page, 'run: npm run generate').toBe(fill(page, parts));
});

test('every part stands in one page', () => {
  expect(
    pages()
      .flatMap((path) => partsOf(read(path)))
      .sort(),
  ).toEqual(Object.keys(parts).sort());
});

test('a stale part is seen, an unknown one is an error', () => {
  const page = '<!-- made: a -->\nold\n<!-- end -->\nrest';
  expect(fill(page, { a: () => 'new' })).toBe('<!-- made: a -->\n\nnew\n\n<!-- end -->\nrest');
  const inline = 'at most <!-- made: a -->4<!-- end --> of them';
  expect(fill(inline, { a: () => '16' })).toBe('at most <!-- made: a -->16<!-- end --> of them');
  expect(() => fill(page, {})).toThrow(/a/);
});
