// The way of pages to the service: headers, bodies and streams pass as they are, the key stays here, and whichever side goes takes
// the other one with it.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { until } from '../../support/wait.ts';

const key = 'ramz_test_the_key';

let sandbox: Sandbox;
let asked: { request: IncomingMessage; response: ServerResponse; body: string; ended: boolean; cut: boolean }[];
let respond: (about: (typeof asked)[number]) => void;

const service = createServer(async (request, response) => {
  const about = { request, response, body: '', ended: false, cut: false };
  asked.push(about);
  response.on('close', () => {
    about.cut = !response.writableFinished;
  });
  request.on('error', () => {});
  try {
    for await (const part of request) about.body += part;
    about.ended = true;
  } catch {
    return; // Cut off.
  }
  respond(about);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  sandbox = await runSandbox();
});
afterAll(async () => {
  await sandbox.stop();
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});
beforeEach(async () => {
  asked = [];
  respond = ({ response }) => response.end('done');
  expect((await announce(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)).status).toBe(204);
});
afterEach(() => until(() => connections().then((count) => count === 0), { what: 'no connection to be left' }));

const connections = () => new Promise<number>((resolve) => service.getConnections((_, count) => resolve(count)));

const announce = (http: string | null) => {
  const body = JSON.stringify(http && { http, grpc: '127.0.0.1:1', api_key: key });
  return fetch(`${sandbox.httpUrl}/sandbox/service`, { method: 'POST', body });
};

/** A request as it stands, with nothing that `fetch` would add. */
function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const sent = request(`${sandbox.httpUrl}${path}`, { method, headers, agent: false });
  const answer = Promise.withResolvers<IncomingMessage>();
  sent.on('response', answer.resolve);
  sent.on('error', answer.reject);
  answer.promise.catch(() => {});
  return { sent, answer: answer.promise };
}

