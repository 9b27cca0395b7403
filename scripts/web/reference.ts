// Builds the viewer of the API (web/reference). Scalar's browser script is in no package by itself: its Fastify plugin has it embedded and
// serves it, so it is asked for there. A CDN would be another way to the same bytes, and another host to trust.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { build } from 'vite';

/** Writes the page into `folder`: index.html, and assets/ with names that carry a hash of their content. */
export async function buildReference(folder: string): Promise<void> {
  const viewer = await viewerScript();
  await build({
    configFile: false,
    root: join(import.meta.dirname, '../../web/reference'),
    base: './',
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      // A policy without data: in script-src would refuse an inlined module.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  const name = `viewer-${createHash('sha256').update(viewer).digest('hex').slice(0, 8)}.js`;
  writeFileSync(join(folder, 'assets', name), viewer);
  // It is far larger than all else: browsers get it packed.
  writeFileSync(join(folder, 'assets', `${name}.gz`), gzipSync(viewer, { level: 9 }));
  const page = join(folder, 'index.html');
  writeFileSync(page, served(readFileSync(page, 'utf8'), `./assets/${name}`));
}

/** The script that makes `window.Scalar`. */
async function viewerScript(): Promise<string> {
  const server = fastify();
  try {
    // Any document will do: the script is the same for all.
    const content = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} };
    await server.register(scalar, { routePrefix: '/viewer', configuration: { content } });
    const page = (await server.inject('/viewer/')).body;
    const address = /<script src="([^"]+)">/.exec(page)?.[1];
    const { statusCode, body } = await server.inject(`/viewer/${address}`);
    if (statusCode !== 200 || !body.includes('createApiReference')) throw new Error(`no viewer at /viewer/${address}`);
    return body;
  } finally {
    await server.close();
  }
}

/**
 * The page is served at /docs, without a slash at its end: what it loads is below that name. The viewer is a classic script and deferred,
 * so it runs before the module behind it.
 */
function served(html: string, viewer: string): string {
  const whole = html.replace(/(?=<script type="module")/, `<script defer src="${viewer}"></script>\n    `);
  if (whole === html) throw new Error('the page has no module to put the viewer in front of');
  return whole.replaceAll('"./assets/', '"docs/assets/');
}
