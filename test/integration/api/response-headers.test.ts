// What every response says to a browser: not to guess its type, to run and embed nothing of it, to send no address on, and to keep no answer.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { BuiltPages } from '../../../src/pages/built-pages.ts';
import { newSeen, startFake } from './fake.ts';

let api: Api;
beforeAll(async () => {
  const metrics = async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'up 1\n' });
  api = await startFake(newSeen(), {
    hooks: { viewer: { pages: new BuiltPages('/nowhere'), sandboxKey: null } },
    metrics: { host: '127.0.0.1', port: 0, token: null, metrics },
  });
});
afterAll(() => api.close(1_000));

const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; .*base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  ),
};

/** A cookie, leave for other origins, and what names the software. */
const unwanted = /^(set-cookie|access-control-.*|server|x-powered-by|via)$/;

const headersOf = async (path: string, init: RequestInit = {}, port: number | null = api.httpPort) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init });
  await response.arrayBuffer();
  return Object.fromEntries(response.headers);
};

const key = { authorization: 'Bearer all' };
const json = { 'content-type': 'application/json' };
const foreign = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };

test.each<[what: string, path: string, init?: RequestInit]>([
  ['an answer of the API', '/v1/account', { headers: key }],
  ['a refusal', '/v1/account'],
  ['a path that nobody has', '/nowhere'],
  ['a body that is refused', '/v1/verify/send', { method: 'POST', headers: { ...key, ...json }, body: '{' }],
  ['a bug', '/v1/verify/send', { method: 'POST', headers: { ...key, ...json }, body: '{"to":"+500"}' }],
  ['Connect', '/ramz.v1.VerifyService/Send', { method: 'POST', headers: { ...key, ...json }, body: '{"to":"+1"}' }],
  ['health', '/healthz'],
  ['the document', '/openapi.json'],
  ['the page of it', '/docs'],
  ['the way to that page', '/'],
  ['a preflight of another origin', '/v1/account', { method: 'OPTIONS', headers: foreign }],
])('%s', async (_, path, init) => {
  const headers = await headersOf(path, init);
  expect(headers).toMatchObject(everywhere);
  expect(Object.keys(headers).filter((name) => unwanted.test(name))).toEqual([]);
});

test('what is no HTTP', async () => {
  const socket = connect(api.httpPort, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.write('no HTTP\r\n\r\n');
  await once(socket, 'close');
  for (const name of Object.keys(everywhere)) expect(text).toContain(`\r\n${name}: `);
});

test.each(['/metrics', '/readyz', '/healthz', '/nowhere'])('%s at the metrics port', async (path) => {
  expect(await headersOf(path, {}, api.metricsPort)).toMatchObject({ ...everywhere, 'cache-control': 'no-store' });
});

test.each<[what: string, path: string, init?: RequestInit]>([
  ['an answer', '/v1/account', { headers: key }],
  ['a refusal', '/v1/account'],
  [
    'an answer of Connect',
    '/ramz.v1.AccountService/GetAccount',
    { method: 'POST', headers: { ...key, ...json }, body: '{}' },
  ],
])('no cache keeps %s', async (_, path, init) => {
  expect(await headersOf(path, init)).toMatchObject({ 'cache-control': 'no-store' });
});

test('every body has its type', async () => {
  const typed = async (path: string, init?: RequestInit) => (await headersOf(path, init))['content-type'];
  const text = 'application/json';
  expect(await typed('/v1/account', { headers: key })).toBe(text);
  expect(await typed('/v1/account')).toBe(text);
  expect(await typed('/nowhere')).toBe(text);
  expect(await typed('/healthz')).toBe(text);
  expect(await typed('/openapi.json')).toBe(text);
  expect(await typed('/docs')).toBe('text/html; charset=utf-8');
  expect(await typed('/docs/plain')).toBe('text/html; charset=utf-8');
});

test.each([
  ['/', '/docs'],
  ['/docs/', '../docs'],
])('redirects stay on this host: %s', async (path, location) => {
  expect((await headersOf(path)).location).toBe(location);
});

test('a page keeps its window to itself', async () => {
  expect(await headersOf('/docs')).toMatchObject({ 'cross-origin-opener-policy': 'same-origin' });
  expect(await headersOf('/docs/plain')).toMatchObject({ 'cross-origin-opener-policy': 'same-origin' });
});

test.each(['TRACE', 'CONNECT', 'PUT', 'PROPFIND', 'QUERY'])('%s is nobody’s method', async (method) => {
  const socket = connect(api.httpPort, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const secret = 'Bearer of-the-caller';
  socket.write(`${method} /v1/account HTTP/1.1\r\nhost: x\r\nauthorization: ${secret}\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  expect(text).not.toMatch(/^HTTP\/1.1 2/);
  expect(text).not.toContain(secret);
});
