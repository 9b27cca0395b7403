// Buf plugin: the OpenAPI 3.1 document of the REST door.

import { openapi } from './document.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-openapi', (contract) => ({ 'openapi.json': `${JSON.stringify(openapi(contract), null, 2)}\n` }));
