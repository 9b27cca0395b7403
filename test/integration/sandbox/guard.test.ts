// The sandbox's door against pages of other sites, and the pages it serves itself.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';

let sandbox: Sandbox;
let port: number;
const built = { phones: true };

beforeAll(async () => {
  sandbox = await runSandbox({
    pages: {
      answer: (page, path) => {
        if (!built.phones) return null;
        const known = page === 'phones' && (path === '/' || path === '/assets/page-1.js');
        const headers = { 'content-type': path === '/' ? 'text/html' : 'text/javascript' };
        return { status: known ? 200 : 404, headers, body: Buffer.from(known ? `${page} ${path}` : 'nothing') };
      },
    },
  });
  port = Number(new URL(sandbox.httpUrl).port);
});
afterAll(() => sandbox.stop());

/** With any headers: `fetch` sets some of these itself. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      agent: false,
      setHost: !('host' in headers),
    });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.end(body);
  });
}

const order = JSON.stringify({ action: 'reset' });
const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

describe('names', () => {
  test.each(['127.0.0.1', '127.0.0.1:8090', 'localhost', 'LocalHost:8090', '[::1]:8090', '192.168.1.7'])(
    '%s is known',
    async (host) => {
      expect(await statusOf('GET', '/sandbox/messages', { host })).toBe(200);
      expect(await statusOf('GET', '/', { host })).toBe(200);
      expect(await statusOf('POST', '/sandbox/control', { host, origin: `http://${host}` }, order)).toBe(204);
    },
  );

  test.each([
    'evil.example',
    'evil.example:8090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost.',
    'evil.localhost',
    '127.1',
    '2130706433',
    '[::1',
    '[localhost]',
    '',
    'a:b:c',
    '127.0.0.1@evil.example',
  ])('"%s" is not', async (host) => {
    for (const path of [
      '/',
      '/sandbox/messages',
      '/sandbox/events',
      '/sandbox/recorder',
      '/service/v1/account',
      '/assets/page-1.js',
    ])
      expect(await statusOf('GET', path, { host })).toBe(421);
    expect(await statusOf('POST', '/sandbox/control', { host }, order)).toBe(421);
    for (const open of [
      '/graph/..',
      '/graph/%2e%2e',
      '/sandbox/webhook/../..',
      '/graph\\..',
      'http://localhost',
      '//localhost',
    ])
      expect(await statusOf('POST', `${open}/sandbox/control`, { host }, order), open).toBe(421);
    // The platform and the sink are for programs that know this machine by any name.
    expect(await statusOf('POST', '/sandbox/webhook', { host }, '{}')).toBe(401);
    expect(await statusOf('POST', '/sandbox/webhook/shop', { host }, '{}')).toBe(401);
    expect(await statusOf('GET', '/graph/sdk.js', { host })).toBe(200);
  });
});

describe('origins', () => {
  const own = () => ({ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` });
  const foreign = (): Record<string, string>[] => [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: `http://localhost:${port}` },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: 'http://127.0.0.1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { ...own(), 'sec-fetch-site': 'cross-site' },
  ];

  test('our own page and programs that are no browser may do everything', async () => {
    for (const headers of [own(), { ...own(), 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]) {
      expect(await statusOf('POST', '/sandbox/control', headers, order)).toBe(204);
      expect(await statusOf('DELETE', '/sandbox/messages', headers)).toBe(204);
      expect(await statusOf('GET', '/service/v1/account', headers)).toBe(503);
    }
  });

  test('pages of other origins change nothing, and do not reach the service', async () => {
    for (const headers of foreign()) {
      const what = JSON.stringify(headers);
      for (const path of ['/sandbox/control', '/sandbox/service', '/sandbox/secrets', '/sandbox/recorder/bank', '/'])
        expect(await statusOf('POST', path, headers, order), `${path} ${what}`).toBe(403);
      expect(await statusOf('DELETE', '/sandbox/messages', headers), what).toBe(403);
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect(await statusOf(method, '/service/v1/account', headers), what).toBe(403);
    }
  });

  test('they may read what a browser does not show them, post webhooks, and open the dialog', async () => {
    for (const headers of foreign()) {
      const answer = await ask('GET', '/sandbox/messages', headers);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(await statusOf('POST', '/sandbox/webhook', headers, '{}')).toBe(401);
      expect(await statusOf('GET', '/graph/sdk.js', headers)).toBe(200);
    }
  });
});

describe('pages', () => {
  test('the built page and its files are served as they are, to HEAD too', async () => {
    expect(await ask('GET', '/')).toMatchObject({
      status: 200,
      text: 'phones /',
      headers: { 'content-type': 'text/html' },
    });
    expect(await ask('GET', '/assets/page-1.js')).toMatchObject({ status: 200, text: 'phones /assets/page-1.js' });
    expect(await ask('GET', '/assets/other.js')).toMatchObject({ status: 404, text: 'nothing' });
    expect(await ask('HEAD', '/')).toMatchObject({ status: 200, text: '' });
    expect(await ask('GET', '/sandbox')).toMatchObject({ status: 302, headers: { location: '/' } });
  });

  test('until it is built, a page without scripts loads itself again', async () => {
    built.phones = false;
    const { status, text, headers } = await ask('GET', '/');
    built.phones = true;
    expect(status).toBe(200);
    expect(text).toMatch(/<meta http-equiv="refresh" content="2">/);
    expect(text).toContain('href="/sandbox/messages"');
    expect(text).not.toMatch(/<script|https?:/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
    expect(headers['cache-control']).toBe('no-store');
    built.phones = false;
    expect(await statusOf('GET', '/assets/page-1.js')).toBe(404);
    built.phones = true;
  });
});

test('a body that is too long is answered, and the connection goes on', async () => {
  const long = 'x'.repeat(3 * 1024 * 1024);
  expect(await ask('POST', '/sandbox/control', {}, long)).toMatchObject({ status: 413 });
  expect(await statusOf('POST', '/sandbox/webhook', {}, long)).toBe(413);
  expect(await statusOf('POST', '/sandbox/control', { origin: 'https://evil.example' }, long)).toBe(403);
  await expect(ask('POST', '/sandbox/control', {}, 'x'.repeat(70 * 1024 * 1024))).rejects.toThrow(
    /ECONNRESET|EPIPE|hang up/,
  );
});
