// The build of the pages beside a start: it is left out where nothing can build, and its failure is no failure of the start.
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPages } from '../../../src/launch/pages.ts';
import { testFolder } from '../../support/folder.ts';
import { until } from '../../support/wait.ts';

const folder = testFolder('pages');
const log = openSync(join(folder, 'log'), 'a');
const logged = () => readFileSync(join(folder, 'log'), 'utf8');

/** A repository whose script of the build is this one. */
function repository(name: string, script: string | null, hasBundler = true): string {
  const root = join(folder, name, '/');
  mkdirSync(join(root, 'scripts/web'), { recursive: true });
  mkdirSync(join(root, 'node_modules/vite'), { recursive: true });
  if (script !== null) writeFileSync(join(root, 'scripts/web/build.ts'), script);
  if (hasBundler) writeFileSync(join(root, 'node_modules/vite/package.json'), '{}');
  return root;
}

test('nothing is built where the script or the bundler is missing', () => {
  const failures: string[] = [];
  const onFailure = (how: string) => failures.push(how);
  expect(buildPages({ root: repository('no-script', null), log, onFailure })).toBeNull();
  expect(buildPages({ root: repository('no-bundler', 'process.exit(1)', false), log, onFailure })).toBeNull();
  expect(failures).toEqual([]);
});

test('the build yields to all others, writes to the log, and says when it failed', async () => {
  const script = `import os from 'node:os'; console.log('nice ' + os.getPriority()); process.exit(3)`;
  const failures: string[] = [];
  buildPages({ root: repository('fails', script), log, onFailure: (how) => failures.push(how) });
  await until(() => failures.length > 0, { what: 'the failure' });
  expect(failures).toEqual(['exit code 3']);
  expect(logged()).toContain('nice 19');
});

test('a build that is stopped has not failed', async () => {
  const failures: string[] = [];
  const script = `console.log('building'); setInterval(() => {}, 1000)`;
  const build = buildPages({ root: repository('slow', script), log, onFailure: (how) => failures.push(how) });
  await until(() => logged().includes('building'), { what: 'the build to be under way' });
  await build?.stop();
  expect(failures).toEqual([]);
});
