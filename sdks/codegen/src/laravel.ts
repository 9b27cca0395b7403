// Buf plugin: what the Laravel package has from the contract. The files themselves are made in laravel/.

import { laravelFiles } from './laravel/files.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-laravel', laravelFiles);
