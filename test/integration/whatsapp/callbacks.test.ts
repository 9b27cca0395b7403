// `/v1/callbacks/messaging` on a real port: handshake, signature, size, and "committed before 200".
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type CallbackResult, messagingCallbacks } from '../../../src/api/callbacks/messaging.ts';
import { appSecret, callbackBody, signatureOf } from '../../support/graph.ts';
import { until } from '../../support/wait.ts';

let secrets: { appSecret: string; verifyToken: string } | null;
let taken: string[];
let results: CallbackResult[];
let take: () => Promise<void>;
let errors: unknown[];

beforeEach(() => {
  secrets = { appSecret, verifyToken: 'verify me' };
  [taken, results, errors] = [[], [], []];
  take = async () => {};
});

const log = () => {};
const mount = messagingCallbacks({
  secrets: () => secrets,
  take: async (body) => {
    await take();
    taken.push(body);
  },
  observe: (result) => results.push(result),
  logger: { debug: log, info: log, warn: log, error: (fields) => errors.push(fields) },
});
const server = createServer((request, response) => {
  if (!mount(request, response)) response.writeHead(404).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/callbacks/messaging`;

const body = callbackBody('106540352242922', { id: 'wamid.1', status: 'sent' });
const post = (text: string, signature: string | null = signatureOf(text)) =>
  fetch(url, { method: 'POST', body: text, headers: signature === null ? {} : { 'x-hub-signature-256': signature } });
const handshake = (query: Record<string, string>) => fetch(`${url}?${new URLSearchParams(query)}`);
const asked = { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify me', 'hub.challenge': '1158201444' };

test('the handshake gives the challenge back to who knows the token', async () => {
  const answer = await handshake(asked);
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(results).toEqual(['verified']);
});

test.each([
  [{ 'hub.verify_token': 'verify you' }, 403],
  [{ 'hub.verify_token': '' }, 403],
  [{ 'hub.mode': 'unsubscribe' }, 403],
  [{ 'hub.challenge': '<script>alert(1)</script>' }, 400],
  [{ 'hub.challenge': '' }, 400],
])('a handshake with %j is refused', async (change, status) => {
  const answer = await handshake({ ...asked, ...change });
  expect(answer.status).toBe(status);
  expect(await answer.text()).not.toContain('script');
  expect(results).toEqual(['refused']);
});

test('a signed callback is taken as it came, byte for byte', async () => {
  const text = body.replace('sent', 's\\u0065nt  ').replace('{', '{ ');
  expect((await post(text)).status).toBe(200);
  expect(taken).toEqual([text]);
});

test.each([
  ['none', null],
  ['another secret', signatureOf(body, 'other')],
  ['another body', signatureOf(`${body} `)],
  ['no hex', `sha256=${'z'.repeat(64)}`],
  ['too short', 'sha256=abcd'],
  ['SHA-1', `sha1=${'0'.repeat(40)}`],
])('a signature by %s is refused, and nothing is taken', async (_, signature) => {
  expect((await post(body, signature)).status).toBe(401);
  expect(taken).toEqual([]);
  expect(results).toEqual(['refused']);
});

test('200 is said only once it is taken; else the platform is asked to come again', async () => {
  let isTaking = false;
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
  take = () => {
    isTaking = true;
    return committed;
  };
  let answered = false;
  const answer = post(body).then((response) => {
    answered = true;
    return response.status;
  });
  await until(() => isTaking, { what: 'the callback to be taken' });
  // An answer that was given by now would be here before that of a later request.
  expect((await fetch(`${url}/more`)).status).toBe(404);
  expect([answered, taken]).toEqual([false, []]);
  commit();
  expect(await answer).toBe(200);

  take = () => Promise.reject(new Error('no database'));
  expect((await post(body)).status).toBe(503);
  expect(errors).toHaveLength(1);
  expect(results).toEqual(['taken', 'failed']);
});

test('up to 3 MB, as the platform says; more is refused', async () => {
  const most = body.padEnd(3 * 1024 * 1024);
  expect((await post(most)).status).toBe(200);
  const status = await post(`${most} `).then(
    (answer) => answer.status,
    () => 413, // cut off while it was still writing
  );
  expect(status).toBe(413);
  expect(taken).toHaveLength(1);
});

test('other methods are refused; other paths, and a channel not configured, are nobody’s', async () => {
  expect((await fetch(url, { method: 'PUT', body })).status).toBe(405);
  expect((await fetch(`${url}/more`)).status).toBe(404);
  secrets = null;
  expect((await handshake(asked)).status).toBe(404);
  expect((await post(body)).status).toBe(404);
});

test('bodies that nobody has signed take so much memory together and no more; small ones are taken meanwhile', async () => {
  const size = 2_900_000;
  const large = JSON.stringify({ text: 'x'.repeat(size) });
  const asked = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'content-length': String(3_000_000) };
  const refusals: (number | undefined)[] = [];
  const sockets: Socket[] = [];
  const keep = (socket: Socket) => void sockets.push(socket);
  server.on('connection', keep);
  onTestFinished(() => void server.off('connection', keep));
  const strangers = Array.from({ length: 20 }, () => {
    const stranger = request(url, { method: 'POST', headers: asked, agent: false }, (answer) => {
      refusals.push(answer.resume().statusCode);
    });
    stranger.on('error', () => {}).write('x'.repeat(size));
    onTestFinished(() => void stranger.destroy());
    return stranger;
  });
  // 32 MB are 11 of them: the others were answered before they came to their end.
  await until(() => refusals.length === 9, { what: 'nine refusals' });
  expect(new Set(refusals)).toEqual(new Set([503]));
  const left = () => sockets.filter(({ destroyed }) => !destroyed);
  const areRead = () => left().length === 11 && left().every(({ bytesRead }) => bytesRead > size);
  await until(areRead, { what: 'the other eleven to be read' });
  expect((await post(large)).status).toBe(503);
  expect((await post(body)).status).toBe(200);
  for (const stranger of strangers) stranger.destroy();
  await until(async () => (await post(large)).status === 200, { what: 'room for a large one' });
  expect(taken).toEqual([body, large]);
});
