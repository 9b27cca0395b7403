// Calls of strangers on the gRPC port that would fill the process: requests that never arrive, answers of reflection that nobody reads, and names of
// services that there are not.
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
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

async function start(requestMs?: number): Promise<{ server: GrpcServer; gate: Gate }> {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const unknown = () => ({ kind: 'unknown' }) as const;
  const waist = createWaist({
    services: [service(VerifyService, {})],
    authenticator: { authenticate: unknown, administrator: unknown },
    logger: silent,
  });
  const gate = new Gate({ perAddress: () => 256, isTrusted: () => false });
  const options = { host: '127.0.0.1', port: 0, ...(requestMs === undefined ? {} : { requestMs }) };
  const server = await startGrpc({ waist, gate, addresses: clientAddresses(() => []) }, options);
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

test('a stranger whose requests do not arrive is cut off', async () => {
  const { server } = await start(300);
  const { socket, closed } = connect(server);
  const half = Buffer.concat([Buffer.from([0, 0, 0, 0xff, 0xf0]), Buffer.alloc(10_000)]);
  for (let id = 1; id < 20; id += 2) {
    socket.write(frame('headers', endHeaders, id, callTo('/ramz.v1.VerifyService/Check')));
    socket.write(frame('data', 0, id, half));
  }
  await closed;
});

test('where the connection has shown a good key, the call that does not arrive ends alone', async () => {
  const { server, gate } = await start(300);
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  ends.push(() => session.destroy());
  await once(session, 'remoteSettings');
  gate.of(`127.0.0.1:${session.socket.localPort}`)?.proven();
  const call = session.request({
    ':method': 'POST',
    ':path': '/ramz.v1.VerifyService/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const [answer] = await once(call, 'response');
  expect(answer['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED));
  expect(session.destroyed).toBe(false);
});

test('a stranger that asks reflection on and on and reads nothing is cut off', async () => {
  const { server } = await start();
  const connection = connect(server, readsNothing);
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  connection.socket.write(frame('headers', endHeaders, 1, callTo(path)));
  const listServices = Buffer.from([0, 0, 0, 0, 2, 0x3a, 0]);
  const many = Buffer.concat(Array.from({ length: 500 }, () => listServices));
  await pour(
    connection,
    Array.from({ length: 4 }, () => frame('data', 0, 1, many)),
  );
  await connection.closed;
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
