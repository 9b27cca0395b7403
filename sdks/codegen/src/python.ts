// Buf plugin: the Python SDK's messages, operations, resources and constants.

import { runPlugin } from './plugin.ts';
import { pythonFiles } from './python/files.ts';
import { formatPython } from './python/format.ts';

runPlugin('ramz-python', (contract) =>
  Object.fromEntries(Object.entries(pythonFiles(contract)).map(([name, text]) => [name, formatPython(text)])),
);
