// Calls of strangers on the gRPC port that would fill the process: requests that never arrive, or thousands of them at once, answers of reflection that
// nobody reads, and names of services that there are not.
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import zlib from 'node:zlib';
import { Client, credentials, status } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { afterEach, expect, test, vi } from 'vitest';
import { clientAddresses } from '../../../src/api/clients/address.ts';
import { Gate } from '../../../src/api/clients/gate.ts';
import { type GrpcServer, startGrpc } from '../../../src/api/grpc/server.ts';
import { createWaist, service } from '../../../src/api/waist/invoke.ts';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { callTo, endHeaders, frame, pour, preface, rawConnection } from '../hostile/http2-frames.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function start(requestMs?: number): Promise<{ server: GrpcServer; gate: Gate }> {
  const unknown = () => ({ kind: 'unknown' }) as const;
  const waist = createWaist({
    services: [service(VerifyService, {})],
    authenticator: { authenticate: unknown, administrator: unknown },
    logger: silent,
  });
  const gate = new Gate({ perAddress: () => 256, isTrusted: () => false });
  const options = { host: '127.0.0.1', port: 0, ...(requestMs === undefined ? {} : { requestMs }) };
  const server = await startGrpc({ waist, gate, addresses: clientAddresses(() => []), logger: silent }, options);
  ends.push(() => server.destroy());
  return { server, gate };
}

/** SETTINGS_INITIAL_WINDOW_SIZE = 0: nothing of an answer may be sent. */
const readsNothing = frame('settings', 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));

function connect({ port }: GrpcServer, settings = frame('settings', 0, 0)) {
  const connection = rawConnection(`127.0.0.1:${port}`);
  ends.push(() => void connection.socket.destroy());
  connection.socket.write(Buffer.concat([preface, settings, frame('settings', 1, 0)]));
  return connection;
}

const headersOf = (path: string) => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
});

const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

test.each(['/ramz.v1.VerifyService/Check', reflection])(
  'a stranger whose requests do not arrive is cut off: %s',
  async (path) => {
    const { server } = await start(300);
    const { socket, closed } = connect(server);
    const half = Buffer.concat([Buffer.from([0, 0, 0, 0xff, 0xf0]), Buffer.alloc(10_000)]);
    for (let id = 1; id < 16; id += 2) {
      socket.write(frame('headers', endHeaders, id, callTo(path)));
      socket.write(frame('data', 0, id, half));
    }
    await closed;
  },
);

