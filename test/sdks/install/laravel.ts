// A Composer project with sdks/laravel and sdks/php, without a network. Laravel itself is Debian's, which Composer does not
// know: the project says that it has it.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../../scripts/run.ts';
import { type Installed, missing, must, ready } from './install.ts';

/** As Debian packages it (php-laravel-framework). */
const laravel = '8.83.26';
const parts = ['contracts', 'http', 'notifications', 'routing', 'support', 'validation'];

export async function installLaravel(folder: string): Promise<Installed> {
  for (const program of ['php', 'composer']) {
    const { code } = await run(program, ['--version'], { env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' } });
    if (code !== 0) return missing(`${program} is missing (Debian: php-cli, php-curl, composer)`);
  }
  if (!existsSync('/usr/share/php/Illuminate/autoload.php'))
    return missing("Debian's php-laravel-framework is missing");
  mkdirSync(folder, { recursive: true });
  // A release has its version by its tag.
  const copied = (name: string, versions: Record<string, string>) => ({
    ...{ type: 'path', url: join(root, 'sdks', name), options: { symlink: false, versions } },
  });
  const manifest = {
    repositories: [
      copied('php', { 'ramz/ramz-php': '0.1.0' }),
      copied('laravel', { 'ramz/laravel': '0.1.0' }),
      { packagist: false },
    ],
    require: { 'ramz/laravel': '^0.1' },
    replace: Object.fromEntries(parts.map((name) => [`illuminate/${name}`, laravel])),
  };
  writeFileSync(join(folder, 'composer.json'), JSON.stringify(manifest));
  const env = {
    ...{ COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_DISABLE_NETWORK: '1' },
    COMPOSER_HOME: join(folder, '.composer'),
  };
  await must('composer', ['install', '--quiet', '--no-interaction'], folder, env);
  return ready(folder);
}
