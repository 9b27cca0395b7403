// A database that takes connections and says nothing: what waiting for it may cost, and how its connections end.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createDatabase, openConnection } from '../../../src/db/client.ts';
import { isOutage } from '../../../src/db/outage.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const server = createServer((socket) => socket.on('error', () => {}));
afterAll(() => server.close());

test('a thousand statements may wait; the next is refused at once', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `postgres://x:x@127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  const { lanes, close } = createDatabase(url, { max: 1, lanes: 1, connectTimeoutMs: 500 });
  const waiting = Array.from({ length: 1_001 }, () => lanes.query('select 1').catch(isOutage));
  await expect(lanes.query('select 1')).rejects.toSatisfy(isOutage);
  expect(lanes.waitingCount).toBe(1_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
  await close();
});

/** In front of the tests' database, which falls silent when it is frozen: it hears not even that a connection ends. */
async function freezable(databaseUrl: string) {
  const direct = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const relay = createServer((near) => {
    const far = connect(Number(direct.port), direct.hostname);
    near.pipe(far).pipe(near);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((relay.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

test('connections to a database that has fallen silent are closed, so that the process can end', async () => {
  const relay = await freezable(database.url);
  const { lanes, close } = createDatabase(relay.url);
  const single = await openConnection(relay.url);
  await lanes.query('select 1');
  let isGone = false;
  lanes.once('remove', () => {
    isGone = true;
  });
  relay.freeze();
  await Promise.all([close(), single.end()]);
  await until(() => isGone, { what: 'the connection of the pool to be closed' });
  await relay.close();
});
