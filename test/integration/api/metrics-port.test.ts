// The metrics port: what it shows, to whom, and that the public port shows none of it.
import { type IncomingHttpHeaders, request } from 'node:http';
import { get } from 'node:https';
import { connect, createServer } from 'node:net';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Api, ApiOptions } from '../../../src/api/server.ts';
import { selfSigned } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { newSeen, startFake } from './fake.ts';

const details = { operators: { alpha: 'bound' } };
const cells = { b: 'unreachable' };
let ready = true;
const started: Api[] = [];
afterAll(() => Promise.all(started.map((api) => api.close(1_000))));

async function start(metrics: Partial<ApiOptions['metrics']> = {}, options: Partial<ApiOptions> = {}): Promise<Api> {
  const api = await startFake(newSeen(), {
    hooks: { readiness: async () => ({ ready, details, cells: async () => cells }) },
    metrics: {
      host: '127.0.0.1',
      port: 0,
      token: null,
      metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }),
      ...metrics,
    },
    ...options,
  });
  started.push(api);
  return api;
}
const at = ({ metricsPort }: Api, path: string, init?: RequestInit) =>
  fetch(`http://127.0.0.1:${metricsPort}${path}`, init);

test('the metrics port shows measures, readiness in detail and health, and nothing else', async () => {
  const api = await start();
  const metrics = await at(api, '/metrics');
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(metrics.headers.get('cache-control')).toBe('no-store');
  expect(metrics.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await metrics.text()).toBe('up 1\n');
  expect(await (await at(api, '/readyz')).json()).toEqual({ status: 'ready', ...details, cells });
  ready = false;
  const not = await at(api, '/readyz');
  expect([not.status, await not.json()]).toEqual([503, { status: 'not_ready', ...details, cells }]);
  ready = true;
  expect(await (await at(api, '/healthz')).json()).toEqual({ status: 'ok' });
  for (const path of ['/', '/v1/verify/send', '/docs', '/metrics/x']) expect((await at(api, path)).status).toBe(404);
  expect((await at(api, '/metrics', { method: 'POST' })).status).toBe(405);
});

test('the metrics port asks for its token, and takes no other', async () => {
  const api = await start({ token: 'a-token-of-its-own' });
  const status = async (authorization?: string, path = '/metrics') =>
    (await at(api, path, authorization === undefined ? {} : { headers: { authorization } })).status;
  for (const wrong of [undefined, '', 'Bearer', 'Bearer x', 'Bearer a-token-of-its-ow', 'Basic a-token-of-its-own'])
    expect(await status(wrong)).toBe(401);
  expect(await status('Bearer a-token-of-its-own')).toBe(200);
  expect(await status('bearer a-token-of-its-own')).toBe(200);
  expect(await status(undefined, '/readyz')).toBe(401);
  expect(await status(undefined, '/healthz')).toBe(200);
  const refused = await at(api, '/metrics');
  expect([refused.headers.get('www-authenticate'), await refused.text()]).toEqual(['Bearer realm="ramz metrics"', '']);
});

test('without a token the metrics port answers only requests to a name of this machine: a page’s own name may lead here', async () => {
  const [open, closed] = [await start(), await start({ token: 'a-token-of-its-own' })];
  const status = (api: Api, host: string, path = '/metrics', headers = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const port = api.metricsPort;
      request({ host: '127.0.0.1', port, path, headers: { ...headers, host }, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  for (const host of ['localhost', 'localhost:9464', 'LOCALHOST', '127.0.0.1', '127.8.9.1:80', '[::1]:9464'])
    expect(await status(open, host), host).toBe(200);
  const others = ['shop.example', 'shop.example:9464', 'localhost.shop.example', '127.0.0.1.shop.example'];
  for (const host of [...others, '10.0.0.1', '[::2]', 'localhost@shop.example', 'shop.example#localhost']) {
    expect(await status(open, host), host).toBe(421);
    expect(await status(open, host, '/readyz'), host).toBe(421);
    expect(await status(open, host, '/healthz'), host).toBe(200);
  }
  const twice = connect(Number(open.metricsPort), '127.0.0.1').end(
    'GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: shop.example\r\n\r\n',
  );
  expect(String((await twice.toArray())[0])).toMatch(/^HTTP\/1.1 400 /);
  // A token is not known to a page.
  expect(await status(closed, 'ramz-1:9464')).toBe(401);
  expect(await status(closed, 'ramz-1:9464', '/metrics', { authorization: 'Bearer a-token-of-its-own' })).toBe(200);
});

test('the metrics port says that the process is stopping while calls are still taken, and closes with the last of them', async () => {
  const api = await start();
  const { metricsPort } = api;
  let announced = () => {};
  vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce(((end: () => void) => {
    announced = end;
  }) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const closed = api.close(1_000, 300); // 300 ms that last until the answer is there.
  const stopping = await at(api, '/readyz');
  expect([stopping.status, await stopping.json()]).toEqual([503, { status: 'stopping', ...details, cells }]);
  announced();
  await closed;
  await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
});

test('a metrics port that is taken leaves no other port open', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const free = await freePort();
  await expect(start({ port }, { http: { host: '127.0.0.1', port: free } })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port,
  });
  await expect(fetch(`http://127.0.0.1:${free}/healthz`)).rejects.toThrow();
  await new Promise((resolve) => other.close(resolve));
});

test('there is no metrics port where it is off', async () => {
  const api = await startFake(newSeen());
  started.push(api);
  expect(api.metricsPort).toBeNull();
});

/** Status and headers of an answer over TLS, whoever signed the certificate. */
const overTls = (port: number | null, path: string) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.headers });
    }).on('error', reject);
  });

test('every answer forbids browsers to guess its type, and over TLS has them use HTTPS alone', async () => {
  const { cert, key } = selfSigned();
  const tls = { cert, key };
  const secure = await start({ tls }, { http: { host: '127.0.0.1', port: 0, tls } });
  const plain = await start();
  const nosniff = { 'x-content-type-options': 'nosniff' };
  for (const path of ['/healthz', '/readyz', '/docs', '/openapi.json', '/v1/account', '/nowhere']) {
    expect((await overTls(secure.httpPort, path)).headers).toMatchObject({
      ...nosniff,
      'strict-transport-security': 'max-age=31536000',
    });
    const { headers } = await fetch(`http://127.0.0.1:${plain.httpPort}${path}`);
    expect(Object.fromEntries(headers)).toMatchObject(nosniff);
    expect(headers.get('strict-transport-security')).toBeNull();
  }
  const connect = await fetch(`http://127.0.0.1:${plain.httpPort}/ramz.v1.VerifyService/Send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(Object.fromEntries(connect.headers)).toMatchObject(nosniff);
  expect(await overTls(secure.metricsPort, '/metrics')).toMatchObject({ status: 200, headers: nosniff });
});
