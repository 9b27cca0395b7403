// The clients that strangers generate: from the document of a running service each is generated, compiled or type-checked, and logs a
// user in: it sends a code and checks it. Some 200 MB are downloaded the first time. Needs Java and Maven, Go, and Python.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/run.ts';
import { type Live, startLive } from '../sdks/live.ts';
import { testFolder } from '../support/folder.ts';
import {
  installNode,
  installOapiCodegen,
  installOpenapiGenerator,
  installPython,
  missingPrograms,
  oapiRuntime,
  paths,
  succeed,
} from './generators/tools.ts';

const folder = testFolder('generators');
const missing = await missingPrograms();
const document = join(folder, 'openapi.json');
let live: Live;

beforeAll(async () => {
  if (missing !== '') return;
  live = await startLive(folder);
  const response = await fetch(`${live.env.RAMZ_BASE_URL}/openapi.json`);
  writeFileSync(document, await response.text());
  return () => live.stop();
});

let numbers = 0;

/** Runs a client's login, for a user whom nobody has logged in yet. */
async function logsIn(program: string, args: readonly string[], cwd: string): Promise<void> {
  numbers += 1;
  const env = { ...process.env, ...live.env };
  expect(await succeed(program, [...args, `+2135570000${10 + numbers}`], { cwd, env })).toMatch(/^verified sms$/m);
}

/** An empty project with the login of `from` beside what will be generated. */
function project(name: string, from: Readonly<Record<string, string>>): string {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  for (const [to, file] of Object.entries(from)) {
    mkdirSync(join(cwd, to, '..'), { recursive: true });
    copyFileSync(join(paths.clients, file), join(cwd, to));
  }
  return cwd;
}

const openapiGenerator = (language: string, output: string, ...more: string[]) =>
  succeed('java', ['-jar', paths.openapiGenerator, 'generate', '-i', document, '-g', language, '-o', output, ...more]);

const programs = describe.skipIf(missing !== '');

programs(`openapi-generator${missing}`, () => {
  beforeAll(installOpenapiGenerator);

  test('python', async () => {
    await installPython();
    const cwd = project('python', { 'log_in.py': 'log_in.py' });
    await openapiGenerator('python', cwd);
    await succeed(join(paths.pythonBin, 'mypy'), ['--strict', '--follow-imports=silent', 'log_in.py'], { cwd });
    await logsIn(join(paths.pythonBin, 'python'), ['log_in.py'], cwd);
  });

  test('typescript-fetch', async () => {
    await installNode();
    const cwd = typescriptProject('typescript-fetch', 'log-in.fetch.ts');
    // It makes a client of the webhooks, too, that does not compile, and that its own index leaves out.
    mkdirSync(join(cwd, 'client'));
    writeFileSync(join(cwd, 'client', '.openapi-generator-ignore'), 'apis/WebhooksApi.ts\n');
    await openapiGenerator('typescript-fetch', join(cwd, 'client'), '--additional-properties=importFileExtension=.js');
    await compiles(cwd);
  });

  test('java', async () => {
    const cwd = project('java', { 'src/main/java/LogIn.java': 'LogIn.java' });
    await openapiGenerator('java', cwd, '--library', 'native');
    await succeed('mvn', ['-q', '-B', '-DskipTests', 'compile', 'dependency:copy-dependencies'], { cwd });
    await logsIn('java', ['-cp', 'target/classes:target/dependency/*', 'LogIn'], cwd);
  });
});

test.skipIf(missing !== '')(`oapi-codegen, with its defaults${missing}`, async () => {
  await installOapiCodegen();
  const cwd = project('go', { 'main.go': 'main.go' });
  mkdirSync(join(cwd, 'client'));
  const output = ['-o', join(cwd, 'client', 'ramz.gen.go')];
  await succeed(paths.oapiCodegen, ['-generate', 'types,client', '-package', 'ramz', ...output, document]);
  const runtime = `require github.com/oapi-codegen/runtime ${oapiRuntime}`;
  writeFileSync(join(cwd, 'go.mod'), `module example.test/login\n\ngo 1.25\n\n${runtime}\n`);
  await succeed('go', ['mod', 'tidy'], { cwd });
  await succeed('go', ['vet', './...'], { cwd });
  await succeed('go', ['build', '-o', 'log-in', '.'], { cwd });
  await logsIn('./log-in', [], cwd);
});

programs(`generators for TypeScript${missing}`, () => {
  beforeAll(installNode);

  test('openapi-typescript and openapi-fetch', async () => {
    const cwd = typescriptProject('openapi-fetch', 'log-in.openapi-fetch.ts');
    const program = join(paths.nodeModules, 'openapi-typescript', 'bin', 'cli.js');
    await succeed(process.execPath, [program, document, '-o', join(cwd, 'client', 'schema.d.ts')]);
    await compiles(cwd);
  });

  test('hey-api', async () => {
    const cwd = typescriptProject('hey-api', 'log-in.hey-api.ts');
    const program = join(paths.nodeModules, '@hey-api', 'openapi-ts', 'bin', 'run.js');
    await succeed(process.execPath, [program, '-i', document, '-o', join(cwd, 'client')], { cwd });
    await compiles(cwd);
  });
});

programs(`redocly${missing}`, () => {
  beforeAll(installNode);

  /** Warnings that stay, by rule and place. */
  const meant: Readonly<Record<string, RegExp>> = {
    // What `if`, `then` and `else` require is a property of the schema around them.
    'no-required-schema-properties-undefined': /\/(if|else|not)\/required\/\d$/,
    // The sandbox is on this machine.
    'no-server-example.com': /^#\/servers\/1\/url$/,
    // The data of the events of a stream, which OpenAPI 3.1 has no word for: `x-event-data` refers to it.
    'no-unused-components': /\/schemas\/WatchSessionResult$/,
  };

  test('warns of nothing else', async () => {
    const program = join(paths.nodeModules, '@redocly', 'cli', 'bin', 'cli.js');
    const args = [program, 'lint', document, '--format=json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 });
    const { problems } = JSON.parse(stdout) as { problems: Problem[] };
    expect(problems.length).toBeGreaterThan(0);
    const others = problems.filter(({ ruleId, location }) => !meant[ruleId]?.test(location[0]?.pointer ?? ''));
    expect(others).toEqual([]);
  });

  interface Problem {
    ruleId: string;
    message: string;
    location: { pointer: string }[];
  }
});

function typescriptProject(name: string, from: string): string {
  const cwd = project(name, { 'log-in.ts': from, 'phone.ts': 'phone.ts' });
  symlinkSync(paths.nodeModules, join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'nodenext',
    outDir: 'out',
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'client'] }));
  return cwd;
}

/** Strictly, the generated client included; then it logs in. */
async function compiles(cwd: string): Promise<void> {
  await succeed(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], { cwd });
  await logsIn(process.execPath, ['out/log-in.js'], cwd);
}
