// The generators and what their clients need, each version exact: installed into .tools/generators and by Maven into its own
// repository, when that is not done yet.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../../scripts/run.ts';
import { preparePythonTools } from '../../../scripts/tools/python.ts';

const here = join(root, 'test', 'far', 'generators');
const tools = join(root, '.tools', 'generators');

/** Newest that Maven Central has. */
const openapiGenerator = '7.25.0';
const oapiCodegen = 'v2.8.2';
/** What the code that oapi-codegen writes imports. */
export const oapiRuntime = 'v1.8.0';

const python = { requirements: join(here, 'requirements.txt'), target: join(tools, 'python') };

export const paths = {
  clients: join(here, 'clients'),
  openapiGenerator: join(tools, `openapi-generator-cli-${openapiGenerator}.jar`),
  oapiCodegen: join(tools, 'bin', 'oapi-codegen'),
  nodeModules: join(tools, 'node', 'node_modules'),
  pythonBin: join(python.target, 'bin'),
};

/** @throws with the output of a program that fails. */
export async function succeed(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { code, output } = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${code}\n${output.slice(-6_000)}`);
  return output;
}

/** ` (mvn is missing)`, or empty: what is compiled with has to be there already. */
export async function missingPrograms(): Promise<string> {
  const found = await Promise.all(
    ['java', 'mvn', 'go'].map(async (name) => ({ name, code: (await run('which', [name])).code })),
  );
  const names = found.filter(({ code }) => code !== 0).map(({ name }) => name);
  return names.length > 0 ? ` (${names.join(', ')} missing)` : '';
}

export async function installNode(): Promise<void> {
  const folder = join(tools, 'node');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, name), join(folder, name));
  await succeed('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}

export async function installPython(): Promise<void> {
  const problem = await preparePythonTools((line) => console.log(line), python);
  if (problem !== undefined) throw new Error(problem);
}

export async function installOapiCodegen(): Promise<void> {
  const wanted = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${oapiCodegen}`;
  await succeed('go', ['install', wanted], { env: { ...process.env, GOBIN: join(tools, 'bin') } });
}

export async function installOpenapiGenerator(): Promise<void> {
  if (existsSync(paths.openapiGenerator)) return;
  mkdirSync(tools, { recursive: true });
  const artifact = `org.openapitools:openapi-generator-cli:${openapiGenerator}`;
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  await succeed('mvn', ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${tools}`]);
}
