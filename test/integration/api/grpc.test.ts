// What only the gRPC door does: health, reflection, limits, deadlines, and streams that are read slowly.

import { once } from 'node:events';
import { connect as connectRaw, type IncomingHttpHeaders } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import {
  VerifyService,
  WatchSessionRequestSchema,
  WatchSessionResponseSchema,
} from '../../../src/gen/ramz/v1/verify_pb.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';

const seen = newSeen();
let api: Api;
const clients: Client[] = [];

beforeAll(async () => {
  api = await startFake(seen);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => api.close(1_000));

function connect(options: ChannelOptions = {}): Client {
  const client = new Client(`127.0.0.1:${api.grpcPort}`, credentials.createInsecure(), options);
  clients.push(client);
  return client;
}

const key = new Metadata();
key.set('authorization', 'Bearer all');
const same = (bytes: Buffer): Buffer => bytes;

function unary(path: string, bytes: Buffer, options: { deadline?: number } = {}): Promise<ServiceError | Buffer> {
  return new Promise((resolve) => {
    connect().makeUnaryRequest(path, same, same, bytes, key, options, (error, answer) =>
      resolve(error ?? (answer as Buffer)),
    );
  });
}

const send = '/ramz.v1.VerifyService/Send';

test('bytes that are no message', async () => {
  const answer = await unary(send, Buffer.from([0xff, 0xff, 0xff]));
  expect(answer).toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('what can not be decompressed is the fault of its sender, told and logged as any other', async () => {
  seen.reports.length = 0;
  const session = connectRaw(`http://127.0.0.1:${api.grpcPort}`);
  const call = session.request({
    ':method': 'POST',
    ':path': send,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-encoding': 'gzip',
  });
  call.end(Buffer.from([1, 0, 0, 0, 3, 1, 2, 3]));
  const [headers] = (await once(call, 'response')) as [IncomingHttpHeaders];
  session.destroy();
  expect(headers).toMatchObject({ 'grpc-status': String(status.INVALID_ARGUMENT) });
  expect(headers['x-request-id']).toMatch(/^req_/);
  expect(seen.reports).toMatchObject([
    { method: 'ramz.v1.VerifyService/Send', door: 'grpc', code: 'malformed_request' },
  ]);
});

const update = '/ramz.v1.AccountService/UpdateAccount';
const updateOf = (path: string): Buffer => {
  const { input } = AccountService.method.updateAccount;
  return Buffer.from(toBinary(input, create(input, { name: 'Shop', updateMask: { paths: [path] } })));
};

// grpc-js writes the words of an error with encodeURI, which throws at half of a surrogate pair.
test('the name of a field to change that is cut in the middle of a character is refused, and the server goes on', async () => {
  expect(await unary(update, updateOf(`${'x'.repeat(59)}😀y`))).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: `update_mask: there is no field ${'x'.repeat(59)}\ufffd… to change`,
  });
  expect(await unary(update, updateOf('name'))).toBeInstanceOf(Buffer);
});

test('an error has its request id, once', async () => {
  const error = (await unary(send, Buffer.from([0xff, 0xff, 0xff]))) as ServiceError;
  expect(error.metadata.get('x-request-id')).toEqual([expect.stringMatching(/^req_/)]);
});

test('no such method', async () => {
  expect(await unary('/ramz.v1.VerifyService/Nothing', Buffer.alloc(0))).toMatchObject({ code: status.UNIMPLEMENTED });
});

test("the caller's deadline reaches the handler", async () => {
  const { input } = VerifyService.method.send;
  const before = seen.aborted;
  const bytes = Buffer.from(toBinary(input, create(input, { to: '+504' })));
  expect(await unary(send, bytes, { deadline: Date.now() + 1_000 })).toMatchObject({ code: status.DEADLINE_EXCEEDED });
  await until(() => seen.aborted > before, { what: 'the handler to be told' });
});

test('health: the server and each service', async () => {
  const client = connect();
  const { Check } = health as unknown as Record<
    string,
    { path: string; requestSerialize: never; responseDeserialize: never }
  >;
  const ask = (service: string): Promise<unknown> =>
    new Promise((resolve) => {
      client.makeUnaryRequest<object, object>(
        Check?.path as string,
        Check?.requestSerialize as never,
        Check?.responseDeserialize as never,
        { service },
        (error, answer) => resolve(error?.code ?? answer),
      );
    });
  expect(await ask('')).toEqual({ status: 'SERVING' });
  expect(await ask('ramz.v1.VerifyService')).toEqual({ status: 'SERVING' });
  expect(await ask('nothing')).toBe(status.NOT_FOUND);
  api.setServing(false);
  expect(await ask('')).toEqual({ status: 'NOT_SERVING' });
  api.setServing(true);
});

// Fields of grpc.reflection.v1, by number: written out by hand, since the messages themselves are nobody's business here.
test.each(['grpc.reflection.v1', 'grpc.reflection.v1alpha'])('%s lists services and gives files', async (version) => {
  const ask = (tag: number, text: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const path = `/${version}.ServerReflection/ServerReflectionInfo`;
      const call = connect().makeBidiStreamRequest(path, same, same);
      call.on('data', (answer: Buffer) => {
        resolve(answer);
        call.end();
      });
      call.on('error', reject);
      call.write(Buffer.concat([Buffer.from([tag, text.length]), Buffer.from(text)]));
    });
  const services = (await ask(0x3a, '*')).toString('latin1');
  for (const name of ['ramz.v1.VerifyService', 'ramz.v1.AccountService', 'grpc.health.v1.Health']) {
    expect(services).toContain(name);
  }
  const file = (await ask(0x22, 'ramz.v1.VerifyService')).toString('latin1');
  expect(file).toContain('ramz/v1/verify.proto');
  expect(file).toContain('google/protobuf/timestamp.proto');
  expect((await ask(0x22, 'google.rpc.ErrorInfo')).toString('latin1')).toContain('google/rpc/error_details.proto');
});

