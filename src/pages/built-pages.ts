// The pages of web/ as they were built (`npm run build:web`): a folder for each state of their sources, and `current`, a file that names
// the newest one whole. What is served is what `current` names at that moment, so that a build needs no restart.

import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { BoundedMap } from '../collections/small-maps.ts';

export type PageName = 'phones' | 'reference';

export interface PageFile {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** No outside host, and no script but the files of the page. Mantine and the viewer of the API write style elements of their own. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Names of assets carry a hash of their content. */
const assetPath = /^\/assets\/[\w.-]+$/;
const mostFiles = 64;

export class BuiltPages {
  readonly #folder: string;
  readonly #files = new BoundedMap<string, Buffer>(mostFiles);

  /** @param folder where builds are, by default `.web` of the project */
  constructor(folder = join(import.meta.dirname, '../../.web')) {
    this.#folder = folder;
  }

  /** `/` is the page itself, `/assets/…` what it loads. Null while nothing is built. */
  answer(page: PageName, path: string): PageFile | null {
    const key = this.#current();
    if (key === null) return null;
    const isPage = path === '/';
    const file = isPage ? '/index.html' : path;
    const body = isPage || assetPath.test(path) ? this.#read(join(key, page, file)) : null;
    if (body === null)
      return isPage ? null : { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: notFound };
    const headers = {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      ...(isPage ? pageHeaders : {}),
    };
    return { status: 200, headers, body };
  }

  #current(): string | null {
    try {
      const key = readFileSync(join(this.#folder, 'current'), 'utf8').trim();
      return /^[0-9a-f]{16}$/.test(key) ? key : null;
    } catch {
      return null;
    }
  }

  #read(path: string): Buffer | null {
    const known = this.#files.get(path);
    if (known) return known;
    try {
      const body = readFileSync(join(this.#folder, path));
      this.#files.set(path, body);
      return body;
    } catch {
      return null;
    }
  }
}

const notFound = Buffer.from('no such file\n');
