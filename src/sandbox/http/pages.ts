// The phones page, the sandbox's front page, as `npm run build:web` built it; and the page that stands in for it until then.

import { look } from '../../pages/look.ts';
import type { Response } from './server.ts';

/** Built pages by their name; null for what is not built yet. */
export interface Pages {
  answer(
    page: 'phones' | 'reference',
    path: string,
  ): { status: number; headers: Record<string, string>; body: Buffer } | null;
}

/** `path`: `/`, or that of a file below `/assets`. */
export function phonesPage(pages: Pages | null, path: string): Response {
  const built = pages?.answer('phones', path);
  if (built) return built;
  return path === '/' ? beingBuilt : { status: 404, body: { error: `no ${path} here: the page is not built yet` } };
}

/** Without scripts: it loads itself again until the page is there. */
const beingBuilt: Response = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="2">
<title>Ramz: the phones</title>
<style>${look}  body { margin: 20vh auto; max-width: 32rem; padding: 0 1rem; font: 16px/1.6 system-ui, sans-serif; text-align: center; }
</style>
</head>
<body>
<main>
<h1>The phones are on their way</h1>
<p role="status">This page is being built. It loads itself as soon as it is there.</p>
<p>Meanwhile: <a href="/sandbox/messages">the messages on the phones</a>, <a href="/sandbox/webhooks">the webhooks</a>,
<a href="/sandbox/recorder">the recorder of a voice for the calls</a>.</p>
</main>
</body>
</html>
`,
};
