// `/openapi.json`, and `/docs`: the same as a page to read.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

/** Answers the paths it knows; false for any other. */
export function createDocuments(): (path: string, response: ServerResponse) => boolean {
  const openapi = readFileSync(join(import.meta.dirname, '../../gen/openapi.json'));
  return (path, response) => {
    if (path === '/openapi.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(openapi);
      return true;
    }
    return false;
  };
}
