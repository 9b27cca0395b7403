// A Composer project with sdks/laravel and sdks/php, without a network. Laravel itself is Debian's, which Composer does not
// know: the project says that it has it.

import { existsSync } from 'node:fs';
import { installByComposer, packageOf } from './composer.ts';
import { type Installed, missing } from './install.ts';

/** As Debian packages it (php-laravel-framework). */
const laravel = '8.83.26';
const parts = ['contracts', 'http', 'notifications', 'routing', 'support', 'validation'];

export async function installLaravel(folder: string): Promise<Installed> {
  if (!existsSync('/usr/share/php/Illuminate/autoload.php'))
    return missing("Debian's php-laravel-framework is missing");
  const packages = [packageOf('php', { 'ramz/ramz-php': '0.1.0' }), packageOf('laravel', { 'ramz/laravel': '0.1.0' })];
  return installByComposer(folder, packages, {
    require: { 'ramz/laravel': '^0.1' },
    replace: Object.fromEntries(parts.map((name) => [`illuminate/${name}`, laravel])),
  });
}
