// Stopping: calls under way finish, streams end with `unavailable`, what hangs is cut off, nothing is left open.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { HttpHooks } from '../../../src/api/http.ts';
import type { Api } from '../../../src/api/server.ts';
import { SendRequestSchema, VerifyService, WatchSessionRequestSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { callers } from '../../support/doors.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';

const apis: Api[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const api of apis.splice(0)) await api.close(0);
});

async function start(seen = newSeen(), hooks: HttpHooks = {}): Promise<Api> {
  const api = await startFake(seen, { hooks });
  apis.push(api);
  return api;
}

const headers = { authorization: 'Bearer all' };

test('calls under way finish through every door; new ones find nobody', async () => {
  const seen = newSeen();
  const api = await start(seen);
  const doors = callers(api);
  const input = create(SendRequestSchema, { to: '+slow' });
  const calls = doors.map((door) => door.call(VerifyService.method.send, input, headers));
  await until(() => seen.idempotencyKeys.length === doors.length, { what: 'every handler to run' });
  // Longer than the test may take: connections that were kept alive end with their last answer, not with the grace.
  const closed = api.close(600_000);
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
  await closed;
  for (const door of doors) door.close();
  await expect(fetch(`http://127.0.0.1:${api.httpPort}/healthz`)).rejects.toThrow();
});

test('it is told before anything is refused: not ready, but every call is still taken', async () => {
  const api = await start();
  const url = `http://127.0.0.1:${api.httpPort}`;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  let announced = () => {};
  vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce(((end: () => void) => {
    announced = end;
  }) as never);
  const closed = api.close(600_000, 400); // 400 ms that last until all has been asked.
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'stopping' }]);
  const input = create(SendRequestSchema, { to: '+213550000001' });
  const doors = callers(api);
  const outcomes = await Promise.all(doors.map((door) => door.call(VerifyService.method.send, input, headers)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
  for (const door of doors) door.close();
  announced();
  await closed;
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});

test('a connection kept alive still takes a call while the stop is announced, whatever ends on others', async () => {
  const api = await start();
  const idle = keptAlive(api.httpPort);
  expect(await idle.get('/healthz')).toMatch(/^HTTP\/1\.1 200[\s\S]*keep-alive/);
  let announced = () => {};
  vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce(((end: () => void) => {
    announced = end;
  }) as never);
  const closed = api.close(600_000, 400);
  const other = keptAlive(api.httpPort);
  expect(await other.get('/healthz')).toMatch(/connection: close/i);
  await other.ended;
  expect(await idle.get('/healthz')).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close/i);
  await idle.ended;
  announced();
  await closed;
});

test('an answer that its caller reads slowly is read to its end, whatever ends on other connections', async () => {
  const octets = 64 * 1024 ** 2;
  let handed = false;
  let waiting: ServerResponse | null = null;
  const mount = ({ url }: IncomingMessage, response: ServerResponse) => {
    if (url === '/later') waiting = response;
    else if (url !== '/long') return false;
    else {
      response.end(Buffer.alloc(octets), () => {
        handed = true;
      });
    }
    return true;
  };
  const api = await start(newSeen(), { mounts: [mount] });
  const [idle, other] = [keptAlive(api.httpPort), keptAlive(api.httpPort)];
  expect(await idle.get('/healthz')).toContain('ok');
  const slow = connect(api.httpPort, '127.0.0.1').pause();
  slow.write('GET /long HTTP/1.1\r\nhost: ramz\r\n\r\n');
  await once(slow, 'readable');
  const answered = other.get('/later');
  const later = await until(() => waiting, { what: 'the other call' });
  expect(handed).toBe(false);
  const closed = api.close(600_000);
  later.end('{}');
  expect(await answered).toMatch(/\{\}$/);
  await other.ended;
  let read = 0;
  slow.on('data', (chunk) => {
    read += chunk.length;
  });
  slow.resume();
  await once(slow, 'close');
  expect(read).toBeGreaterThan(octets);
  await idle.ended;
  await closed;
});

