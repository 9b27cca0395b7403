// Which skips are no failure with CI=true.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { maySkip, readMaySkip } from '../../../scripts/test/may-skip.ts';

test('each line of test/may-skip.txt is about tests that are there', () => {
  const names = readMaySkip().map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

const allowed = readMaySkip('# about\n\ntest/a/ | there is no b # c is optional\n');

test('a skip is allowed by its name and its reason together', () => {
  const skip = { name: 'test/a/x.test.ts > d', reason: 'there is no b here' };
  expect(maySkip(skip, allowed)).toBe(true);
  expect(maySkip({ ...skip, reason: 'marked as skipped' }, allowed)).toBe(false);
  expect(maySkip({ ...skip, name: 'test/b/x.test.ts > d' }, allowed)).toBe(false);
  expect(maySkip(skip, [])).toBe(false);
});

test('a line without its why is refused', () => {
  expect(() => readMaySkip('test/a/ | there is no b')).toThrow('is not <name> | <reason> # <why>');
});
