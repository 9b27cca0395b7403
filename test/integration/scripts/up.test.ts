// scripts/up.mjs in a folder of its own, with an npm that installs nothing: the lock under which one process installs the packages, whose number in
// it keeps others waiting, and a Node that can't be handed over to.
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';

const folder = testFolder('up');
const lock = join(folder, '.tools', 'install.lock');
for (const name of ['scripts', 'bin', '.tools']) mkdirSync(join(folder, name));
copyFileSync(join(import.meta.dirname, '../../../scripts/up.mjs'), join(folder, 'scripts', 'up.mjs'));
writeFileSync(join(folder, 'package-lock.json'), '{}');
writeFileSync(join(folder, 'bin', 'npm'), '#!/bin/sh\nmkdir -p node_modules\n');
chmodSync(join(folder, 'bin', 'npm'), 0o755);

beforeEach(() => rmSync(join(folder, 'node_modules'), { recursive: true, force: true }));

const env = {
  PATH: [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
  npm_execpath: undefined,
  npm_node_execpath: undefined,
};
/** A shell runs `before`, and becomes the install. */
const install = (before = '') =>
  startProcess('/bin/sh', { args: ['-c', `${before}exec node scripts/up.mjs install`], cwd: folder, env });

test('a lock with its own number was left by one that was killed, as in a container, where numbers begin anew', async () => {
  const installing = install(`ln -s $$ ${lock}; `);
  await installing.waitFor(/installed in|is installing/);
  expect(installing.output()).not.toContain('another process');
  expect(await installing.exit()).toEqual({ code: 0, signal: null });
});

test('another program that has the number by now is not waited for; an install is, to its end', async () => {
  const other = (script: string) =>
    startProcess(process.execPath, { args: ['-e', 'setInterval(() => {}, 1000)', '--', script] });
  const stranger = other('scripts/other.mjs start');
  symlinkSync(String(stranger.pid), lock);
  expect(await install().exit()).toEqual({ code: 0, signal: null });
  await stranger.end();

  rmSync(join(folder, 'node_modules'), { recursive: true });
  const first = other(join(folder, 'scripts', 'up.mjs'));
  symlinkSync(String(first.pid), lock);
  const installing = install();
  await installing.waitFor(new RegExp(`another process \\(${first.pid}\\) is installing`));
  await first.end('SIGKILL');
  expect(await installing.exit()).toEqual({ code: 0, signal: null });
});

test('where the system has no loader for the pinned Node, as without glibc, the error says so', async () => {
  const bin = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bin, { recursive: true });
  // What a system says to a program whose loader is missing: that the program is.
  writeFileSync(join(bin, 'node'), '#!/no/such/loader\n', { mode: 0o755 });
  const starting = startProcess(process.execPath, { args: ['scripts/up.mjs', 'ramz'], cwd: folder, env });
  expect(await starting.exit()).toEqual({ code: 1, signal: null });
  expect(starting.output()).toContain('for Linux with glibc');
});
