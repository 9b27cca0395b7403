// A Composer project that takes sdks/php from its folder, without a network.

import { installByComposer, packageOf } from './composer.ts';
import type { Installed } from './install.ts';

export const installPhp = (folder: string): Promise<Installed> =>
  installByComposer(folder, [packageOf('php')], {
    require: { 'ramz/ramz-php': '*@dev' },
    'minimum-stability': 'dev',
  });
