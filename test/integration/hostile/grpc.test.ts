// Floods and nonsense on the gRPC door: the offender is cut off or refused, everybody else is served meanwhile, memory stays
// where it was, and nothing of a secret gets into a log.
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import {
  callTo,
  endHeaders,
  endStream,
  frame,
  pour,
  preface,
  type RawConnection,
  rawConnection,
} from './http2-frames.ts';

const service = await testService();
const server = await service.startProcess();
const client = new Client(server.grpc, credentials.createInsecure());
afterAll(() => client.close());

const checkPath = '/ramz.v1.VerifyService/Check';
const open = frame('settings', 0, 0);

/** Somebody else's call, on a connection of its own. */
const served = () =>
  new Promise<void>((resolve, reject) => {
    const bytes = (message: Buffer) => message;
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', bytes, bytes, Buffer.alloc(0), (error) =>
      error ? reject(error) : resolve(),
    );
  });
const rssMb = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

const raw: RawConnection[] = [];
const attack = (options?: { reading: boolean }): RawConnection => {
  const connection = rawConnection(server.grpc, options);
  raw.push(connection);
  connection.socket.write(Buffer.concat([preface, open]));
  return connection;
};
afterEach(async () => {
  for (const { socket } of raw.splice(0)) socket.destroy();
  await served();
  expect(rssMb()).toBeLessThan(400);
});

test('rapid reset (CVE-2023-44487): whoever opens and resets streams without end is cut off', async () => {
  const connection = attack();
  const headers = callTo(checkPath);
  const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
  const attempts = function* () {
    for (let stream = 1; stream < 100_000; stream += 2)
      yield Buffer.concat([frame('headers', endHeaders, stream, headers), frame('rstStream', 0, stream, cancel)]);
  };
  const poured = pour(connection, attempts());
  await served();
  await Promise.all([poured, connection.closed]);
});

test('streams beyond the limit are refused, those within it are kept, and nobody else waits', async () => {
  const connection = attack();
  const headers = callTo(checkPath);
  await pour(
    connection,
    Array.from({ length: 2_000 }, (_, nth) => frame('headers', endHeaders, nth * 2 + 1, headers)),
  );
  await served();
  const many = await Promise.all(Array.from({ length: 100 }, served));
  expect(many).toHaveLength(100);
});

test.each([
  ['settings', frame('settings', 0, 0)],
  ['ping', frame('ping', 0, 0, Buffer.alloc(8))],
])('%s frames whose answers nobody reads: their sender is cut off', async (_, one) => {
  const connection = attack({ reading: false });
  const block = Buffer.concat(Array.from({ length: 1_000 }, () => one));
  const poured = pour(
    connection,
    Array.from({ length: 2_000 }, () => block),
  );
  await served();
  await Promise.all([poured, connection.closed]);
});

test('CONTINUATION without end: its sender is cut off', async () => {
  const connection = attack();
  connection.socket.write(frame('headers', 0, 1, callTo(checkPath)));
  const more = frame('continuation', 0, 1, callTo(checkPath, { 'x-more': 'y'.repeat(8_000) }));
  await Promise.all([
    pour(
      connection,
      Array.from({ length: 10_000 }, () => more),
    ),
    connection.closed,
  ]);
});

test('metadata larger than anybody needs is refused', async () => {
  const session = connectHttp2(`http://${server.grpc}`);
  session.on('error', () => {});
  const stream = session.request({
    ':method': 'POST',
    ':path': checkPath,
    'content-type': 'application/grpc',
    te: 'trailers',
    'x-large': 'y'.repeat(60_000),
    'x-larger': 'y'.repeat(60_000),
  });
  const status = await new Promise((resolve) => {
    stream.on('response', (headers) => resolve(headers[':status']));
    stream.on('error', (error) => resolve(error.message));
    session.on('close', () => resolve('closed'));
  });
  expect(status).not.toBe(200);
  session.destroy();
});

test('a message that claims to be larger than the limit, and one that never comes', async () => {
  const connection = attack();
  const claim = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
  await pour(
    connection,
    Array.from({ length: 200 }, (_, nth) =>
      Buffer.concat([
        frame('headers', endHeaders, nth * 2 + 1, callTo(checkPath)),
        frame('data', 0, nth * 2 + 1, claim),
      ]),
    ),
  );
});

test.each([
  ['random bytes', Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 7919) & 0xff))],
  ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
  ['a TLS hello', Buffer.from('160301020001000001fc0303', 'hex')],
  ['a frame of 16 MB', Buffer.concat([preface, Buffer.from('ffffff0000000000010000', 'hex'), Buffer.alloc(70_000)])],
])('%s in place of HTTP/2', async (_, bytes) => {
  const connection = rawConnection(server.grpc);
  raw.push(connection);
  connection.socket.end(bytes);
  await connection.closed;
});

test('metadata that can not be read is refused, and does not get into the log: it may be a key', async () => {
  const connection = attack();
  const secret = `Bearer ${service.liveKey}\u00e9`;
  const block = callTo(checkPath, { authorization: secret });
  connection.socket.write(
    Buffer.concat([frame('headers', endHeaders, 1, block), frame('data', endStream, 1, Buffer.from([0, 0, 0, 0, 0]))]),
  );
  const answered = () => connection.received().length > 200;
  await Promise.race([
    connection.closed,
    new Promise<void>((resolve) => connection.socket.on('data', () => answered() && resolve())),
  ]);
  await served();
  expect(server.log()).not.toContain(service.liveKey.slice(-20));
});
