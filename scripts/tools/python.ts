// Installs the Python programs that a requirements.txt pins into a folder of their own, when that file changed. Those of the tests are
// pinned by test/tools/requirements.txt and are in .tools/python.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../run.ts';
import { alone } from './lock.ts';

/** A set of programs: the file that pins them, and the folder they are installed in. */
export interface PythonSet {
  requirements: string;
  target: string;
}

const testTools: PythonSet = {
  requirements: join(root, 'test', 'tools', 'requirements.txt'),
  target: join(root, '.tools', 'python'),
};
const stampOf = ({ target }: PythonSet) => join(target, '.built-from');
/** Oldest minor version of Python 3 that the programs run with. The SDK itself is content with 3.9. */
const oldest = 11;

/** Where the programs are, e.g. `python` and `ruff`. */
export const pythonBin = join(testTools.target, 'bin');

/** Returns why the tools could not be installed, or undefined when they are there. */
export async function preparePythonTools(
  say: (line: string) => void,
  set: PythonSet = testTools,
): Promise<string | undefined> {
  if (await areThere(set)) return undefined;
  // Suites that run at once all want them.
  return await alone(`${set.target}.lock`, async () => ((await areThere(set)) ? undefined : await install(set, say)));
}

const wanted = ({ requirements }: PythonSet): string =>
  createHash('sha256').update(readFileSync(requirements)).digest('hex');

async function areThere(set: PythonSet): Promise<boolean> {
  const stamp = stampOf(set);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted(set)) return false;
  // A Python that was removed since leaves a broken environment.
  return (await run(join(set.target, 'bin', 'python'), ['--version'])).code === 0;
}

async function install(set: PythonSet, say: (line: string) => void): Promise<string | undefined> {
  const { requirements, target } = set;
  const found = await findPython();
  if ('problem' in found) return found.problem;
  say('installing the Python tools, about a minute the first time …');
  rmSync(target, { recursive: true, force: true });
  const venv = await run(found.program, ['-m', 'venv', target]);
  if (venv.code !== 0)
    return `${found.program} -m venv failed (Debian: the package python3-venv): ${venv.output.trim()}`;
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
  const pip = await run(join(target, 'bin', 'python'), ['-m', 'pip', 'install', ...options, '-r', requirements]);
  if (pip.code !== 0) return `pip install failed: ${pip.output.trim().split('\n').slice(-5).join('\n')}`;
  writeFileSync(stampOf(set), wanted(set));
  return undefined;
}

/** The first Python that is new enough, or why there is none. */
async function findPython(): Promise<{ program: string } | { problem: string }> {
  const seen: string[] = [];
  for (const program of ['python3', 'python3.13', 'python3.12', 'python3.11']) {
    const { code, output } = await run(program, ['--version']);
    const version = /^Python (3\.(\d+)\.\S+)/m.exec(output);
    if (code !== 0 || !version) continue;
    if (Number(version[2]) >= oldest) return { program };
    seen.push(`${program} is ${version[1]}`);
  }
  const needed = `Python 3.${oldest} or newer is needed for the tools: https://www.python.org/downloads`;
  return { problem: seen.length > 0 ? `${seen.join(', ')}: too old. ${needed}` : `no Python here. ${needed}` };
}
