// The suite of the Node SDK: packed by npm, installed into an empty project, and run there by the pinned Node, by Node 20
// where the machine has one, in a browser, Deno and Bun.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { root, run } from '../../scripts/run.ts';
import type { Step, Suite } from './suite.ts';

const sdk = join(root, 'sdks', 'node');
const tests = join(sdk, 'test');
const tools = join(root, '.tools', 'sdk-node');

/** What users install beside it for gRPC, and for types of Node. */
const peers = ['@bufbuild/protobuf', '@connectrpc/connect', '@connectrpc/connect-node', '@types/node', 'undici-types'];
/** Tests that any Node must pass; the others need the pinned one. */
const everywhere = [
  'vectors',
  'calls',
  'options',
  'client',
  'caching',
  'watch',
  'webhooks',
  'fake',
  'stories',
  'hostile',
  'live',
  'cjs',
];
const here = ['grpc', 'package', 'runtimes', 'browser'];

export const suite: Suite = {
  async steps({ folder }) {
    await prepareTools();
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
    cpSync(tests, join(project, 'test'), { recursive: true });
    const { version } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { version: string };
    const tarball = join(folder, `ramz-sdk-${version}.tgz`);
    const env = {
      RAMZ_VECTORS: join(root, 'sdks', 'vectors'),
      RAMZ_SDK_TARBALL: tarball,
      RAMZ_SDK_TOOLS: tools,
      RAMZ_SDK_ROLLDOWN: join(root, 'node_modules', 'rolldown', 'dist', 'index.mjs'),
      RAMZ_SDK_TSC: join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    };
    const testing = (name: string, program: string, files: readonly string[]): Step => {
      const junit = join(folder, `${name.replace(/\W+/g, '-')}.xml`);
      const reporters = ['--test-reporter=junit', `--test-reporter-destination=${junit}`];
      return {
        name,
        program,
        args: ['--test', ...reporters, ...files.map(fileOf(project))],
        cwd: relative(root, project),
        env,
        junit,
      };
    };
    const old = await findNode20();
    return [
      { name: 'pack', program: 'npm', args: ['pack', '--silent', '--pack-destination', folder], cwd: 'sdks/node' },
      // Offline: it needs no other package.
      {
        name: 'install the tarball into an empty project',
        program: 'npm',
        args: ['install', '--offline', '--silent', '--no-package-lock', '--no-update-notifier', tarball],
        cwd: relative(root, project),
      },
      testing('the pinned Node', process.execPath, everywhere),
      old ? testing('Node 20', old, everywhere) : skipped(folder, 'Node 20', 'no Node 20 on this machine'),
      copy('add the peer dependencies of gRPC', peers, join(root, 'node_modules'), join(project, 'node_modules')),
      testing('gRPC, types, packaging, browser, Deno, Bun', process.execPath, here),
    ];
  },
};

const fileOf = (project: string) => (name: string) =>
  join(project, 'test', name === 'cjs' ? 'cjs.test.cjs' : `${name}.test.mjs`);

/** As a step, because npm removes what it did not install. */
function copy(name: string, packages: readonly string[], from: string, to: string): Step {
  const script = [
    "import { cpSync } from 'node:fs';",
    'const [from, to, ...names] = process.argv.slice(1);',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the script's template.
    'for (const name of names) cpSync(`${from}/${name}`, `${to}/${name}`, { recursive: true });',
  ];
  return {
    name,
    program: process.execPath,
    args: ['--input-type=module', '-e', script.join('\n'), from, to, ...packages],
  };
}

/** A report with nothing but the reason, so that it is counted. */
function skipped(folder: string, name: string, reason: string): Step {
  const junit = join(folder, 'skipped.xml');
  const report = `<testsuites><testcase name="${name}"><skipped message="${reason}"/></testcase></testsuites>`;
  const script = `require('node:fs').writeFileSync(${JSON.stringify(junit)}, ${JSON.stringify(report)})`;
  return { name, program: process.execPath, args: ['-e', script], junit };
}

/** The path holds the pinned Node in front; what the machine itself has comes behind. */
async function findNode20(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'node');
    if (!existsSync(program)) continue;
    const { output } = await run(program, ['--version'], { timeoutMs: 10_000 });
    if (output.startsWith('v20.')) return program;
  }
  return undefined;
}

/** Deno, Bun, older TypeScript and checkers of packages, from npm, once. Without them their tests are skipped, and say so. */
async function prepareTools(): Promise<void> {
  const files = ['package.json', 'package-lock.json'];
  const from = join(tests, 'tools');
  const wanted = createHash('sha256');
  for (const file of files) wanted.update(readFileSync(join(from, file)));
  const digest = wanted.digest('hex');
  const stamp = join(tools, 'stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  mkdirSync(tools, { recursive: true });
  for (const file of files) cpSync(join(from, file), join(tools, file));
  // Not `npm ci`: lock files hold other platforms' programs only where they were made on them.
  const args = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await run('npm', args, { cwd: tools, timeoutMs: 5 * 60_000 });
  if (code === 0 && readdirSync(join(tools, 'node_modules')).length > 0) writeFileSync(stamp, digest);
  else console.error(`tools of the Node SDK: npm ended with ${code}\n${output}`);
}
