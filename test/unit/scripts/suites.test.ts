// Which suites and which preparations a command line of `npm test` comes to.
import { expect, test } from 'vitest';
import { choose, suites } from '../../../scripts/test/suites.ts';

const names = (...args: string[]) => choose(args).suites.map(({ name }) => name);
const needs = (...args: string[]) => choose(args).needs;

test('without arguments every suite runs, and everything is prepared', () => {
  expect(choose([]).suites).toEqual(suites);
  expect(needs()).toEqual(expect.arrayContaining(['go', 'python', 'kannel', 'tshark', 'phpunit', 'chromium']));
});

test.each([
  ['a suite by its name', ['unit'], ['unit']],
  ['two, in their own order', ['e2e', 'codegen'], ['codegen', 'e2e']],
  ['the suite of a file', ['test/unit/core/phone.test.ts'], ['unit']],
  ['the suites of a part of a path', ['core/phone'], ['unit']],
  ['the suite of an SDK by its file', ['test/sdks/php.ts'], ['sdk-php']],
  ['a named suite, whatever the filter is a part of', ['e2e', 'test/unit/core/phone.test.ts'], ['e2e']],
  ['a suite that is run by its name alone', ['ss7'], ['ss7']],
  ['what is far, and of that what another suite is named like', ['far', 'ss7'], ['far']],
  ['a file of a suite that is run by its name alone', ['test/ss7/timelines.test.ts'], ['ss7']],
  ['what no file has in its path: all', ['-t', 'a name of a test'], suites.map(({ name }) => name)],
])('%s', (_, args, chosen) => {
  expect(names(...args)).toEqual(chosen);
});

test.each([
  ['unit', []],
  ['integration', []],
  ['test/unit/core/phone.test.ts', []],
  ['test/e2e/start.test.ts', []],
  ['test/e2e/signup.test.ts', ['chromium']],
  ['e2e', ['chromium']],
  ['test/codegen/node.test.ts', []],
  ['test/codegen/python.test.ts', ['python']],
  ['codegen', ['go', 'python']],
  ['test/peers/grpc.test.ts', ['go']],
  ['docs', ['python']],
])('%s needs %j', (arg, wanted) => {
  expect(needs(arg)).toEqual(wanted);
});

test('an option filters nothing out of what is prepared, and is passed on', () => {
  expect(choose(['e2e', '-t', 'signs up'])).toMatchObject({ filters: ['-t', 'signs up'], needs: ['chromium'] });
});

test('unit is shuffled, and no other suite', () => {
  const shuffled = suites.filter(({ command }) => command.some((arg) => arg.startsWith('--sequence.shuffle')));
  expect(shuffled.map(({ name }) => name)).toEqual(['unit']);
});
