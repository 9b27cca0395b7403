// Formats generated Python with the SDK's own formatter: ruff, from the Python tools that scripts/generate.ts prepares.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** `text` as it is committed: imports sorted, those that nothing needs dropped, lines broken. @throws if it is no Python. */
export const formatPython = (text: string): string => ruff(ruff(text, 'check', '--fix-only', '--exit-zero'), 'format');

function ruff(text: string, ...args: string[]): string {
  const config = join(root, 'sdks', 'python', 'pyproject.toml');
  const options = ['--quiet', '--no-cache', '--config', config, '--stdin-filename', 'generated.py', '-'];
  const ended = spawnSync(join(root, '.tools', 'python', 'bin', 'ruff'), [...args, ...options], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (ended.error) throw ended.error;
  if (ended.status !== 0) throw new Error(`ruff ${args[0]}: ${ended.stderr}`);
  return ended.stdout;
}
