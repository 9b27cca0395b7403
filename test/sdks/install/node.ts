// A project with the tarball of sdks/node, as `npm pack` makes it, and what is asked for beside it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import { type Installed, must, ready } from './install.ts';

/** @param dependencies further packages with their exact versions. */
export async function installNode(folder: string, dependencies: Record<string, string> = {}): Promise<Installed> {
  mkdirSync(folder, { recursive: true });
  const packed = await must('npm', ['pack', '--silent', '--pack-destination', folder], join(root, 'sdks', 'node'));
  const tarball = packed.trim().split('\n').at(-1) ?? '';
  const manifest = {
    name: 'project',
    private: true,
    type: 'module',
    dependencies: { ...dependencies, '@ramz/sdk': `file:./${tarball}` },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await must('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline'], folder);
  return ready(folder);
}
