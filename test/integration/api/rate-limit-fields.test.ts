// RateLimit and RateLimit-Policy on answers: at the doors whose errors have headers, on success and on refusal alike.
import { create } from '@bufbuild/protobuf';
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { callLimiter } from '../../../src/app/call-limiter.ts';
import { SendRequestSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { native } from '../../support/doors.ts';
import { newSeen, startFake } from './fake.ts';

let now = 1_800_000_000_000;
let api: Api;
let base: string;

beforeAll(async () => {
  api = await startFake(newSeen(), {
    rateLimiter: callLimiter(
      () => 3,
      () => now,
    ),
  });
  base = `http://127.0.0.1:${api.httpPort}`;
});
afterAll(() => api.close(1_000));

const headers = { authorization: 'Bearer all' };
const fieldsOf = (from: Headers) => [from.get('ratelimit-policy'), from.get('ratelimit')];
const get = async (path: string, key = headers.authorization) => {
  const response = await fetch(base + path, { headers: { authorization: key } });
  return { status: response.status, fields: fieldsOf(response.headers), after: response.headers.get('retry-after') };
};

test('REST says what is left, and when it is refused too', async () => {
  now += 1_000;
  const left: unknown[] = [];
  for (let n = 0; n < 4; n += 1) left.push(await get('/v1/verify/sessions/vrf_1'));
  const policy = '"calls";q=3;w=1';
  expect(left).toEqual([
    { status: 200, fields: [policy, '"calls";r=2;t=1'], after: null },
    { status: 200, fields: [policy, '"calls";r=1;t=1'], after: null },
    { status: 200, fields: [policy, '"calls";r=0;t=1'], after: null },
    { status: 429, fields: [policy, '"calls";r=0;t=1'], after: '1' },
  ]);
  // What is not counted says nothing: no limit was looked at.
  expect(await get('/v1/verify/sessions/vrf_1', 'Bearer gone')).toMatchObject({ status: 401, fields: [null, null] });
});

test('a stream of events says it in its head', async () => {
  now += 1_000;
  expect(await get('/v1/verify/sessions/vrf_short/events')).toMatchObject({
    status: 200,
    fields: [expect.stringMatching(/q=3/), expect.stringMatching(/r=2/)],
  });
});

test('Connect says it as REST does, gRPC not at all: its errors have no headers', async () => {
  now += 1_000;
  const client = createClient(VerifyService, createConnectTransport({ baseUrl: base, httpVersion: '1.1' }));
  let answered = new Headers();
  await client.getSession({ id: 'vrf_1' }, { headers, onHeader: (header) => (answered = header) });
  expect(fieldsOf(answered)).toEqual(['"calls";q=3;w=1', '"calls";r=2;t=1']);
  const refused = await client
    .check({ session: { case: 'id', value: 'vrf_none' }, code: '123456' }, { headers })
    .catch(ConnectError.from);
  expect(fieldsOf((refused as ConnectError).metadata)).toEqual(['"calls";q=3;w=1', '"calls";r=1;t=1']);
  const grpc = native(`127.0.0.1:${api.grpcPort}`);
  const input = create(SendRequestSchema, { to: '+1' });
  expect(await grpc.call(VerifyService.method.send, input, headers)).toMatchObject({ kind: 'ok' });
  expect(await grpc.call(VerifyService.method.send, input, headers)).toMatchObject({ code: 'rate_limited' });
  grpc.close();
});
