// A Composer project that takes sdks/php from its folder, without a network.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../../scripts/run.ts';
import { type Installed, missing, must, ready } from './install.ts';

export async function installPhp(folder: string): Promise<Installed> {
  for (const program of ['php', 'composer']) {
    const { code } = await run(program, ['--version'], { env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' } });
    if (code !== 0) return missing(`${program} is missing (Debian: php-cli, php-curl, composer)`);
  }
  mkdirSync(folder, { recursive: true });
  const manifest = {
    repositories: [{ type: 'path', url: join(root, 'sdks', 'php'), options: { symlink: false } }, { packagist: false }],
    require: { 'ramz/ramz-php': '*@dev' },
    'minimum-stability': 'dev',
  };
  writeFileSync(join(folder, 'composer.json'), JSON.stringify(manifest));
  const env = {
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_HOME: join(folder, '.composer'),
    COMPOSER_DISABLE_NETWORK: '1',
  };
  await must('composer', ['install', '--quiet', '--no-interaction'], folder, env);
  return ready(folder);
}