test('no service describes itself where reflection is off', async () => {
  const closed = await startFake(newSeen(), { grpc: { host: '127.0.0.1', port: 0, reflection: false } });
  const client = new Client(`127.0.0.1:${closed.grpcPort}`, credentials.createInsecure());
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const call = client.makeBidiStreamRequest(path, same, same);
  const error = await new Promise<ServiceError>((resolve) => call.on('error', resolve));
  expect(error.code).toBe(status.UNIMPLEMENTED);
  client.close();
  await closed.close(1_000);
});

test('reflection gives the very descriptors that were generated', () => {
  const file = VerifyService.file.proto;
  const again = fromBinary(FileDescriptorProtoSchema, toBinary(FileDescriptorProtoSchema, file));
  expect(again.service.map(({ name }) => name)).toEqual(['VerifyService']);
});

function watch(id: string, options: { deadline?: number } = {}) {
  return connect().makeServerStreamRequest(
    '/ramz.v1.VerifyService/WatchSession',
    (message: ReturnType<typeof create<typeof WatchSessionRequestSchema>>) =>
      Buffer.from(toBinary(WatchSessionRequestSchema, message)),
    (bytes) => fromBinary(WatchSessionResponseSchema, bytes),
    create(WatchSessionRequestSchema, { id }),
    key,
    options,
  );
}

test('a stream ends with its handler, and its headers have the request id', async () => {
  const call = watch('vrf_short');
  let requestId: unknown;
  call.on('metadata', (metadata: Metadata) => {
    requestId = metadata.get('x-request-id')[0];
  });
  const statuses: (string | undefined)[] = [];
  for await (const { session } of call) statuses.push(session?.status);
  expect(statuses).toEqual(['pending', 'verified']);
  expect(requestId).toMatch(/^req_/);
});

test('a stream is written no faster than it is read', async () => {
  let read = 0;
  for await (const _ of watch('vrf_many')) {
    read += 1;
    if (read % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(read).toBe(201);
});

test('an error in the middle of a stream', async () => {
  const read = async (): Promise<void> => {
    for await (const _ of watch('vrf_bad'));
  };
  await expect(read()).rejects.toMatchObject({ code: status.NOT_FOUND });
});

test('a watcher that leaves, and one whose time is up, end their handlers', async () => {
  const before = seen.watchesEnded;
  const leaving = watch('vrf_1');
  leaving.on('error', () => {});
  await new Promise((resolve) => leaving.once('data', resolve));
  leaving.cancel();
  await until(() => seen.watchesEnded === before + 1, { what: 'the handler to end' });

  const late = watch('vrf_1', { deadline: Date.now() + 1_000 });
  const code = await new Promise((resolve) => {
    late.on('error', (error: ServiceError) => resolve(error.code));
    late.resume();
  });
  expect(code).toBe(status.DEADLINE_EXCEEDED);
  await until(() => seen.watchesEnded === before + 2, { what: 'the handler to end' });
});
