// The Go SDK and its stubs for gRPC: packed as the module proxy serves them, installed in a project (sdks/go/test), held there to
// the vectors and to the running service.
import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from '../../scripts/run.ts';
import { prepareGoTools } from '../../scripts/tools/go.ts';
import type { Step, Suite, SuiteContext } from './suite.ts';

const modulePath = 'github.com/ramz-verify/ramz/sdks/go';
/** Its folder is in that of the SDK, and no part of it. */
const grpcPath = `${modulePath}/grpc`;
const version = 'v0.1.0';

export const suite: Suite = {
  missing: () => prepareGoTools(console.log),
  async steps({ root, folder }: SuiteContext): Promise<Step[]> {
    const sdk = join(root, 'sdks/go');
    const project = join(folder, 'project');
    const cwd = relative(root, project);
    cpSync(join(sdk, 'test'), project, { recursive: true });
    const proxy = join(folder, 'proxy');
    const env = await environment(proxy, folder);
    const race = (await hasC()) ? ['-race'] : [];
    const go = (name: string, ...args: string[]): Step => ({ name, program: 'go', args, cwd, env });
    const report = join(folder, 'go.xml');
    const oldest = join(folder, 'go-oldest.xml');
    const packages = ['./...', `${modulePath}/...`, `${grpcPath}/...`];
    return [
      {
        name: 'gofmt',
        program: 'sh',
        args: ['-c', 'unformatted=$(gofmt -l . 2>&1); echo "$unformatted"; [ -z "$unformatted" ]'],
        cwd: 'sdks/go',
      },
      {
        name: 'go test with the oldest Go that go.mod allows',
        program: process.execPath,
        args: [join(root, 'test/sdks/go-oldest.ts'), oldest],
        cwd: 'sdks/go',
        junit: oldest,
      },
      ...['sdks/go', 'sdks/go/grpc'].flatMap((folder): Step[] => [
        { name: `${folder} is tidy`, program: 'go', args: ['mod', 'tidy', '-diff'], cwd: folder },
        {
          name: `pack ${folder}`,
          program: 'go',
          args: ['run', './gopack', join(root, folder), version, proxy],
          cwd: 'test/tools',
        },
      ]),
      go('install in a project', 'mod', 'edit', `-dropreplace=${modulePath}`),
      go('go get the SDK', 'get', `${modulePath}@${version}`),
      go('go get the stubs', 'get', `${grpcPath}@${version}`),
      go('go vet', 'vet', ...packages),
      {
        name: 'staticcheck',
        program: join(root, '.tools/bin/staticcheck'),
        args: packages,
        cwd,
        env,
      },
      {
        name: 'go test',
        program: process.execPath,
        args: [join(root, 'test/sdks/go-test.ts'), report, '-count=1', ...race, ...packages],
        cwd,
        env: { ...env, RAMZ_VECTORS: join(root, 'sdks/vectors') },
        junit: report,
      },
    ];
  },
};

/**
 * Modules come from the packed one, then from what this machine has already, then from where they usually do. The packed one
 * changes without its version changing, so it goes into a cache of this run's; -trimpath lets compiled packages be used
 * again all the same.
 */
async function environment(proxy: string, folder: string): Promise<Record<string, string>> {
  const { output } = await run('go', ['env', '-json', 'GOMODCACHE', 'GOPROXY']);
  const { GOMODCACHE, GOPROXY } = JSON.parse(output) as { GOMODCACHE: string; GOPROXY: string };
  return {
    GOPROXY: [`file://${proxy}`, `file://${join(GOMODCACHE, 'cache/download')}`, GOPROXY].join(','),
    GOMODCACHE: join(folder, 'modules'),
    GONOSUMDB: `${modulePath},${grpcPath}`,
    GOFLAGS: '-mod=readonly -modcacherw -trimpath',
    GOWORK: 'off',
  };
}

/** The race detector needs a C compiler. */
async function hasC(): Promise<boolean> {
  const { output } = await run('go', ['env', 'CGO_ENABLED', 'CC']);
  const [isEnabled, compiler = 'cc'] = output.trim().split('\n');
  return isEnabled === '1' && (await run(compiler, ['--version'])).code === 0;
}
