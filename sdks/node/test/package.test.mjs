// The package as such: its types for every way of resolving modules, its entry points, what is in it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

const { RAMZ_SDK_TARBALL: tarball, RAMZ_SDK_TOOLS: tools = '', RAMZ_SDK_TSC: tsc } = process.env;
/** The bundler of this repository's own pages. */
const { RAMZ_SDK_ROLLDOWN: rolldown = '' } = process.env;
const project = join(import.meta.dirname, '..');
const own = join(project, 'node_modules', '@ramz', 'sdk');
const missing = existsSync(join(tools, 'node_modules')) ? false : 'its tools could not be installed from npm';

/** Runs a program of Node; throws with its output where it fails. */
const node = (...args) =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: project }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}${stderr}`)) : resolve(stdout),
    );
  });

describe('types', () => {
  const compilers = { 'TypeScript 7': tsc, 'TypeScript 5': join(tools, 'node_modules', 'typescript', 'bin', 'tsc') };
  // What Connect declares needs both the DOM and Node.
  const samples = {
    'with the DOM': ['sample', { lib: ['es2022', 'dom'], types: [] }],
    'of Node': ['sample', { lib: ['es2022'], types: ['node'] }],
    'over gRPC': ['grpc', { lib: ['es2022', 'dom'], types: ['node'] }],
  };
  for (const [compiler, path] of Object.entries(compilers))
    for (const [title, [sample, options]] of Object.entries(samples).filter(
      ([one]) => path === tsc || one === 'of Node',
    ))
      test(`${compiler}, ${title}: import and require`, { skip: existsSync(path) ? false : missing }, async () => {
        const folder = join(project, 'types', `${compiler} ${title}`.replaceAll(' ', '-'));
        mkdirSync(folder, { recursive: true });
        for (const extension of ['mts', 'cts'])
          cpSync(join(import.meta.dirname, 'types', `${sample}.ts`), join(folder, `sample.${extension}`));
        const compilerOptions = {
          module: 'nodenext',
          target: 'es2022',
          noEmit: true,
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          ...options,
        };
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
        await node(path, '-p', folder);
      });
});

test('attw: types are right for every way of resolving', { skip: missing }, async () => {
  const cli = join(tools, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  await node(cli, tarball, '--no-emoji');
});

test('publint', { skip: missing }, async () => {
  await node(join(tools, 'node_modules', 'publint', 'src', 'cli.js'), tarball, '--strict');
});

test('nothing comes along', () => {
  const { dependencies, optionalDependencies, bundledDependencies, scripts } = JSON.parse(
    readFileSync(join(own, 'package.json'), 'utf8'),
  );
  assert.deepEqual([dependencies, optionalDependencies, bundledDependencies], [undefined, undefined, undefined]);
  for (const name of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[name], undefined);
});

describe('what a bundle of it weighs', () => {
  // Measured 59.7 and 19.8 kB, by rolldown: the bounds leave room for new operations and fields.
  const uses = {
    client: ["import { Ramz } from '@ramz/sdk'; export const ramz = new Ramz();", 75_000, 20_000],
    webhooks: ["import { webhooks } from '@ramz/sdk'; export const { verify } = webhooks;", 25_000, 8_000],
  };
  for (const [name, [source, mostBytes, mostCompressed]] of Object.entries(uses))
    test(name, async () => {
      const entry = join(project, `bundled-${name}.mjs`);
      writeFileSync(entry, source);
      const { rolldown: bundler } = await import(rolldown);
      const bundle = await bundler({ input: entry, cwd: project, logLevel: 'silent' });
      const { output } = await bundle.generate({ format: 'esm', minify: true });
      await bundle.close();
      const [{ code, imports }] = output;
      assert.deepEqual([output.length, imports], [1, []]);
      assert.match(code, /ramz|whsec_/);
      assert.ok(Buffer.byteLength(code) < mostBytes, `${Buffer.byteLength(code)} bytes`);
      assert.ok(gzipSync(code).length < mostCompressed, `${gzipSync(code).length} bytes, compressed`);
    });
});

test('what is packed', () => {
  assert.deepEqual(readdirSync(own).sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
});

test('the part over HTTP needs no other package, and nothing of Node', () => {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, from] of readFileSync(path, 'utf8').matchAll(/(?:from|import) '([^']+)'/g)) {
      assert.match(from, /^\.\.?\//, `${path} imports ${from}`);
      visit(join(path, '..', from));
    }
  };
  for (const entry of ['index.js', 'testing.js']) visit(join(own, 'dist', 'esm', entry));
  assert.ok(seen.size > 20);
});
