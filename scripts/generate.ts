// `npm run generate`: writes every file that is generated, from the contract in contract/ and from the code. A generator whose
// tools are missing is named, and the others still run: who works on the service may have no Go.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.ts';
import { prepareGoTools } from './tools/go.ts';
import { preparePythonTools } from './tools/python.ts';

interface Generator {
  name: string;
  command: readonly [program: string, ...args: string[]];
  /** Why the generator cannot run here, or undefined. */
  prepare?: (say: (line: string) => void) => Promise<string | undefined>;
  /** Files to remove first (glob patterns), where `clean: true` of buf would take hand-written files too. */
  clean?: readonly string[];
}

/** In this order: the pages read what the templates write. */
const generators: readonly Generator[] = [
  buf('buf.gen.yaml'),
  buf('sdks/codegen/buf.gen.php.yaml'),
  buf('sdks/codegen/buf.gen.node.yaml'),
  {
    ...buf('sdks/codegen/buf.gen.go.yaml'),
    prepare: prepareGoTools,
    clean: ['sdks/go/grpc/**/*.{pb,connect}.go', 'sdks/go/**/*_gen.go'],
  },
  {
    ...buf('sdks/codegen/buf.gen.python.yaml'),
    prepare: preparePythonTools,
    clean: ['sdks/python/src/**/_generated/*.py', 'sdks/python/src/**/*_pb2*.{py,pyi}'],
  },
  { name: 'scripts/docs.ts', command: [process.execPath, 'scripts/docs.ts'] },
];

for (const generator of generators) {
  const problem = await generate(generator);
  if (problem === undefined) continue;
  console.error(`${generator.name}: ${problem}`);
  process.exitCode = 1;
}

function buf(template: string): Generator {
  const program = join(root, 'node_modules', '.bin', 'buf');
  return {
    name: template,
    command: [program, 'generate', '--config', 'contract/workspace.yaml', '--template', template],
  };
}

/** Returns what went wrong, or undefined. */
async function generate({ command, prepare, clean = [] }: Generator): Promise<string | undefined> {
  const missing = await prepare?.((line) => console.error(line));
  if (missing !== undefined) return missing;
  for (const path of globSync([...clean], { cwd: root })) rmSync(join(root, path));
  const [program, ...args] = command;
  const { code } = await run(program, args, { stdio: 'inherit' });
  return code === 0 ? undefined : `ended with exit code ${code}`;
}