test('where the connection has shown a good key, the call that does not arrive ends alone', async () => {
  const { server, gate } = await start(300);
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  ends.push(() => session.destroy());
  await once(session, 'remoteSettings');
  gate.of(`127.0.0.1:${session.socket.localPort}`)?.proven();
  const call = session.request(headersOf('/ramz.v1.VerifyService/Check'));
  const [answer] = await once(call, 'response');
  expect(answer['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED));
  expect(session.destroyed).toBe(false);
});

test('a stranger that asks reflection on and on and reads nothing is cut off', async () => {
  const { server } = await start(300);
  const connection = connect(server, readsNothing);
  connection.socket.write(frame('headers', endHeaders, 1, callTo(reflection)));
  const listServices = frame('data', 0, 1, Buffer.from([0, 0, 0, 0, 2, 0x3a, 0]));
  // It never stops asking: were it read on, its next request would always be in time.
  for (let asked = 0; asked < 400 && !connection.socket.destroyed; asked += 1) {
    await pour(connection, [listServices]);
    await pause(10);
  }
  expect(connection.socket.destroyed).toBe(true);
});

/** The answers of one reflection stream, and its end. */
async function ask({ port }: GrpcServer, requests: readonly Buffer[]): Promise<{ answers: number; code: number }> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  ends.push(() => client.close());
  const bytes = (message: Buffer) => message;
  const stream = client.makeBidiStreamRequest(reflection, bytes, bytes);
  let answers = 0;
  stream.on('data', () => {
    answers += 1;
  });
  stream.on('error', () => {});
  for (const request of requests) stream.write(request);
  stream.end();
  const { code } = await new Promise<{ code: number }>((resolve) => stream.once('status', resolve));
  return { answers, code };
}

/** By the number of a field of the request: a text of so many octets. */
const asked = (field: number, octets: number) =>
  Buffer.concat([Buffer.from([(field << 3) | 2, (octets & 0x7f) | 0x80, octets >> 7]), Buffer.alloc(octets, 'x')]);

test('a caller that reads gets all of its answers, and one whose request is longer than any name gets none', async () => {
  const { server } = await start(300);
  const listServices = Buffer.from([0x3a, 0]);
  const many = Array.from({ length: 200 }, () => listServices);
  expect(await ask(server, many)).toEqual({ answers: 200, code: status.OK });
  expect(await ask(server, [asked(4, 900)])).toEqual({ answers: 1, code: status.OK });
  expect(await ask(server, [asked(4, 2_000)])).toEqual({ answers: 0, code: status.INTERNAL });
});

test('a stranger with more streams of reflection than any client has is cut off', async () => {
  const { server, gate } = await start();
  const [few, many] = [connect(server), connect(server)];
  for (let id = 1; id < 17; id += 2) few.socket.write(frame('headers', endHeaders, id, callTo(reflection)));
  for (let id = 1; id < 19; id += 2) many.socket.write(frame('headers', endHeaders, id, callTo(reflection)));
  await many.closed;
  expect(gate.of(`127.0.0.1:${few.socket.localPort}`)).toBeDefined();
});

test.each([
  ['', 1, 1],
  ['ramz.v1.VerifyService', 1, 1],
  ['made.up.Service', 3, 0],
])('of a watch of %j nothing is kept but where its state may change', async (name, state, kept) => {
  const watchers = HealthImplementation.prototype as unknown as { addWatcher(service: string): void };
  const noted = vi.spyOn(watchers, 'addWatcher');
  ends.push(() => noted.mockRestore());
  const { server } = await start();
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  ends.push(() => client.close());
  const bytes = (message: Buffer) => message;
  const request = Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name)]);
  const watch = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', bytes, bytes, request);
  watch.on('error', () => {});
  const [answer] = await once(watch, 'data');
  watch.cancel();
  expect([...answer]).toEqual([0x08, state]);
  expect(noted).toHaveBeenCalledTimes(kept);
});

/** A message that says it is compressed, and is empty. */
const emptyMessage = Buffer.from([1, 0, 0, 0, 0]);

test.each<[encoding: string, path: string, code: status]>([
  ['gzip', '/ramz.v1.VerifyService/Check', status.UNIMPLEMENTED],
  ['deflate', '/ramz.v1.VerifyService/Check', status.UNIMPLEMENTED],
  ['gzip', '/grpc.health.v1.Health/Watch', status.UNIMPLEMENTED],
  ['gzip', reflection, status.RESOURCE_EXHAUSTED],
])('a frame of thousands of compressed messages (%s) costs one decompression: %s', async (encoding, path, code) => {
  const made = [vi.spyOn(zlib, 'createGunzip'), vi.spyOn(zlib, 'createInflate')];
  ends.push(() => made.forEach((each) => void each.mockRestore()));
  const { server } = await start();
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  ends.push(() => session.destroy());
  const call = session.request({ ...headersOf(path), 'grpc-encoding': encoding });
  call.write(Buffer.alloc(16_380, emptyMessage));
  const [answer] = await once(call, 'response');
  expect(made.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1);
  expect(answer['grpc-status']).toBe(String(code));
});

test('a caller of reflection may compress each request, once it has the answer to the one before', async () => {
  const { server } = await start();
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  ends.push(() => session.destroy());
  const call = session.request({ ...headersOf(reflection), 'grpc-encoding': 'gzip' });
  const request = zlib.gzipSync(Buffer.from([0x3a, 0]));
  for (let nth = 0; nth < 3; nth += 1) {
    call.write(Buffer.concat([Buffer.from([1, 0, 0, 0, request.length]), request]));
    const [answer] = await once(call, 'data');
    expect(String(answer)).toContain('ramz.v1.VerifyService');
  }
});
