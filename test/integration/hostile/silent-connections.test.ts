// Connections that say nothing, or too little: they take room from nobody but their own address, and not for long.
import { once } from 'node:events';
import { get } from 'node:http';
import { get as getSecure } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { clientAddresses } from '../../../src/api/clients/address.ts';
import type { Api } from '../../../src/api/server.ts';
import { GetSessionRequestSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { selfSigned } from '../../support/certificate.ts';
import { machineClock } from '../../support/machine-clock.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from '../api/fake.ts';
import { frame, preface } from './http2-frames.ts';

const attacker = '127.0.0.2';
const other = '127.0.0.3';
/** Each port has room for so many connections, and one address for fewer. */
const [maxConnections, perAddress] = [100, 20];

const tls = selfSigned();
const limits = { unauthenticatedConnectionsPerAddress: () => perAddress };
const start = (secure: boolean) =>
  startFake(newSeen(), {
    http: { host: '127.0.0.1', port: 0, maxConnections, ...(secure ? { tls } : {}) },
    grpc: { host: '127.0.0.1', port: 0, maxConnections, ...(secure ? { tls } : {}) },
    ...limits,
  });
const plain = await start(false);
const secure = await start(true);
afterAll(() => Promise.all([plain.close(0), secure.close(0)]));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A connection that writes `text`, reads what comes, and waits. */
function open(port: number, localAddress = attacker, text: string | Buffer = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.resume();
  if (text.length > 0) socket.write(text);
  ends.push(() => socket.destroy());
  return socket;
}

/** Silent connections, many more than the port has room for, until every one is accepted or refused. */
async function flood(port: number): Promise<Socket[]> {
  const sockets = Array.from({ length: 4 * maxConnections }, () => open(port));
  const isSettled = (socket: Socket) => socket.destroyed || !socket.connecting;
  await until(() => sockets.every(isSettled), { what: 'the flood to be there' });
  return sockets;
}

/** `GET /healthz`, or a call with `key`; its status. Each on a connection of its own. */
function callHttp(api: Api, localAddress: string, key?: string): Promise<number> {
  const isSecure = api === secure;
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: api.httpPort,
      localAddress,
      agent: false as const,
      rejectUnauthorized: false,
      path: key ? '/v1/verify/sessions/vrf_1' : '/healthz',
      headers: key ? { authorization: `Bearer ${key}` } : {},
    };
    const request = (isSecure ? getSecure : get)(options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
  });
}

function grpcClient(api: Api): Client {
  const isSecure = api === secure;
  const channel = isSecure ? credentials.createSsl(Buffer.from(tls.cert)) : credentials.createInsecure();
  // A pool of its own, so that no two clients share a connection.
  const client = new Client(`127.0.0.1:${api.grpcPort}`, channel, { 'grpc.use_local_subchannel_pool': 1 });
  ends.push(() => client.close());
  return client;
}

function callGrpc(client: Client, path = '/grpc.health.v1.Health/Check', key = ''): Promise<number> {
  const bytes = (message: Buffer) => message;
  const metadata = new Metadata();
  const request = key ? toBinary(GetSessionRequestSchema, create(GetSessionRequestSchema, { id: 'vrf_1' })) : [];
  if (key) metadata.set('authorization', `Bearer ${key}`);
  const deadline = { deadline: Date.now() + 20_000 };
  return new Promise((resolve) =>
    client.makeUnaryRequest(path, bytes, bytes, Buffer.from(request), metadata, deadline, (error) =>
      resolve(error?.code ?? 0),
    ),
  );
}

const getSession = '/ramz.v1.VerifyService/GetSession';

