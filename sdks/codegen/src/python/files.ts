// Everything the plugin writes, not yet formatted: name → text.

import { readClient } from '../client.ts';
import type { Contract } from '../contract.ts';
import { renderConstants, renderErrorCodes } from './constants.ts';
import { renderOperations } from './operations.ts';
import { renderResources } from './resources.ts';
import { header } from './text.ts';
import { renderTypes } from './types.ts';

export function pythonFiles(contract: Contract): Record<string, string> {
  const client = readClient(contract);
  return {
    '__init__.py': `${header}\n`,
    'types.py': renderTypes(contract, client),
    'operations.py': renderOperations(client),
    'resources.py': renderResources(contract, client, 'sync'),
    'async_resources.py': renderResources(contract, client, 'async'),
    'constants.py': renderConstants(contract),
    'error_codes.py': renderErrorCodes(contract),
  };
}
