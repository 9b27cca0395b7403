// What the image is made of: every file that the Dockerfile copies is in its context, and the packages of production stay few. The image
// itself is replayed by test/far/image.test.ts.
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { testFolder } from '../../support/folder.ts';
import {
  copiedSources,
  isInContext,
  lastStage,
  privateCopy,
  replay,
  runs,
  stage,
  unreadable,
} from '../../support/image.ts';
import { allImports, sourceFiles } from '../../unit/house/imports.ts';

const folder = testFolder('image');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');

test('every source of a COPY is there, and is not left out of the context', () => {
  const sources = copiedSources(dockerfile);
  expect(sources).toContain('src');
  expect(sources).toContain('prompts');
  expect(sources.filter((path) => !globSync(path, { cwd: root }).length)).toEqual([]);
  expect(sources.filter((path) => !isInContext(path, ignored))).toEqual([]);
});

test.each([
  ['src', '*\n!src', true],
  ['src/gen', '*\n!src', true],
  ['prompts', '*\n!src', false],
  ['sdks/codegen/package.json', '*\n!sdks/codegen/package.json', true],
  ['sdks/go', '*\n!sdks/codegen/package.json', false],
])('%s in the context of %j: %s', (path, rules, expected) => {
  expect(isInContext(path, rules)).toBe(expected);
});

test.each(['.git', '.env', '.data', 'deploy/.env', 'deploy/secrets', 'test', 'docs'])(
  'nothing of the repository’s own is in the context: %s',
  (path) => expect(isInContext(path, ignored)).toBe(false),
);

test('the user of the image can read all of it, also where the checkout was made under umask 077', () => {
  const [context, source, image] = ['context', 'source', 'image'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const stages = [stage(dockerfile, 'source'), lastStage(dockerfile)];
  privateCopy(root, stages.flatMap(copiedSources), context);
  replay(stages[0] ?? '', { context, to: source, isRun: () => true });
  replay(stages[1] ?? '', { context, to: image, stages: { source }, isRun: () => false });
  expect(readdirSync(image).toSorted()).toEqual(['LICENSE', 'package.json', 'prompts', 'src']);
  expect(unreadable(context).length).toBeGreaterThan(600);
  expect(unreadable(image)).toEqual([]);
});

/** Sent to browsers. */
const notImported = ['api/signup/browser/origin.js', 'api/signup/browser/result.js', 'api/signup/browser/signup.js'];

test('the image has of src what its commands need, and nothing that only `npm start` runs', () => {
  const [, words = ''] = /^rm -r (.+)$/m.exec(runs(stage(dockerfile, 'source')).join('\n')) ?? [];
  const removed = words.split(' ').map((path) => path.replace('src/', ''));
  expect(removed).toEqual(expect.arrayContaining(['launch', 'sandbox']));
  const isRemoved = (file: string) => removed.some((path) => file === path || file.startsWith(`${path}/`));
  const files = sourceFiles();
  expect(removed.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))).toEqual([]);

  const imports = allImports().filter(({ ours, file }) => ours && !isRemoved(file));
  const broken = imports.filter(({ target }) => isRemoved(target));
  expect(broken.map(({ file, target }) => `${file}: ${target}`)).toEqual([
    'main.ts: launch/launch.ts',
    'main.ts: cli/sandbox.ts',
    'main.ts: cli/send.ts',
  ]);
  const reached = new Set(['main.ts']);
  for (const file of reached)
    for (const each of imports) if (each.file === file && !isRemoved(each.target)) reached.add(each.target);
  expect(files.filter((file) => !isRemoved(file) && !reached.has(file)).toSorted()).toEqual(notImported);
});

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  link?: boolean;
}

/** Of `npm ci --omit=dev --omit=optional`, which the image runs. */
const mostPackages = 110;
const mostMegabytes = 110;

test(`a production install has at most ${mostPackages} packages and ${mostMegabytes} MB`, () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const installed = Object.entries(packages)
    .filter(
      ([path, { dev, devOptional, optional, link }]) =>
        path.startsWith('node_modules/') && !(dev || devOptional || optional || link),
    )
    .map(([path]) => path);
  expect(installed).toContain('node_modules/@bufbuild/protobuf');
  expect(installed.length).toBeLessThanOrEqual(mostPackages);
  const files = installed.flatMap(filesOf);
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(bytes / 2 ** 20).toBeLessThanOrEqual(mostMegabytes);
  expect(bytes / 2 ** 20).toBeGreaterThan(20);
});

/** Files of a package, without those of packages inside it, which the lock file names themselves. */
const filesOf = (path: string): string[] =>
  globSync('**/*', { cwd: join(root, path), exclude: (entry) => entry.name === 'node_modules', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
