// `/openapi.json`, and `/docs`: the same as a page to read. Both are made when the server starts.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { OpenApi } from './openapi.ts';
import { docsPage } from './page.ts';

/** Answers the paths it knows; false for any other. */
export function createDocuments(): (path: string, response: ServerResponse) => boolean {
  const openapi = readFileSync(join(import.meta.dirname, '../../gen/openapi.json'));
  const page = Buffer.from(docsPage(JSON.parse(openapi.toString()) as OpenApi));
  return (path, response) => {
    switch (path) {
      case '/openapi.json':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': openapi.length }).end(openapi);
        return true;
      case '/docs':
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-length': page.length,
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        });
        response.end(page);
        return true;
      default:
        return false;
    }
  };
}