test('a request and its answer pass as they are, but for what belongs to a connection or a browser, and the key', async () => {
  respond = ({ response }) => {
    const headers = {
      'content-type': 'application/json',
      'x-request-id': 'req_1',
      'set-cookie': 'a=b',
      'access-control-allow-origin': '*',
    };
    response.writeHead(409, headers).end('{"error":1}');
  };
  const headers = {
    authorization: 'Bearer something_else',
    cookie: 'a=b',
    origin: sandbox.httpUrl,
    referer: `${sandbox.httpUrl}/`,
    'sec-fetch-site': 'same-origin',
    'x-hop': 'me',
    connection: 'close, x-hop',
    'idempotency-key': 'one',
    'content-type': 'application/json',
    'connect-protocol-version': '1',
  };
  const { sent, answer } = ask('PATCH', '/service/v1/a%2Fb/?q=%2B1&q=2', headers);
  sent.end('{"to":"+213"}');
  const got = await answer;
  let text = '';
  for await (const part of got) text += part;
  const [about] = asked;
  expect([about!.request.method, about!.request.url, about!.body]).toEqual([
    'PATCH',
    '/v1/a%2Fb/?q=%2B1&q=2',
    '{"to":"+213"}',
  ]);
  const { port } = service.address() as AddressInfo;
  expect(about!.request.headers).toEqual({
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${key}`,
    'idempotency-key': 'one',
    'content-type': 'application/json',
    'connect-protocol-version': '1',
    'content-length': '13',
    connection: 'close',
  });
  expect([got.statusCode, text]).toEqual([409, '{"error":1}']);
  expect(got.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'req_1' });
  expect(Object.keys(got.headers).filter((name) => /cookie|access-control/.test(name))).toEqual([]);
});

test('a body without a length stays one body, whatever the method: no second request hides in it', async () => {
  for (const method of ['GET', 'DELETE', 'POST']) {
    const { sent, answer } = ask(method, '/service/x', { 'transfer-encoding': 'chunked' });
    sent.write('GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n');
    sent.end('{}');
    (await answer).resume();
  }
  expect(asked.map(({ request, body }) => [request.url, body.endsWith('{}')])).toEqual(Array(3).fill(['/x', true]));
});

test('a path reaches the service and nothing else', async () => {
  const paths = [
    '/service/v1/x',
    '/service//evil.example/x',
    '/service/../service/v1/x',
    '/service/a/%2e%2e/%2e%2e/service/v1/x',
  ];
  for (const path of paths) {
    const { sent, answer } = ask('GET', path);
    sent.end();
    (await answer).resume();
  }
  expect(asked.map(({ request }) => request.url)).toEqual(['/v1/x', '//evil.example/x', '/v1/x', '/v1/x']);
  for (const path of ['/service', '/service/../sandbox/nothing', '/services/x', '/service%2Fx'])
    expect((await fetch(sandbox.httpUrl + path)).status, path).toBe(404);
});

test('an answer streams: each part is there before the next one is written', async () => {
  respond = ({ response }) => response.writeHead(200, { 'content-type': 'application/connect+json' }).flushHeaders();
  const { sent, answer } = ask('POST', '/service/ramz.v1.VerifyService/WatchSession');
  sent.end('{}');
  const got = await answer;
  expect(got.statusCode).toBe(200);
  let text = '';
  got.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  for (const part of ['one', 'two', 'three']) {
    asked[0]!.response.write(part);
    await until(() => text.endsWith(part), { what: part });
  }
  asked[0]!.response.end();
  await until(() => got.readableEnded, { what: 'the end' });
  expect(text).toBe('onetwothree');
});

test('a page that goes ends the call, whether it was answered or not', async () => {
  respond = () => {};
  for (const isAnswered of [false, true]) {
    asked.length = 0;
    const { sent, answer } = ask('POST', '/service/x');
    sent.on('error', () => {});
    sent.end('{}');
    await until(() => asked[0]?.ended, { what: 'the request' });
    if (isAnswered) {
      asked[0]!.response.write('part');
      (await answer).on('error', () => {}).resume();
    }
    sent.destroy();
    await until(() => asked[0]!.cut, { what: 'the service to be cut off' });
  }
});

test('a page that goes in the middle of its own body ends the call', async () => {
  const { sent } = ask('POST', '/service/x', { 'content-length': '100' });
  sent.on('error', () => {});
  sent.write('part');
  await until(() => asked[0]?.body === 'part', { what: 'the beginning' });
  sent.destroy();
  await until(() => asked[0]!.request.destroyed && !asked[0]!.ended, { what: 'the service to be cut off' });
});

test('a service that goes ends the answer: at once, in the middle, and when it is not there', async () => {
  respond = ({ response }) => response.destroy();
  const atOnce = await fetch(`${sandbox.httpUrl}/service/x`);
  expect([atOnce.status, await atOnce.json()]).toEqual([503, { error: expect.stringContaining('does not answer') }]);
  respond = ({ response }) => {
    response.write('part');
    setImmediate(() => response.destroy());
  };
  const middle = await fetch(`${sandbox.httpUrl}/service/x`);
  expect(middle.status).toBe(200);
  await expect(middle.text()).rejects.toThrow(/terminated/);
  const taken = createListener().listen(0, '127.0.0.1');
  await until(() => taken.address(), { what: 'a port' });
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  await announce(`http://127.0.0.1:${port}`);
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? 'x'.repeat(1024 * 1024) : null;
    const gone = await fetch(`${sandbox.httpUrl}/service/x`, { method, body });
    expect([gone.status, await gone.json()]).toEqual([503, { error: expect.stringContaining('ECONNREFUSED') }]);
  }
  await announce(null);
  const none = await fetch(`${sandbox.httpUrl}/service/x`, { method: 'POST', body: '{}' });
  expect([none.status, none.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await none.text()).not.toContain(key);
});

test('bodies of any length pass, and a reader that stops stops the service', async () => {
  const long = 'x'.repeat(20 * 1024 * 1024);
  respond = ({ response, body }) => response.end(body);
  const echo = await fetch(`${sandbox.httpUrl}/service/x`, { method: 'POST', body: long });
  expect((await echo.text()).length).toBe(long.length);

  let written = 0;
  respond = ({ response }) => {
    const more = () => {
      while (response.write(Buffer.alloc(64 * 1024))) written += 1;
    };
    response.on('drain', more);
    more();
  };
  const { sent, answer } = ask('GET', '/service/endless');
  sent.end();
  const got = await answer;
  got.on('error', () => {});
  let before = -1;
  const stands = () => {
    const isSame = before === written;
    before = written;
    return isSame;
  };
  await until(stands, { what: 'the service to be stopped', everyMs: 200 });
  expect(written * 64 * 1024).toBeLessThan(64 * 1024 * 1024);
  sent.destroy();
  await until(() => asked[1]!.cut, { what: 'the service to be cut off' });
});

test('a stop of the sandbox ends what is under way', async () => {
  const other = await runSandbox();
  const { port } = service.address() as AddressInfo;
  const body = JSON.stringify({ http: `http://127.0.0.1:${port}`, grpc: '', api_key: key });
  await fetch(`${other.httpUrl}/sandbox/service`, { method: 'POST', body });
  respond = () => {};
  const waiting = fetch(`${other.httpUrl}/service/x`);
  waiting.catch(() => {});
  await until(() => asked[0]?.ended, { what: 'the request' });
  await other.stop();
  await expect(waiting).rejects.toThrow();
  await until(() => asked[0]!.cut, { what: 'the service to be cut off' });
});
