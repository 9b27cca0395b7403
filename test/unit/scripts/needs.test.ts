// The table of what tests need is true: it names files and packages that are there, and no test uses what it does not declare.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { assertDeclared, needsOf, needyFiles } from '../../../scripts/test/needs.ts';
import { choose } from '../../../scripts/test/suites.ts';
import { toolPath } from '../../support/tool.ts';

test.each(needyFiles)('%s is there', (file) => expect(existsSync(join(root, file))).toBe(true));

test('the Debian packages are those of test/apt.txt', () => {
  const lines = readFileSync(join(root, 'test', 'apt.txt'), 'utf8').split('\n');
  const listed = lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '');
  const needs = new Set([...choose([]).needs, ...choose(['far']).needs]);
  const needed = [...needs].filter((need) => need !== 'go' && need !== 'python');
  expect(needed.toSorted()).toEqual(listed.toSorted());
});

test('a program of an undeclared need is an error that names the file, the program and the need', () => {
  expect(() => assertDeclared('/usr/bin/php', 'test/sdks/go.ts')).toThrow(
    "test/sdks/go.ts uses php, but scripts/test/needs.ts does not say that it needs 'php-cli'",
  );
  expect(() => toolPath('tshark')).toThrow(
    "test/unit/scripts/needs.test.ts uses tshark, but scripts/test/needs.ts does not say that it needs 'tshark'",
  );
});

test('what is declared, or is no need of the table, is used freely', () => {
  assertDeclared('/usr/bin/php', 'test/sdks/php.ts');
  assertDeclared('npm', 'test/sdks/node.ts');
  expect(needsOf('test/unit/core/phone.test.ts')).toEqual([]);
});