/** One connection of a balancer: what it reads after each request, until the body of /healthz is there. */
function keptAlive(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let read = '';
  socket.on('data', (text: string) => {
    read += text;
  });
  return {
    ended: once(socket, 'close'),
    async get(path: string): Promise<string> {
      read = '';
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ramz\r\n\r\n`);
      await until(() => read.endsWith('}') || socket.destroyed, { what: 'the answer' });
      return read;
    },
  };
}

test.each(['connect', 'grpc-web', 'grpc'])(
  'streams over %s end with unavailable, each with the id of its own call',
  async (door) => {
    const seen = newSeen();
    const api = await start(seen);
    const caller = callers(api).find((each) => each.door === door);
    if (!caller) throw new Error('no such door');
    const input = create(WatchSessionRequestSchema, { id: 'vrf_1' });
    let open = 0;
    const watch = async () => {
      for await (const outcome of caller.stream(VerifyService.method.watchSession, input, headers)) {
        if (outcome.kind === 'error') return outcome;
        open += 1;
      }
      return null;
    };
    const watches = [watch(), watch()];
    await until(() => open === 2, { what: 'both streams to have begun' });
    await api.close(5_000);
    const ends = await Promise.all(watches);
    expect(ends).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }]);
    const idsOfCalls = seen.lines.map((line) => (line as { request_id: string }).request_id);
    expect(new Set(idsOfCalls).size).toBe(2);
    expect(ends.map((end) => end?.requestId).toSorted()).toEqual(idsOfCalls.toSorted());
    caller.close();
  },
);

test('those who watch health hear that it ends, and hold nothing up', async () => {
  const api = await start();
  const client = new Client(`127.0.0.1:${api.grpcPort}`, credentials.createInsecure());
  const { Watch } = health as unknown as Record<string, ClientMethod>;
  if (!Watch) throw new Error('no Watch');
  const { path, requestSerialize, responseDeserialize } = Watch;
  const call = client.makeServerStreamRequest<object, { status: string }>(
    ...([path, requestSerialize, responseDeserialize, { service: '' }] as const),
  );
  const heard: string[] = [];
  call.on('data', ({ status }) => heard.push(status));
  const ended = new Promise<number>((resolve) => call.on('error', ({ code }: ServiceError) => resolve(code)));
  await until(() => heard.length === 1, { what: 'the first status' });
  await api.close(600_000); // Longer than the test may take.
  expect(heard).toEqual(['SERVING', 'NOT_SERVING']);
  expect(await ended).toBe(Code.Unavailable);
  client.close();
});

interface ClientMethod {
  path: string;
  requestSerialize(message: object): Buffer;
  responseDeserialize(bytes: Buffer): { status: string };
}

test('what does not finish in time is cut off', async () => {
  const seen = newSeen();
  const api = await start(seen);
  const [rest, , , grpc] = callers(api);
  const input = create(SendRequestSchema, { to: '+504' });
  const cut = rest?.call(VerifyService.method.send, input, headers).catch(() => 'cut off');
  const gone = grpc?.call(VerifyService.method.send, input, headers);
  await until(() => seen.idempotencyKeys.length === 2, { what: 'both handlers to run' });
  await api.close(50);
  expect(await cut).toBe('cut off');
  expect(await gone).toMatchObject({ kind: 'error' });
  await until(() => seen.aborted === 2, { what: 'both handlers to be told' });
  grpc?.close();
});

test('a taken port is an error, and leaves nothing open', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  await expect(startFake(newSeen(), { http: { host: '127.0.0.1', port } })).rejects.toThrow(/EADDRINUSE/);
  await expect(startFake(newSeen(), { grpc: { host: '127.0.0.1', port } })).rejects.toThrow(/EADDRINUSE|No address/);
  taken.close();
});
