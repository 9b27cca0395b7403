// One exchange with servers that answer well, badly, late, or for ever. What a webhook makes of it: ../webhooks.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { type ExchangeRequest, ExchangeTimeout, exchange } from '../../../src/http/exchange.ts';
import { listen } from '../../support/listen.ts';
import { startProcess } from '../../support/process.ts';
import { until } from '../../support/wait.ts';

const agent = new Agent({ connections: 1, pipelining: 1, allowH2: false });
afterAll(() => agent.destroy());

async function served(answer: RequestListener) {
  const { port, sockets } = await listen(createServer(answer));
  const call = (change: Partial<ExchangeRequest> = {}) =>
    exchange(agent, {
      method: 'POST',
      url: `http://127.0.0.1:${port}/a/b?c=d#e`,
      headers: {},
      timeoutMs: 10_000,
      maxBodyBytes: 100,
      ...change,
    });
  return { call, sockets };
}

test('what is asked arrives as it is, and so does the answer', async () => {
  const asked: unknown[] = [];
  const { call } = await served(async (request, response) => {
    const body = (await request.toArray()).join('');
    asked.push([request.method, request.url, request.headers['x-a'], body]);
    response.writeHead(418, { 'x-b': ['1', '2'] }).end('tea');
  });
  const answer = await call({ headers: { 'x-a': '1' }, body: '{"é":1}' });
  expect(asked).toEqual([['POST', '/a/b?c=d', '1', '{"é":1}']]);
  expect(answer).toMatchObject({ status: 418, headers: { 'x-b': ['1', '2'] } });
  expect(answer.body?.toString()).toBe('tea');
});

test('an informational answer is not the answer', async () => {
  const { call } = await served((_, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.writeHead(204).end());
  });
  expect(await call()).toMatchObject({ status: 204, body: Buffer.alloc(0) });
});

test('informational answers without an end are not listened to', async () => {
  const { port, sockets } = await listen(
    createTcpServer((socket) => {
      const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000));
      const more = () => socket.write(hints, (error) => !error && setImmediate(more));
      socket.on('error', () => {}).once('data', more);
    }),
  );
  const call = exchange(agent, {
    method: 'POST',
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    timeoutMs: 5_000,
    maxBodyBytes: 100,
  });
  await expect(call).rejects.toThrow('too many informational answers');
  await until(() => sockets.size === 0, { what: 'the connection to be closed' });
});

test('a body of the longest allowed length is kept; of a longer one only that it is too long, and the connection goes', async () => {
  let length = 100;
  const { call, sockets } = await served((_, response) => response.writeHead(200).end('x'.repeat(length)));
  expect((await call()).body?.length).toBe(100);
  const [kept] = sockets;
  length = 101;
  expect(await call()).toMatchObject({ status: 200, body: null });
  await until(() => kept?.destroyed, { what: 'the connection to be closed' });
  length = 1;
  expect((await call()).body?.length).toBe(1);
});

test('a body without an end is not waited for', async () => {
  const { call } = await served((_, response) => {
    const more = () => response.write('x'.repeat(50), () => setImmediate(more));
    response.writeHead(200);
    more();
  });
  expect(await call()).toMatchObject({ status: 200, body: null });
});

test.each([
  ['no answer at all', () => {}],
  ['headers and no body', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
])('%s: over when the time is up, and the connection is closed', async (_, answer) => {
  const { call, sockets } = await served((__, response) => answer(response));
  await expect(call({ timeoutMs: 50 })).rejects.toThrow(ExchangeTimeout);
  await until(() => sockets.size === 0, { what: 'the connection to be closed' });
});

test('the time counts while a request waits for a connection, too; then it is never sent', async () => {
  const asked: string[] = [];
  const open: ServerResponse[] = [];
  const { call } = await served((request, response) => {
    asked.push(String(request.headers['x-n']));
    open.push(response);
  });
  const first = call({ headers: { 'x-n': '1' } });
  await until(() => asked.length === 1, { what: 'the first to arrive' });
  await expect(call({ headers: { 'x-n': '2' }, timeoutMs: 20 })).rejects.toThrow(ExchangeTimeout);
  const third = call({ headers: { 'x-n': '3' } });
  open[0]?.end();
  await until(() => open.length === 2, { what: 'the next to arrive' });
  open[1]?.end();
  expect([(await first).status, (await third).status]).toEqual([200, 200]);
  expect(asked).toEqual(['1', '3']);
});

test('a connection that breaks before the end of the answer', async () => {
  const { call } = await served((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.socket?.destroy());
  });
  await expect(call()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
});

test('nobody there, and an agent that is closed', async () => {
  const { port } = await listen(createServer());
  const request = { method: 'POST', headers: {}, timeoutMs: 1_000, maxBodyBytes: 1 } as const;
  await expect(exchange(agent, { ...request, url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  const closed = new Agent();
  await closed.destroy();
  await expect(exchange(closed, { ...request, url: `http://127.0.0.1:${port}/` })).rejects.toThrow();
  await expect(exchange(agent, { ...request, url: 'nowhere' })).rejects.toThrow('Invalid URL');
});

test('what waits for an answer is gone with the next young collection', async () => {
  const args = ['--max-semi-space-size=4', fileURLToPath(new URL('many.ts', import.meta.url))];
  const { exit, output } = startProcess(process.execPath, { args });
  expect(await exit()).toMatchObject({ code: 0 });
  expect(Number(output())).toBeLessThan(0.5); // With undici's `request` more than 1.
});
