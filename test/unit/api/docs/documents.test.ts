// What stands at /docs: the viewer where one is built, our own page where not, and the key for this machine alone.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../../src/api/docs/deployment.ts';
import { createDocuments, type Documents, type Viewer } from '../../../../src/api/docs/documents.ts';
import type { OpenApi } from '../../../../src/api/docs/schema.ts';

const headers = { host: 'localhost:8080' };

interface Asked {
  headers?: IncomingHttpHeaders;
  peer?: string;
}

const get = (path: string, viewer?: Viewer, request: Asked = {}) => fetched(createDocuments({ viewer }), path, request);

function fetched(documents: Documents, path: string, request: Asked = {}) {
  const answer = { status: 0, headers: {} as Record<string, string>, text: '' };
  const response = {
    writeHead(status: number, given: Record<string, string>) {
      Object.assign(answer, { status, headers: given });
      return this;
    },
    end(body?: Buffer) {
      answer.text = body?.toString() ?? '';
    },
  };
  const asked = { headers: { ...headers, ...request.headers }, socket: { remoteAddress: request.peer ?? '127.0.0.1' } };
  const known = documents(path, asked as IncomingMessage, response as unknown as ServerResponse);
  return known ? answer : undefined;
}

const built: Viewer = {
  sandboxKey: 'ramz_live_example',
  pages: {
    answer: (page, path) => ({
      status: path === '/' ? 200 : 404,
      headers: { 'cache-control': 'no-cache' },
      body: Buffer.from(`${page} ${path}`),
    }),
  },
};

describe('/docs', () => {
  test('is the viewer that was built', () => {
    expect(get('/docs', built)).toMatchObject({ status: 200, text: 'reference /' });
    expect(get('/docs/assets/main.js', built)).toMatchObject({ status: 404, text: 'reference /assets/main.js' });
  });

  test('sends what the build has packed to browsers that take it', () => {
    const [main, packed] = ['/assets/main.js', '/assets/main.js.gz'];
    const answer = (_: string, path: string) => {
      const isThere = path === main || path === packed;
      return { status: isThere ? 200 : 404, headers: { 'content-type': 'text/javascript' }, body: Buffer.from(path) };
    };
    const asked = (path: string, encoding: string) =>
      get(`/docs${path}`, { ...built, pages: { answer } }, { headers: { 'accept-encoding': encoding } });
    const headers = { 'content-type': 'text/javascript', vary: 'accept-encoding' };
    expect(asked(main, 'gzip, br')).toMatchObject({
      text: packed,
      headers: { ...headers, 'content-encoding': 'gzip' },
    });
    for (const encoding of ['', 'br', 'br, gzip;q=0'])
      expect(asked(main, encoding)).toMatchObject({
        text: main,
        headers: expect.not.objectContaining({ 'content-encoding': 'gzip' }),
      });
    expect(asked('/assets/other.js', 'gzip')).toMatchObject({ status: 404 });
  });

  test('is a page without scripts while none is built', () => {
    const page = get('/docs');
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-security-policy': expect.stringContaining("'none'") },
    });
    expect(page?.text).toContain('<h3>Send a code</h3>');
    expect(page?.text).toContain('href="openapi.json"');
    expect(page?.text).not.toMatch(/<script/);
    expect(get('/docs/assets/main.js')).toBeUndefined();
  });

  test('has that page beside the viewer, with a call to paste for every operation', () => {
    const text = get('/docs/plain', built)?.text ?? '';
    expect(text).toContain('href="../openapi.json"');
    expect(text.match(/<pre><code>curl /g)?.length).toBe(text.match(/<p class="route">/g)?.length);
  });

  test('is where a slash too many leads', () => {
    expect(get('/docs/')).toMatchObject({ status: 308, headers: { location: '../docs' } });
  });

  test('knows nothing else', () => {
    expect(get('/docs/plain/x', built)).toBeUndefined();
    expect(get('/docsx', built)).toBeUndefined();
  });
});

