// A session followed live through every door that streams: each change is told once, in order, and the stream ends with
// the session.

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import {
  createConnectTransport as createBrowserConnect,
  createGrpcWebTransport as createBrowserGrpcWeb,
} from '@connectrpc/connect-web';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { VerifyService, type WatchSessionResponse } from '../../src/gen/ramz/v1/verify_pb.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { http: baseUrl, grpc, test: customer } = await service.startHere();
const authorization = `Bearer ${service.testKey}`;

type Watch = (id: string) => AsyncIterable<WatchSessionResponse>;

const over =
  (transport: Transport): Watch =>
  (id) =>
    createClient(VerifyService, transport).watchSession({ id }, { headers: { authorization } });

/** grpc-js's own client: nothing of Connect is between it and the wire. */
const native: Watch = async function* (id) {
  const { input, output } = VerifyService.method.watchSession;
  const client = new Client(grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  try {
    yield* client.makeServerStreamRequest(
      '/ramz.v1.VerifyService/WatchSession',
      (message: ReturnType<typeof create<typeof input>>) => Buffer.from(toBinary(input, message)),
      (bytes) => fromBinary(output, bytes),
      create(input, { id }),
      metadata,
    ) as AsyncIterable<WatchSessionResponse>;
  } finally {
    client.close();
  }
};

const doors: Record<string, Watch> = {
  connect: over(createConnectTransport({ baseUrl, httpVersion: '1.1' })),
  'connect, binary': over(createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true })),
  'connect, in a browser': over(createBrowserConnect({ baseUrl })),
  'grpc-web': over(createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })),
  'grpc-web, in a browser': over(createBrowserGrpcWeb({ baseUrl })),
  'grpc, by grpc-js': native,
  'grpc, by Connect': over(createGrpcTransport({ baseUrl: `http://${grpc}` })),
};

test.concurrent.each(Object.keys(doors))('%s', async (name) => {
  const watch = doors[name] as Watch;
  const to = `+21366${2_000_000 + Object.keys(doors).indexOf(name)}`;
  const { id } = await customer.send(to);
  const states: string[] = [];
  const entries: string[] = [];
  let checked: Promise<unknown> | undefined;
  for await (const { session, newEntries } of watch(id)) {
    states.push(`${session?.status} ${session?.delivery}`);
    entries.push(...newEntries.map(({ kind }) => kind));
    expect(session?.timeline.map(({ kind }) => kind)).toEqual(entries);
    if (session?.delivery === 'delivered') checked ??= customer.check(id, '000000');
  }
  await checked;
  expect(states.at(-1)).toBe('verified delivered');
  expect(entries.at(-1)).toBe('session_verified');
  expect((await customer.session(id)).timeline.map(({ kind }) => kind)).toEqual(entries);
});

test('nobody can follow what is not his', async () => {
  const { id } = await customer.send('+213662999999');
  const headers = { authorization: `Bearer ${service.liveKey}` };
  for (const transport of [createBrowserConnect({ baseUrl }), createGrpcTransport({ baseUrl: `http://${grpc}` })]) {
    const watched = createClient(VerifyService, transport).watchSession({ id }, { headers });
    await expect(watched[Symbol.asyncIterator]().next()).rejects.toThrow(/not_found|no such session/);
  }
});
