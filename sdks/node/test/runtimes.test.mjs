// The packed SDK in Deno and Bun.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const modules = join(process.env.RAMZ_SDK_TOOLS ?? '', 'node_modules');
const programs = {
  deno: ['@deno/*/deno', 'run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
  bun: ['@oven/bun-*/bin/bun', 'run'],
};

for (const [name, [pattern, ...args]] of Object.entries(programs)) {
  const [program] = globSync(join(modules, pattern));
  test(`the story in ${name}`, { skip: program ? false : `${name} could not be installed from npm` }, async () => {
    const script = join(import.meta.dirname, 'portable-main.mjs');
    const output = await new Promise((resolve, reject) => {
      const options = { cwd: join(import.meta.dirname, '..'), timeout: 60_000 };
      execFile(program, [...args, script, name], options, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stdout}${stderr}`)) : resolve(stdout),
      );
    });
    assert.match(output, /all well/);
  });
}