describe('/openapi.json', () => {
  let max = 8;
  const documents = createDocuments({
    deployment: () => ({
      url: 'https://verify.example',
      settings: settingsOf({
        codeLength: { min: 6, max, default: 6 },
        ttlSeconds: { min: 60, max: 600, default: 600 },
        timeoutSeconds: { min: 5, max: 900 },
      }),
    }),
  });
  const most = (text: string) => JSON.parse(text).components.schemas.SendRequest.properties.code_length.maximum;

  test('says what holds here, and says so again when that changes', () => {
    const before = fetched(documents, '/openapi.json');
    expect(before).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    expect(most(before?.text ?? '')).toBe(8);
    expect(fetched(documents, '/docs/plain')?.text).toContain('6 to 8');
    max = 9;
    const after = fetched(documents, '/openapi.json');
    expect(most(after?.text ?? '')).toBe(9);
    expect(after?.headers.etag).not.toBe(before?.headers.etag);
    expect(fetched(documents, '/docs/plain')?.text).toContain('6 to 9');
  });

  test('is not sent to who has it', () => {
    const { etag = '' } = fetched(documents, '/openapi.json')?.headers ?? {};
    const known = (ifNoneMatch: string) =>
      fetched(documents, '/openapi.json', { headers: { 'if-none-match': ifNoneMatch } });
    for (const value of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*'])
      expect(known(value)).toMatchObject({ status: 304, text: '', headers: { etag } });
    for (const value of ['', '"x"', `${etag.slice(0, -2)}"`]) expect(known(value)?.status).toBe(200);
  });

  test('is the contract alone where nothing is known of a deployment', () => {
    expect(most(fetched(createDocuments(), '/openapi.json')?.text ?? '')).toBe(10);
  });
});

describe('/docs/setup.json', () => {
  const key = (request: Parameters<typeof get>[2] = {}, viewer: Viewer | undefined = built) => {
    const answer = get('/docs/setup.json', viewer, request);
    expect(answer?.headers['cache-control']).toBe('no-store');
    return (JSON.parse(answer?.text ?? '') as { api_key: string | null }).api_key;
  };

  test('has no key where the service has none', () => {
    expect(key({}, { ...built, sandboxKey: null })).toBeNull();
  });

  test.each([
    ['by name', {}],
    ['by address', { headers: { host: '127.0.0.1:8080' } }],
    ['over IPv6', { headers: { host: '[::1]:8080' }, peer: '::1' }],
    ['over both', { peer: '::ffff:127.0.0.1' }],
    ['from our own page', { headers: { 'sec-fetch-site': 'same-origin' } }],
  ])('has the key for this machine, %s', (_, request) => {
    expect(key(request)).toBe('ramz_live_example');
  });

  test.each([
    ['another machine', { peer: '192.168.1.7' }],
    ['a machine behind a proxy here', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
    ['a machine behind a proxy that says so otherwise', { headers: { forwarded: 'for=203.0.113.9' } }],
    ['a page whose name leads here', { headers: { host: 'rebound.example:8080' } }],
    ["another site's page", { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['another port of this machine', { headers: { 'sec-fetch-site': 'same-site' } }],
  ])('has none for %s', (_, request) => {
    expect(key(request)).toBeNull();
  });
});

test('each operation that asks for a key or token names the scope, and says that without it the call is refused', () => {
  const { paths } = JSON.parse(get('/openapi.json')?.text ?? '') as OpenApi;
  const asking = Object.values(paths)
    .flatMap((verbs) => Object.values(verbs))
    .filter(({ security = [] }) => security.length > 0);
  expect(asking.length).toBeGreaterThan(50);
  for (const { operationId, 'x-scope': scope, responses } of asking) {
    expect([operationId, scope]).toEqual([operationId, expect.stringMatching(/^\w+$/)]);
    expect([operationId, responses['403']?.['x-error-codes']]).toEqual([
      operationId,
      expect.arrayContaining(['missing_scope']),
    ]);
  }
});
