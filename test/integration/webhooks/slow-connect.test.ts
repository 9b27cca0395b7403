// Receivers with several addresses, to the first of which a connection takes long: those far away, and those that are not there.
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Poster } from '../../../src/engine/webhooks/poster.ts';
import { startScript } from '../../support/process.ts';
import { until } from '../../support/wait.ts';

const script = join(import.meta.dirname, 'slow-listener.ts');
const [slow, other] = ['127.0.0.1', '127.0.0.2'] as const;

/** Its first address answers no connection until `goOn`; nothing listens at its second one. */
async function slowReceiver() {
  const listener = startScript(script);
  const [, text = ''] = await listener.waitFor(/listens (\d+)/);
  const port = Number(text);
  listener.signal('SIGSTOP');
  // All the connections that its kernel takes for it.
  const taken = Array.from({ length: 8 }, (): Socket => connect({ port, host: slow }).on('error', () => {}));
  await until(() => taken.some(({ connecting }) => !connecting), { what: 'its line to be full' });
  onTestFinished(async () => {
    for (const socket of taken) socket.destroy();
    await listener.end('SIGKILL');
  });
  return { port, goOn: () => listener.signal('SIGCONT') };
}

function posting(port: number, timeoutMs: number) {
  const resolve = async () => [slow, other].map((address) => ({ address, family: 4 }));
  const poster = new Poster({ allowPrivate: true, timeoutMs, resolve });
  onTestFinished(() => poster.close());
  return poster.post({ url: `http://receiver.example:${port}/`, headers: {}, body: '{}' });
}

test('one that is far away is reached, though it has a second address that can not be', async () => {
  const { port, goOn } = await slowReceiver();
  const startedAt = Date.now();
  const answer = posting(port, 30_000);
  await until(() => Date.now() - startedAt > 600, { what: 'longer than Node gives an address by default' });
  goOn();
  expect(await answer).toMatchObject({ kind: 'answered', status: 204 });
});

test('one whose first address does not answer is reached at the second', async () => {
  const { port } = await slowReceiver();
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => void server.listen(port, other, resolve));
  onTestFinished(() => void server.close());
  expect(await posting(port, 10_000)).toMatchObject({ kind: 'answered', status: 204 });
});
