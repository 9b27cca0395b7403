// `/openapi.json` of this deployment, and `/docs`: the viewer of it that was built from web/reference, or our own page without scripts
// while none is built. `/docs/plain` is always that page. `/docs/setup.json` tells the viewer what it fills in.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuiltPages } from '../../pages/built-pages.ts';
import { type Deployment, documentOf } from './deployment.ts';
import { isOwnMachine } from './own-machine.ts';
import { plainPage } from './page.ts';
import type { OpenApi } from './schema.ts';

export interface Viewer {
  pages: Pick<BuiltPages, 'answer'>;
  /** API key that it fills in for browsers on this machine; null: none. */
  sandboxKey: string | null;
}

/** Answers the paths it knows; false for any other. */
export type Documents = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

const plainHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};

/** The document, and what is made from it when it is first asked for: most processes never are. */
class Made {
  readonly openapi: Buffer;
  /** Weak, because the packed one has the same. */
  readonly etag: string;
  readonly #pages = new Map<string, Buffer>();
  #packed: Buffer | undefined;

  constructor(openapi: Buffer) {
    this.openapi = openapi;
    this.etag = `W/"${createHash('sha256').update(openapi).digest('base64url').slice(0, 22)}"`;
  }

  get packedOpenapi(): Buffer {
    this.#packed ??= gzipSync(this.openapi);
    return this.#packed;
  }

  /** Our page without scripts. `openapiAddress` is relative, because a proxy may have put the service under a path. */
  page(openapiAddress: string): Buffer {
    const known = this.#pages.get(openapiAddress);
    const page = known ?? Buffer.from(plainPage(parsed(this.openapi), openapiAddress));
    this.#pages.set(openapiAddress, page);
    return page;
  }
}

const parsed = (openapi: Buffer): OpenApi => JSON.parse(openapi.toString()) as OpenApi;

/** Makes the documents, and makes them again when the deployment has changed. */
function maker(deployment: DocumentsOptions['deployment']): () => Made {
  const generated = readFileSync(join(import.meta.dirname, '../../gen/openapi.json'));
  if (!deployment) {
    const made = new Made(generated);
    return () => made;
  }
  let last: { made: Made; of: string } | undefined;
  return () => {
    const here = deployment();
    const of = JSON.stringify(here);
    if (last?.of !== of) {
      const text = JSON.stringify(documentOf(parsed(generated), here), null, 2);
      last = { made: new Made(Buffer.from(`${text}\n`)), of };
    }
    return last.made;
  };
}

export interface DocumentsOptions {
  /** Default: our own page alone. */
  viewer?: Viewer | undefined;
  /** Asked at every request, so that a reload of the settings holds at once. Default: the document as it was generated. */
  deployment?: (() => Deployment) | undefined;
}

export function createDocuments({ viewer = noViewer, deployment }: DocumentsOptions = {}): Documents {
  const { pages, sandboxKey } = viewer;
  const made = maker(deployment);
  return (path, request, response) => {
    const send = (status: number, headers: Record<string, string>, body: Buffer): true => {
      response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
      return true;
    };
    switch (path) {
      case '/openapi.json': {
        const document = made();
        const headers = { etag: document.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
        if (isKnown(request, document.etag)) {
          response.writeHead(304, headers).end();
          return true;
        }
        const typed = { ...headers, 'content-type': 'application/json' };
        return takesGzip(request)
          ? send(200, { ...typed, ...gzip }, document.packedOpenapi)
          : send(200, typed, document.openapi);
      }
      case '/docs': {
        const page = pages.answer('reference', '/');
        return page ? send(page.status, page.headers, page.body) : send(200, plainHeaders, made().page('openapi.json'));
      }
      case '/docs/':
        // What the page loads is named relative to /docs.
        response.writeHead(308, { location: '../docs' }).end();
        return true;
      case '/docs/plain':
        return send(200, plainHeaders, made().page('../openapi.json'));
      case '/docs/setup.json': {
        const setup = { api_key: sandboxKey !== null && isOwnMachine(request) ? sandboxKey : null };
        const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
        return send(200, headers, Buffer.from(JSON.stringify(setup)));
      }
      default: {
        if (!path.startsWith('/docs/assets/')) return false;
        const name = path.slice('/docs'.length);
        const asset = pages.answer('reference', name);
        if (asset === null) return false;
        // The build packs the viewer, which is some megabytes, once for all.
        const packed = takesGzip(request) ? pages.answer('reference', `${name}.gz`) : null;
        const headers = { ...asset.headers, vary: 'accept-encoding' };
        return asset.status === 200 && packed?.status === 200
          ? send(200, { ...headers, ...gzip }, packed.body)
          : send(asset.status, headers, asset.body);
      }
    }
  };
}

const gzip = { 'content-encoding': 'gzip' };

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\b)/.test(String(headers['accept-encoding'] ?? ''));

/** Weak comparison (RFC 9110 section 13.1.2). */
const isKnown = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((one) => [etag, etag.slice(2), '*'].includes(one.trim()));

const noViewer: Viewer = { pages: { answer: () => null }, sandboxKey: null };
