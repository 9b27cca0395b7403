// Programs for developers: a wrong option is said in a line, and nothing has begun. A run of no inputs would end with 0, as if all were well.
import { expect, test } from 'vitest';
import { startScript } from '../../support/process.ts';

test.each([
  ['fuzz', ['--count', 'many'], '--count must be a whole number of at least 1'],
  ['fuzz', ['--seconds='], '--seconds must be a whole number of at least 1'],
  ['fuzz', ['--target', 'receipt', '--target', 'fax'], '--target fax: it is one of '],
  ['chaos', ['--processes', '40'], '--processes must be a whole number from 2 to '],
  ['chaos', ['--rate=0'], '--rate must be a whole number of at least 1'],
  ['simulate', ['--seed', '1.5'], '--seed must be a whole number of at least 1'],
  ['simulate', ['--mutant', 'none'], '--mutant must be one of: '],
  ['shake', ['--longest=10', 'unit'], '--longest must be 0, or at least 50'],
  ['shake', ['--often'], "Unknown option '--often'"],
])('%s %j', async (name, args, said) => {
  const run = startScript(`scripts/${name}.ts`, { args });
  expect(await run.exit()).toMatchObject({ code: 2 });
  expect(run.output()).toMatch(new RegExp(`^usage: npm run ${name} -- `));
  expect(run.output().trimEnd().split('\n').at(-1)).toContain(said);
});

test('--help ends with 0', async () => {
  const run = startScript('scripts/chaos.ts', { args: ['--help'] });
  expect(await run.exit()).toMatchObject({ code: 0 });
  expect(run.output()).toMatch(/^usage: npm run chaos -- /);
});
