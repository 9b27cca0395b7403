// Customers' servers that hang, drip or talk nonsense: they get their retries later, and everybody else their webhooks now.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ config: { webhooks: { timeout_seconds: 1 } } });
const { sandbox } = service;

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

interface Bad {
  url: string;
  connections: () => number;
}

async function bad(behave: (socket: Socket) => void): Promise<Bad> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    behave(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connections: () => connections };
}

/** A piece every 50 ms, for as long as the socket lives. */
const drip = (first: string, piece: string) => (socket: Socket) => {
  socket.resume().write(first);
  const timer = setInterval(() => socket.write(piece), 50);
  socket.on('close', () => clearInterval(timer));
};

test('endpoints that hang, drip or talk nonsense hold nobody up', async () => {
  const { live, test: withTestKey, http } = await service.startHere();
  const endpoints = {
    hangs: await bad((socket) => socket.resume()),
    neverReads: await bad((socket) => socket.pause()),
    dripsHeaders: await bad(drip('HTTP/1.1 200 OK\r\n', 'x: y\r\n')),
    dripsBody: await bad(drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x')),
    floods: await bad(
      drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `10000\r\n${'x'.repeat(65_536)}\r\n`),
    ),
    talksNonsense: await bad((socket) => socket.resume().end('\0\x01nonsense\r\n\r\n')),
    largeHeaders: await bad((socket) => socket.resume().end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`)),
    cuts: await bad((socket) => socket.resetAndDestroy()),
  };
  for (const { url } of Object.values(endpoints)) {
    const { status } = await withTestKey.call('POST', '/v1/webhook_endpoints', { url });
    expect(status).toBe(200);
  }
  let number = 0;
  const sendAll = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        number += 1;
        return withTestKey.send(`+2135${51_300_000 + number}`);
      }),
    );
  const sent = await sendAll(60);
  // The good endpoint of the same account, and of the other mode, while the bad ones keep their places.
  for (const { id } of sent) await sandbox.eventsOf(id, 2);
  await until(() => Object.values(endpoints).every(({ connections }) => connections() > 0), {
    what: 'each to be tried',
  });
  const again = await sendAll(60);
  for (const { id } of again) await sandbox.eventsOf(id, 2);
  const { id } = await live.send('+213551399999');
  await sandbox.eventsOf(id, 2);
  expect((await fetch(`${http}/healthz`)).status).toBe(200);
});
