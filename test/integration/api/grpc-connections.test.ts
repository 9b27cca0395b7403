// The gRPC port takes so many connections and no more; those it has go on.
import { connect, type Socket } from 'node:net';
import { Client, credentials, Server } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { Gate } from '../../../src/api/clients/gate.ts';
import { type Listener, listen } from '../../../src/api/grpc/listener.ts';
import { until } from '../../support/wait.ts';

const echo = {
  path: '/test/Echo',
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
} as const;

const ends: (() => void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) end();
});

async function start(maxConnections: number): Promise<Listener> {
  const server = new Server();
  server.addService(
    { Echo: echo },
    { Echo: (call: { request: Buffer }, done: (e: null, b: Buffer) => void) => done(null, call.request) },
  );
  const listener = await listen(server, new Gate({ perAddress: () => 256, isTrusted: () => false }), {
    host: '127.0.0.1',
    port: 0,
    maxConnections,
  });
  ends.push(() => {
    server.forceShutdown();
    listener.destroy();
    void listener.close();
  });
  return listener;
}

function call(client: Client): Promise<string> {
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(echo.path, same, same, Buffer.from('here'), (error, answer) =>
      error ? reject(error) : resolve(String(answer)),
    ),
  );
}

test('one connection too many is closed, and whoever was there is served', async () => {
  const { port } = await start(2);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  ends.push(() => client.close());
  expect(await call(client)).toBe('here');
  const sockets = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'));
  ends.push(() => sockets.forEach((socket) => void socket.destroy()));
  const closed: Socket[] = [];
  for (const socket of sockets) {
    socket.on('error', () => {}).resume();
    socket.on('close', () => closed.push(socket));
  }
  await until(() => closed.length === 2, { what: 'two to be closed' });
  expect(await call(client)).toBe('here');
});

test('a connection that says nothing is cut off at the end', async () => {
  const listener = await start(5);
  const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = listener.close();
  listener.destroy();
  await closed;
});
