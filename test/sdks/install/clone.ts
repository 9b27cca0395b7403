// What somebody has who just cloned the repository: no package that is installed, nothing that git ignores. Its files are those
// of the working tree.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';

/** @param folder where the clone goes: not below the repository, whose own packages would be found from there. */
export function cloneInto(folder: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  // A file that was deleted is still in the index.
  for (const name of names)
    if (name !== '' && existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
}
