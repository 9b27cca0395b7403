// Receivers with several addresses, to the first of which a connection takes long: those far away, and those that are not there.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Poster } from '../../../src/engine/webhooks/poster.ts';
import { longerThanNodeWaits, slowAddresses, slowReceiver } from '../../support/slow-receiver.ts';

function posting(port: number, timeoutMs: number) {
  const resolve = async () => slowAddresses.map((address) => ({ address, family: 4 }));
  const poster = new Poster({ allowPrivate: true, timeoutMs, resolve });
  onTestFinished(() => poster.close());
  return poster.post({ url: `http://receiver.example:${port}/`, headers: {}, body: '{}' });
}

test('one that is far away is reached, though it has a second address that can not be', async () => {
  const { port, goOn } = await slowReceiver();
  const answer = posting(port, 30_000);
  await longerThanNodeWaits();
  goOn();
  expect(await answer).toMatchObject({ kind: 'answered', status: 204 });
});

test('one whose first address does not answer is reached at the second', async () => {
  const { port } = await slowReceiver();
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => void server.listen(port, slowAddresses[1], resolve));
  onTestFinished(() => void server.close());
  expect(await posting(port, 10_000)).toMatchObject({ kind: 'answered', status: 204 });
});
