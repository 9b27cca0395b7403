// A Composer project with sdks/laravel and sdks/php, without a network. Laravel itself is Debian's, which Composer does not
// know: the project says that it has it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import { installByComposer, packageIn } from './composer.ts';
import { type Installed, missing } from './install.ts';

/** As Debian packages it (php-laravel-framework). */
const laravel = '8.83.26';
const parts = ['contracts', 'http', 'notifications', 'routing', 'support', 'validation'];

/** @param sdks the folder with the SDKs. */
export const laravelManifest = (sdks: string, version: string) => ({
  repositories: [
    packageIn(join(sdks, 'php'), { 'ramz/ramz-php': '0.1.0' }),
    packageIn(join(sdks, 'laravel'), { 'ramz/laravel': '0.1.0' }),
    { packagist: false },
  ],
  require: { 'ramz/laravel': '^0.1' },
  replace: Object.fromEntries(parts.map((name) => [`illuminate/${name}`, version])),
});

export async function installLaravel(folder: string): Promise<Installed> {
  if (!existsSync('/usr/share/php/Illuminate/autoload.php'))
    return missing("Debian's php-laravel-framework is missing");
  return installByComposer(folder, laravelManifest(join(root, 'sdks'), laravel));
}
