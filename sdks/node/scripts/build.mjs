// Builds dist/esm and dist/cjs, each with types of its own, from src. Run by `npm pack` and `npm publish`.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const { resolve } = createRequire(import.meta.url);
const tsc = join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');

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
  for (const path of globSync(join(out, '**', '*.d.ts'))) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
  const type = name === 'esm' ? 'module' : 'commonjs';
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
}
