// Buf plugin: what the PHP SDK has from the contract. The files themselves are made in php/.

import { phpFiles } from './php/files.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-php', phpFiles);
