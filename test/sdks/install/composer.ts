// Composer without a network: its environment, and projects that take SDKs from their folders.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../../scripts/run.ts';
import { type Installed, missing, must, ready } from './install.ts';

/** @param home a folder for what Composer keeps. */
export const composerEnvironment = (home: string): Record<string, string> => ({
  COMPOSER_DISABLE_NETWORK: '1',
  COMPOSER_ALLOW_SUPERUSER: '1',
  COMPOSER_HOME: join(home, 'composer'),
  COMPOSER_CACHE_DIR: join(home, 'composer-cache'),
});

/** As a copy, so that what the archive leaves out is not there. `versions`: by package, what its tag says at a release. */
export const packageIn = (folder: string, versions: Record<string, string> = {}): object => ({
  type: 'path',
  url: folder,
  options: { symlink: false, versions },
});

/** The PHP SDK of this checkout. */
export const phpPackage = (): object => packageIn(join(root, 'sdks', 'php'));

/** Installs what the manifest asks for from its repositories alone. */
export async function installByComposer(folder: string, manifest: object): Promise<Installed> {
  const env = composerEnvironment(join(folder, '.composer'));
  for (const program of ['php', 'composer']) {
    const { code } = await run(program, ['--version'], { env: { ...process.env, ...env } });
    if (code !== 0) return missing(`${program} is missing (Debian: php-cli, php-curl, composer)`);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'composer.json'), JSON.stringify(manifest));
  await must('composer', ['install', '--quiet', '--no-interaction'], folder, env);
  return ready(folder);
}
