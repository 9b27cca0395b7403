// Installs the Python programs that test/tools/requirements.txt pins into .tools/python, when that file or the Python changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../run.ts';

const requirements = join(root, 'test', 'tools', 'requirements.txt');
const target = join(root, '.tools', 'python');
const stamp = join(target, '.built-from');
/** Oldest minor version of Python 3 that the programs run with. The SDK itself is content with 3.9. */
const oldest = 11;

/** Where the programs are, e.g. `python` and `ruff`. */
export const pythonBin = join(target, 'bin');

/** Returns why the tools could not be installed, or undefined when they are there. */
export async function preparePythonTools(say: (line: string) => void): Promise<string | undefined> {
  const found = await findPython();
  if (typeof found === 'string') return found;
  const wanted = createHash('sha256').update(readFileSync(requirements)).update(found.version).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;

  say('installing the Python tools, about a minute the first time …');
  rmSync(target, { recursive: true, force: true });
  const venv = await run(found.program, ['-m', 'venv', target]);
  if (venv.code !== 0)
    return `${found.program} -m venv failed (Debian: the package python3-venv): ${venv.output.trim()}`;
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
  const pip = await run(join(pythonBin, 'python'), ['-m', 'pip', 'install', ...options, '-r', requirements]);
  if (pip.code !== 0) return `pip install failed: ${pip.output.trim().split('\n').slice(-5).join('\n')}`;
  writeFileSync(stamp, wanted);
  return undefined;
}

/** The first Python that is new enough, or why there is none. */
async function findPython(): Promise<{ program: string; version: string } | string> {
  const seen: string[] = [];
  for (const program of ['python3', 'python3.13', 'python3.12', 'python3.11']) {
    const { code, output } = await run(program, ['--version']);
    const version = /^Python (3\.(\d+)\.\S+)/m.exec(output);
    if (code !== 0 || !version) continue;
    if (Number(version[2]) >= oldest) return { program, version: String(version[1]) };
    seen.push(`${program} is ${version[1]}`);
  }
  const needed = `Python 3.${oldest} or newer is needed for the tools: https://www.python.org/downloads`;
  return seen.length > 0 ? `${seen.join(', ')}: too old. ${needed}` : `no Python here. ${needed}`;
}