describe.each([
  ['in clear', plain],
  ['over TLS', secure],
])('%s', (_, api) => {
  test('HTTP: a flood of one address leaves another one served at once', async () => {
    const sockets = await flood(api.httpPort);
    expect(await callHttp(api, other)).toBe(200);
    expect(await callHttp(api, other, 'all')).toBe(200);
    await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= perAddress, {
      what: 'the rest to be cut',
    });
    expect(await callHttp(api, attacker, 'all')).toBe(200); // Whoever comes with a good key gets in there too.
  });

  test('gRPC: the same', async () => {
    const sockets = await flood(api.grpcPort);
    expect(await callGrpc(grpcClient(api))).toBe(0);
    expect(await callGrpc(grpcClient(api), getSession, 'all')).toBe(0);
    await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= perAddress, {
      what: 'the rest to be cut',
    });
  });

  test('what has not completed its handshake within 5 s is closed, at both ports', async () => {
    const hello = (port: number) => {
      // Its handshake is done; then it says nothing.
      const raw = open(port);
      const socket = connectSecure({ socket: raw, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] });
      socket.on('error', () => {}).resume();
      ends.push(() => socket.destroy());
      return socket as Socket;
    };
    const clock = machineClock(async () => {});
    const startedAt = Date.now();
    const late = [
      open(api.httpPort),
      open(api.grpcPort),
      ...(api === secure
        ? [hello(api.httpPort), hello(api.grpcPort)]
        : [
            open(api.httpPort, attacker, 'GET /healthz HTTP/1.1\r\nhost: x\r\n'),
            open(api.grpcPort, attacker, preface),
            open(
              api.grpcPort,
              attacker,
              Buffer.concat([preface, frame('settings', 0, 0, Buffer.alloc(6))]).subarray(0, -1),
            ),
          ]),
    ];
    await Promise.all(late.map((socket) => once(socket, 'close')));
    expect(Date.now() - startedAt).toBeGreaterThan(4_500);
    expect(clock.between(startedAt, Date.now())).toBeLessThan(8_000);
    await clock.stop();
  });
});

test('connections with a good key are kept, however many more the same address opens', async () => {
  const client = grpcClient(plain); // From 127.0.0.1.
  expect(await callGrpc(client, getSession, 'all')).toBe(0);
  const keyed = open(plain.httpPort, '127.0.0.1');
  keyed.write('GET /v1/verify/sessions/vrf_1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer all\r\n\r\n');
  const keyless = open(plain.httpPort, '127.0.0.1', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await Promise.all([once(keyed, 'data'), once(keyless, 'data')]);
  for (const port of [plain.httpPort, plain.grpcPort]) {
    const many = Array.from({ length: perAddress + 5 }, () => open(port, '127.0.0.1'));
    await until(() => many.filter(({ destroyed }) => destroyed).length >= 5, { what: 'the oldest to be cut' });
  }
  expect([keyed.destroyed, keyless.destroyed]).toEqual([false, true]);
  const connected = client.getChannel().getConnectivityState(false);
  expect(connected).toBe(2); // READY: it never had to connect again.
});

test('connections of a trusted proxy are not counted', async () => {
  const api = await startFake(newSeen(), { ...limits, addresses: clientAddresses(() => [attacker]) });
  ends.push(() => void api.close(0));
  const many = Array.from({ length: perAddress * 2 }, () =>
    open(api.httpPort, attacker, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  );
  await Promise.all(many.map((socket) => once(socket, 'data')));
  expect(many.every(({ destroyed }) => !destroyed)).toBe(true);
});

test('a health check may watch without a key for as long as it likes', async () => {
  const client = grpcClient(plain);
  const bytes = (message: Buffer) => message;
  const watch = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', bytes, bytes, Buffer.alloc(0));
  let ended = false;
  watch.on('error', () => {
    ended = true;
  });
  await once(watch, 'data');
  const many = Array.from({ length: perAddress + 5 }, () => open(plain.grpcPort, '127.0.0.1'));
  await until(() => many.filter(({ destroyed }) => destroyed).length >= 5, { what: 'the oldest to be cut' });
  expect(ended).toBe(false);
  watch.cancel();
});
