// The packed SDK in a real browser: a page loads it as ES modules, talks to the service through its own origin, and reports.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { test } from 'node:test';

const project = join(import.meta.dirname, '..');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

const page = (testKey) => `<!doctype html><meta charset="utf-8"><title>SDK</title>
<script type="importmap">{"imports": {
  "@ramz/sdk": "/node_modules/@ramz/sdk/dist/esm/index.js",
  "@ramz/sdk/testing": "/node_modules/@ramz/sdk/dist/esm/testing.js"
}}</script>
<script type="module">
  const report = (text) => fetch('/report', { method: 'POST', body: text });
  addEventListener('unhandledrejection', ({ reason }) => report(String(reason)));
  try {
    const { inMemory, online } = await import('/test/portable.mjs');
    const { Ramz } = await import('@ramz/sdk');
    await inMemory();
    const options = { apiKey: ${JSON.stringify(testKey)}, baseUrl: location.origin };
    let refusal = '';
    try { new Ramz(options); } catch (error) { refusal = error.name; }
    await online({ ...options, dangerouslyAllowBrowser: true });
    await report('refused with ' + refusal + ', then all well');
  } catch (error) { await report(error.stack ?? String(error)); }
</script>`;

test('a page', { skip: chromium ? false : 'no chromium on this machine', timeout: 60_000 }, async () => {
  let tell;
  const told = new Promise((resolve) => {
    tell = resolve;
  });
  const server = createServer((incoming, outgoing) => answer(incoming, outgoing, tell));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const profile = mkdtempSync(join(tmpdir(), 'ramz-chromium-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = spawn(chromium, [...flags, `--user-data-dir=${profile}`, '--remote-debugging-port=0', url], {
    stdio: 'ignore',
    detached: true,
  });
  const ended = new Promise((resolve) => browser.once('exit', resolve));
  try {
    assert.equal(await Promise.race([told, ended]), 'refused with ConfigurationError, then all well');
  } finally {
    // Its whole group: chromium is a dozen processes.
    if (browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

function answer(incoming, outgoing, tell) {
  const { pathname } = new URL(incoming.url, 'http://page');
  if (pathname === '/') return outgoing.setHeader('content-type', 'text/html').end(page(process.env.RAMZ_TEST_KEY));
  if (pathname === '/report') {
    let text = '';
    incoming.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    return incoming.on('end', () => outgoing.end(() => tell(text)));
  }
  if (/^\/(v1|ramz\.v1\.)/.test(pathname)) return forward(incoming, outgoing);
  const file = join(project, normalize(pathname));
  if (!/\.m?js$/.test(file) || !existsSync(file)) return outgoing.writeHead(404).end();
  outgoing.setHeader('content-type', 'text/javascript').end(readFileSync(file));
}

/** To the service, which knows nothing of pages of other origins. */
function forward(incoming, outgoing) {
  const { method, headers, url } = incoming;
  const onward = request(new URL(url, process.env.RAMZ_BASE_URL), { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
