// Connections to receivers that are kept for the next post: for a moment, and not for as long as the receiver would like.
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Poster } from '../../../src/engine/webhooks/poster.ts';
import { listen } from '../../support/listen.ts';
import { until } from '../../support/wait.ts';

test('a receiver that asks for it is not kept connected for minutes', async () => {
  const server = createServer((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=600\r\n\r\n'));
  });
  const { port, sockets } = await listen(server);
  const poster = new Poster({ allowPrivate: true, timeoutMs: 15_000, resolve: undefined });
  onTestFinished(() => poster.close());
  const answer = await poster.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' });
  expect([answer, sockets.size]).toEqual([{ kind: 'answered', status: 204, retryAfter: undefined }, 1]);
  await until(() => sockets.size === 0, { what: 'the connection to end', timeoutMs: 20_000 });
});
