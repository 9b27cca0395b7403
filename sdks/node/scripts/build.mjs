// Builds dist/esm and dist/cjs, each with types of its own, from src. Run by `npm pack` and `npm publish`. In a clone without
// packages it first installs what the build needs (devDependencies), beside package.json.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const { resolve } = createRequire(import.meta.url);
const tsc = join(dirname(typescript()), 'bin', 'tsc');

/** @type {Record<string, string[]>} */
const builds = {
  esm: [],
  // Only in ES modules are imports kept as they are written.
  cjs: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const [name, options] of Object.entries(builds)) {
  const out = join(root, 'dist', name);
  execFileSync(process.execPath, [tsc, '-p', root, '--outDir', out, ...options], { stdio: 'inherit' });
  // tsc rewrites imports in .js only; in .d.ts older versions of TypeScript stumble over them.
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(out, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
  const type = name === 'esm' ? 'module' : 'commonjs';
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
}

function typescript() {
  const name = 'typescript/package.json';
  try {
    return resolve(name);
  } catch {
    install();
    return resolve(name);
  }
}

function install() {
  // The npm that runs this may have been told things that are about `npm pack` alone, in its environment.
  const options = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--no-dry-run'];
  const args = ['install', '--prefix', root, ...options];
  const npm = process.env.npm_execpath ?? '';
  const [program, first] = npm.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  console.error('ramz: installing what the build needs …');
  // All of it to stderr: what `npm pack` prints is the name of the tarball.
  execFileSync(program, [...first, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}
