// What only the Connect door does: errors raised before any interceptor, limits, unknown fields, deadlines.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { newSeen, startFake } from './fake.ts';

let api: Api;
let url: string;

beforeAll(async () => {
  api = await startFake(newSeen());
  url = `http://127.0.0.1:${api.httpPort}/ramz.v1.VerifyService/Send`;
});
afterAll(() => api.close(1_000));

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: 'Bearer all', ...headers },
  });

interface ErrorJson {
  code: string;
  details: { type: string; value: string }[];
}

test('a body that is not JSON has a code and the id of the request too', async () => {
  const response = await post('{"to":');
  expect(response.status).toBe(400);
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(requestId).toMatch(/^req_/);
  const { code, details } = (await response.json()) as ErrorJson;
  expect(code).toBe('invalid_argument');
  expect(details.map(({ type }) => type)).toEqual(['google.rpc.ErrorInfo', 'google.rpc.RequestInfo']);
  expect(atob(details[0]?.value ?? '')).toContain('malformed_request');
  expect(atob(details[1]?.value ?? '')).toContain(requestId);
});

test('more than 64 KiB is refused', async () => {
  const response = await post(JSON.stringify({ to: 'x'.repeat(70_000) }));
  const { code, details } = (await response.json()) as ErrorJson;
  expect(code).toBe('resource_exhausted');
  expect(atob(details[0]?.value ?? '')).toContain('request_too_large');
});

test('unknown fields pass, as in protobuf; answers are in snake_case', async () => {
  const response = await post('{"to":"+1","colour":"red"}');
  expect(await response.json()).toMatchObject({ created_at: '2026-03-01T10:15:30Z', test: false });
});

test("the caller's deadline holds", async () => {
  const response = await post('{"to":"+504"}', { 'connect-timeout-ms': '50' });
  expect(((await response.json()) as ErrorJson).code).toBe('deadline_exceeded');
});

test('native gRPC is not spoken on the HTTP/1.1 port', async () => {
  const response = await post('', { 'content-type': 'application/grpc' });
  expect(response.status).toBe(415);
});
