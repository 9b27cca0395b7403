// A Composer project that takes sdks/php from its folder, without a network.

import { installByComposer, phpPackage } from './composer.ts';
import type { Installed } from './install.ts';

export const installPhp = (folder: string): Promise<Installed> =>
  installByComposer(folder, {
    repositories: [phpPackage(), { packagist: false }],
    require: { 'ramz/ramz-php': '*@dev' },
    'minimum-stability': 'dev',
  });
