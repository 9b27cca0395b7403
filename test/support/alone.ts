// The pane of a session as a page of its own (web/alone), built and served, with the way to a sandbox. Belongs at the top of a test file.
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testFolder } from './folder.ts';

const root = join(import.meta.dirname, '../..');

/** Resolves with the page's address. Requests for `/sandbox` and `/service` go to the sandbox as if its own page had asked. */
export async function alonePage(sandboxUrl: string): Promise<string> {
  process.env.RAMZ_PAGE = 'alone';
  const { build, preview } = await import('vite');
  const configFile = join(root, 'web/vite.config.ts');
  const outDir = testFolder('alone');
  await build({ configFile, logLevel: 'error', build: { outDir } });
  const target = {
    target: sandboxUrl,
    configure: (proxy: {
      on(event: 'proxyReq', listen: (request: { removeHeader(name: string): void }) => void): void;
    }) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
  };
  const served = await preview({
    configFile,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, proxy: { '/sandbox': target, '/service': target } },
  });
  afterAll(() => served.close());
  const [url] = served.resolvedUrls?.local ?? [];
  if (!url) throw new Error('the page has no address');
  return url;
}
