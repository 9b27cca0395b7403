// Which errors mean that the database is away, and what waiting for it may cost.

import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { isOutage } from '../../../src/db/outage.ts';

const coded = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  coded('ECONNREFUSED'),
  coded('57P01', 'terminating connection due to administrator command'),
  coded('57014', 'canceling statement due to statement timeout'),
  coded('53100', 'could not extend file: No space left on device'),
  coded('25006', 'cannot execute INSERT in a read-only transaction'),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], ''),
])('an outage: %s', (error) => expect(isOutage(error)).toBe(true));

test.each([
  coded('23505', 'duplicate key'),
  coded('42P01'),
  new Error('no account acct_1'),
  new TypeError('x'),
  'text',
  null,
])('none: %s', (error) => expect(isOutage(error)).toBe(false));

describe('a server that takes connections and says nothing', () => {
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
});
