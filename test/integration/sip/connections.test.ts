// The connections of one trunk by themselves: how many there are, what waits in them, and which ones are used no more.
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { StreamTransport } from '../../../src/sip/transport/stream.ts';
import { type Remote, remoteKey } from '../../../src/sip/transport/transport.ts';
import { until } from '../../support/wait.ts';

/** A server on all loopback addresses, and the transport that faces it. */
async function facing(accept: (socket: Socket) => void) {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const lost: string[] = [];
  const transport = new StreamTransport(
    { local: { host: '', port: 0 }, host: '127.0.0.1', tls: null },
    { message: () => {}, refused: () => {}, lost: (target) => lost.push(remoteKey(target)), broken: () => {} },
  );
  onTestFinished(async () => {
    await transport.close();
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const at = (host: number): Remote => ({ address: `127.0.0.${host}`, port });
  return { transport, connections, lost, at };
}

test('a trunk that names ever more hosts gets so many connections, and the one in use stays', async () => {
  const { transport, connections, lost, at } = await facing((socket) => socket.resume());
  for (let host = 1; host <= 40; host += 1) {
    expect((await transport.reach(at(host))).kind).toBe('reached');
    expect(transport.send(Buffer.from('\r\n\r\n'), at(1))).toBe(true);
  }
  await until(() => connections.size === 32, { what: 'the oldest connections to be closed' });
  expect(transport.isOpenTo(at(1))).toBe(true);
  expect(lost).toEqual(Array.from({ length: 8 }, (_, index) => remoteKey(at(index + 2))));
});

test('a trunk that does not read loses its connection before the memory is full', async () => {
  const { transport, lost, at } = await facing((socket) => socket.pause());
  await transport.reach(at(1));
  const bytes = Buffer.alloc(65_536, '\r\n');
  let sent = 0;
  // What the system buffers is not ours to count: some megabytes.
  for (; sent < 500 && transport.send(bytes, at(1)); sent += 1) await new Promise((resolve) => setImmediate(resolve));
  await until(() => lost.length === 1, { what: 'the connection to be given up' });
  expect(sent).toBeLessThan(500);
});

test('a connection that was given up is not used for the next call', async () => {
  const heard: string[] = [];
  const { transport, lost, at } = await facing((socket) => socket.on('data', (chunk) => heard.push(String(chunk))));
  const first = await transport.reach(at(1));
  transport.drop(at(1));
  expect(transport.send(Buffer.from('one'), at(1))).toBe(false);
  const second = await transport.reach(at(1));
  expect([first.kind, second.kind]).toEqual(['reached', 'reached']);
  expect(second).not.toEqual(first);
  expect(transport.send(Buffer.from('two'), at(1))).toBe(true);
  await until(() => heard.join('') === 'two', { what: 'what was sent' });
  expect(lost).toEqual([remoteKey(at(1))]);
});
