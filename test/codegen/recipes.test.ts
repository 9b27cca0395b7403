// The recipes of CONTRIBUTING.md hold: on a copy of the tree the edits that they show pass the types and the tests they name, and leaving a
// step out fails as the page says.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { type Claim, edit, type Recipe, readRecipes, type Step } from './recipes.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = testFolder('recipes');
const recipes = readRecipes(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));
const parts = [
  ...[
    'src',
    'contract',
    'docs',
    'scripts',
    'sdks/codegen',
    'test/unit',
    'test/support',
    'test/simulate',
    'test/pumping',
  ],
  ...['Dockerfile', 'deploy', 'gateways/ss7/operator.json', 'gateways/ss7/src/main'],
  ...['package.json', 'tsconfig.json', 'buf.gen.yaml', 'vitest.config.ts'],
];

interface Omission extends Claim {
  recipe: Recipe;
  step: Step;
}

const omissions: Omission[] = recipes.flatMap((recipe) =>
  recipe.steps.flatMap((step) => (step.without ? [{ recipe, step, ...step.without }] : [])),
);

/** Omissions that do not disturb each other share a copy: one of each recipe, or all that are `npm run generate`. */
const copyOf = ({ recipe, step, tests }: Omission): string => {
  if (step.generates) return 'not-generated';
  const same = omissions.filter((each) => each.recipe === recipe && !each.step.generates && !each.tests === !tests);
  return `${tests ? 'tests' : 'types'}-${same.findIndex((each) => each.step === step)}`;
};
const copies = Map.groupBy(omissions, copyOf);
const complete = 'complete';
const typed = [complete, ...copies.keys()].filter((copy) => !copy.startsWith('tests-'));

/** Files that the compiler complains of, in each copy. */
let complaints: Map<string, string[]>;

beforeAll(async () => {
  make(complete, []);
  await run(complete, join(root, 'node_modules', '.bin', 'buf'), ['generate', '--config', 'contract/workspace.yaml']);
  await run(complete, process.execPath, ['scripts/docs.ts']);
  for (const [copy, omitted] of copies)
    make(
      copy,
      omitted.map(({ step }) => step),
    );
  complaints = await typecheck();
}, 15 * 60_000);

/** A copy of the tree with every step of every recipe but these. */
function make(copy: string, omitted: readonly Step[]): void {
  for (const part of parts) cpSync(join(root, part), join(folder, copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, copy, 'node_modules'));
  const steps = recipes.flatMap((recipe) => recipe.steps).filter((step) => !omitted.includes(step));
  for (const step of steps) for (const each of step.edits) edit(join(folder, copy), each);
  if (copy === complete || omitted.some(({ generates }) => generates)) return;
  for (const made of ['src/gen', 'docs'])
    cpSync(join(folder, complete, made), join(folder, copy, made), { recursive: true });
}

/** One run of the compiler reads all copies. */
async function typecheck(): Promise<Map<string, string[]>> {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const include = typed.flatMap((copy) =>
    ['src', 'test/unit/contract', 'test/unit/core'].map((part) => `${copy}/${part}`),
  );
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const said = await run('.', process.execPath, ['node_modules/typescript/bin/tsc', '--pretty', 'false']);
  const files = new Set([...said.matchAll(/^([^\s(]+)\(\d/gm)].map(([, path = '']) => path));
  return Map.groupBy(files, (path) => path.slice(0, path.indexOf('/')));
}

/** Test files of a copy that fail. */
async function failingTests(copy: string, filters: readonly string[]): Promise<string[]> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...filters];
  await run(copy, process.execPath, [...vitest, '--reporter=json', '--outputFile=result.json']);
  const { testResults } = JSON.parse(readFileSync(join(folder, copy, 'result.json'), 'utf8'));
  expect(testResults.length).toBeGreaterThan(0);
  const failed = testResults.filter(({ status }: { status: string }) => status !== 'passed');
  return failed.map(({ name }: { name: string }) => relative(join(folder, copy), name));
}

/** What a program prints, whatever its exit code. */
function run(copy: string, program: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME } = process.env;
  const env = { HOME, PATH: [dirname(process.execPath), PATH].join(delimiter) };
  return new Promise((resolve) => {
    const options = { cwd: join(folder, copy), env, maxBuffer: 2 ** 26 };
    execFile(program, [...args], options, (_error, stdout) => resolve(stdout));
  });
}

test('the page has the recipes that are followed here', () => {
  expect(recipes.map(({ name }) => name)).toEqual(['A field of a record', 'An error code', 'An event', 'A setting']);
  expect(omissions.length).toBeGreaterThanOrEqual(8);
});

test('with all steps the types pass', () => {
  expect(complaints.get(complete) ?? []).toEqual([]);
});

test('with all steps the tests pass', async () => {
  const tests = omissions.flatMap((each) => each.tests ?? []);
  expect(await failingTests(complete, [...new Set(tests)])).toEqual([]);
});

test.each([...copies].filter(([copy]) => typed.includes(copy)))('%s: the types name no other file', (copy, omitted) => {
  const named = omitted.map(({ names }) => `${copy}/${names}`);
  expect(complaints.get(copy)?.filter((path) => !named.includes(path))).toEqual([]);
});

test.each(
  omissions.map((omission) => [`${omission.recipe.name}, without step ${omission.step.number}`, omission] as const),
)('%s', async (_, omission) => {
  const copy = copyOf(omission);
  const { tests, names } = omission;
  const found =
    tests === null
      ? complaints.get(copy)?.map((path) => path.slice(copy.length + 1))
      : await failingTests(copy, [tests]);
  expect(found).toContain(names);
});
