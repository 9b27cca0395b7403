// The Graph client on real sockets: which failures leave in doubt whether a message was taken, and which do not.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { GraphClient } from '../../../src/channels/whatsapp/graph.ts';
import { graphServer, json } from '../../support/graph.ts';
import { longerThanNodeWaits, slowAddresses, slowReceiver } from '../../support/slow-receiver.ts';

const graph = await graphServer();
const client = new GraphClient({ connections: 4 });
afterAll(() => client.close());

const post = (url = graph.url, timeoutMs = 5_000) =>
  client.call({
    url: `${url}/v25.0/1/messages`,
    accessToken: 'token',
    body: { biz_opaque_callback_data: 'a' },
    timeoutMs,
  });

/** Something that listens and behaves badly. */
async function listener(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('connections are kept, and the token is in the header', async () => {
  for (let n = 0; n < 5; n += 1) expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
  expect(graph.connections()).toBeLessThanOrEqual(2);
  expect(graph.requests[0]).toMatchObject({ path: '/v25.0/1/messages', headers: { authorization: 'Bearer token' } });
});

test('nobody listens: certainly not sent', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await post(`http://127.0.0.1:${port}`)).toEqual({ kind: 'not_sent', code: 'ECONNREFUSED' });
});

test('no such host: certainly not sent', async () => {
  expect(await post('http://graph.invalid')).toMatchObject({ kind: 'not_sent' });
});

test('the connection breaks after the request: in doubt', async () => {
  const url = await listener((socket) => socket.once('data', () => socket.destroy()));
  expect(await post(url)).toEqual({ kind: 'unknown', reason: 'connection_lost' });
});

test('the connection breaks within the answer: in doubt', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"messages":';
  const url = await listener((socket) => socket.once('data', () => socket.end(head)));
  expect(await post(url)).toEqual({ kind: 'unknown', reason: 'connection_lost' });
});

test('no answer in time: in doubt', async () => {
  const url = await listener(() => {});
  expect(await post(url, 100)).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('an answer that begins, and trickles: in doubt all the same', async () => {
  const trickles: NodeJS.Timeout[] = [];
  afterAll(() => trickles.forEach(clearInterval));
  const url = await listener((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n{"messages":[');
    trickles.push(setInterval(() => socket.write(' '), 20));
  });
  expect(await post(url, 200)).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('an answer that is no JSON, or without end, has no body', async () => {
  graph.answerNext((response) => void response.writeHead(502).end('<html>Bad Gateway</html>'));
  expect(await post()).toEqual({ kind: 'answered', status: 502, body: undefined });
  graph.answerNext((response) => json(response, 200, { padding: 'x'.repeat(100_000) }));
  expect(await post()).toEqual({ kind: 'answered', status: 200, body: undefined });
});

test('redirects are not followed: the token stays here', async () => {
  graph.answerNext((response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  expect(await post()).toMatchObject({ kind: 'answered', status: 302 });
});

test('a platform that is far away is reached, though it has a second address that can not be', async () => {
  const { port, goOn } = await slowReceiver();
  const addresses = slowAddresses.map((address) => ({ address, family: 4 }));
  const far = new GraphClient({ connections: 1, lookup: (_, __, found) => found(null, addresses) });
  onTestFinished(() => far.close());
  const call = { url: `http://graph.example:${port}/`, accessToken: null, body: {}, timeoutMs: 10_000 };
  const answer = far.call(call);
  await longerThanNodeWaits();
  goOn();
  expect(await answer).toMatchObject({ kind: 'answered', status: 204 });
});
