// The suites of `npm test` in the order they run: which files each holds, and which of them a command line asks for.
import { globSync } from 'node:fs';
import { root } from '../run.ts';
import { type Need, needsOf } from './needs.ts';

export interface Suite {
  name: string;
  /** Program and arguments; what the caller filters by is appended. */
  command: readonly string[];
  /** Glob pattern of the test files. */
  files: string;
}

const vitest = (name: string, ...options: string[]): Suite => ({
  name,
  command: [
    process.execPath,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    name,
    '--reporter=default',
    '--reporter=./test/support/reporter.ts',
    '--passWithNoTests',
    ...options,
  ],
  files: `test/${name}/**/*.test.ts`,
});

/** `file`: of test/sdks, which runs it against one `npm start`. */
const againstStart = (name: string, file: string): Suite => ({
  name,
  command: [process.execPath, 'test/sdks/run.ts', file],
  files: `test/sdks/${file}.ts`,
});

export const suites: readonly Suite[] = [
  // One process holds all files of unit: in another order each time, what one leaves behind for the next is found.
  vitest('unit', '--sequence.shuffle.files', '--sequence.shuffle.tests'),
  vitest('codegen'),
  // Its second project has the files that nothing may run beside.
  vitest('integration', '--project', 'integration-alone'),
  // Chosen files of integration on another server: vitest.config.ts.
  vitest('postgres-15'),
  // The engine once more, over several databases: vitest.config.ts.
  vitest('cells'),
  vitest('e2e'),
  vitest('peers'),
  ...['python', 'node', 'php', 'laravel', 'go'].map((language) => againstStart(`sdk-${language}`, language)),
  ...['docs', 'samples', 'snippets', 'examples'].map((name) => againstStart(name, name)),
];

/** What takes more than minutes or megabytes: run by name alone. */
const farSuites: readonly Suite[] = [vitest('far'), vitest('ss7')];

export interface Choice {
  suites: readonly Suite[];
  /** What is appended to their command lines: parts of paths, options. */
  filters: readonly string[];
  needs: readonly Need[];
}

/** The named suites; else those with a file that one of the filters is a part of; else all. What follows `far` filters its files alone. */
export function choose(args: readonly string[]): Choice {
  const names = args[0] === 'far' ? ['far'] : args;
  const named = [...suites, ...farSuites].filter(({ name }) => names.includes(name));
  const filters = args.filter((arg) => named.every(({ name }) => name !== arg));
  const matching = suites.filter((suite) => matchingFiles(suite, filters).length > 0);
  // Their files are chosen by whole paths alone: a part of one may be another option's value.
  const paths = filters.filter((filter) => filter.startsWith('test/'));
  const far = farSuites.filter((suite) => matchingFiles(suite, paths).length > 0);
  const chosen = [named, matching, far, suites].find(({ length }) => length > 0) ?? [];
  const needs = chosen.flatMap((suite) => runFiles(suite, filters).flatMap(needsOf));
  return { suites: chosen, filters, needs: [...new Set(needs)] };
}

function matchingFiles(suite: Suite, filters: readonly string[]): string[] {
  const parts = filters.filter((filter) => !filter.startsWith('-'));
  return filesOf(suite).filter((file) => parts.some((part) => file.includes(part)));
}

/** Those the filters select; all where they select none: then they are something else, such as the value of `-t`. */
function runFiles(suite: Suite, filters: readonly string[]): string[] {
  const matching = matchingFiles(suite, filters);
  return matching.length > 0 ? matching : filesOf(suite);
}

const filesOf = ({ files }: Suite): string[] => globSync(files, { cwd: root });
