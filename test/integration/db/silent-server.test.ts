// What waiting may cost for a database that takes connections and says nothing.

import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { isOutage } from '../../../src/db/outage.ts';

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
