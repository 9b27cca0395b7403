// `npm run generate`: writes everything that is made from the contract in proto/. Prepares what plugins need beside
// Node, then runs buf with each of its templates.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.ts';
import { prepareGoTools } from './tools/go.ts';
import { preparePythonTools } from './tools/python.ts';

interface Template {
  file: string;
  /** Why the template cannot be run here, or undefined. */
  prepare?: (say: (line: string) => void) => Promise<string | undefined>;
  /** Files to remove first (glob patterns), where `clean: true` of buf would take whole folders with hand-written files. */
  clean?: readonly string[];
}

const templates: readonly Template[] = [
  { file: 'buf.gen.yaml' },
  { file: 'sdks/codegen/buf.gen.php.yaml' },
  { file: 'sdks/codegen/buf.gen.node.yaml' },
  {
    file: 'sdks/codegen/buf.gen.go.yaml',
    prepare: prepareGoTools,
    clean: ['sdks/go/ramzv1/**/*.go', 'sdks/go/**/*_gen.go'],
  },
  { file: 'sdks/codegen/buf.gen.python.yaml', prepare: preparePythonTools },
];

for (const template of templates) {
  const problem = await generate(template);
  if (problem === undefined) continue;
  console.error(`${template.file}: ${problem}`);
  process.exitCode = 1; // The others are made all the same: who works on the service may have no Go.
}

/** Returns what went wrong, or undefined. */
async function generate({ file, prepare, clean = [] }: Template): Promise<string | undefined> {
  const missing = await prepare?.((line) => console.error(line));
  if (missing !== undefined) return missing;
  for (const path of globSync([...clean], { cwd: root })) rmSync(join(root, path));
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const { code } = await run(buf, ['generate', '--template', file], { stdio: 'inherit' });
  return code === 0 ? undefined : `buf ended with exit code ${code}`;
}
