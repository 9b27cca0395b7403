// The build of one page: RAMZ_PAGE names it. Each is on its own, with addresses relative to it, so that a path prefix of a proxy does no
// harm. `npm run build:web` calls it, and `npx vite --config web/vite.config.ts` serves a page that is being worked on.

import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const page = process.env.RAMZ_PAGE || 'phones';

export default defineConfig({
  root: join(import.meta.dirname, page),
  base: './',
  plugins: [react()],
  cacheDir: join(import.meta.dirname, '../node_modules/.cache/vite'),
  server: {
    // A sandbox that is up: `SANDBOX=http://127.0.0.1:8090 npx vite …`.
    proxy: Object.fromEntries(
      ['/sandbox', '/service'].map((path) => [path, process.env.SANDBOX ?? 'http://127.0.0.1:8090']),
    ),
  },
  build: {
    target: 'es2023',
    // What knows `light-dark()` by itself: written out for older browsers it would not follow the choice at the page.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    // One script: the page comes from this machine.
    chunkSizeWarningLimit: 1_000,
    // A policy without data: in script-src would refuse an inlined module.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
