// What only the Connect door does: errors raised before any interceptor, limits, unknown fields, deadlines.

import { gzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { BadRequestSchema, ErrorInfoSchema, RequestInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { newSeen, startFake } from './fake.ts';

const seen = newSeen();
let api: Api;
let base: string;
let url: string;

beforeAll(async () => {
  api = await startFake(seen);
  base = `http://127.0.0.1:${api.httpPort}`;
  url = `${base}/ramz.v1.VerifyService/Send`;
});
afterAll(() => api.close(1_000));

const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
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

describe('a message that can not be read is refused as one, and has a line of the log', () => {
  /** Says six bytes of text, and has one. */
  const garbage = Buffer.from([0x0a, 0x06, 0x2b]);
  const enveloped = Buffer.concat([Buffer.from([0, 0, 0, 0, garbage.length]), garbage]);
  const auth = { authorization: 'Bearer all' };
  const lineOf = (response: Response) => {
    const request_id = response.headers.get('x-request-id');
    return seen.lines.filter((line) => (line as { request_id?: string }).request_id === request_id);
  };

  test.each([
    ['protobuf', () => post(garbage, { 'content-type': 'application/proto' })],
    ['compressed protobuf', () => post(garbage, { 'content-type': 'application/proto', 'content-encoding': 'gzip' })],
    ['JSON', () => post('{"to":')],
    [
      'base64 of a GET',
      () =>
        fetch(`${base}/ramz.v1.VerifyService/GetSession?connect=v1&encoding=proto&base64=1&message=!`, {
          headers: auth,
        }),
    ],
  ])('%s', async (_, call) => {
    const response = await call();
    const error = (await response.json()) as ErrorJson;
    expect([response.status, error.code]).toEqual([400, 'invalid_argument']);
    const requestId = response.headers.get('x-request-id');
    expect(said(error)).toEqual({ code: 'malformed_request', field: undefined, requestId });
    expect(lineOf(response)).toMatchObject([{ code: 'malformed_request', door: 'connect' }]);
  });

  test('gRPC-web', async () => {
    const headers = { ...auth, 'content-type': 'application/grpc-web+proto' };
    const response = await fetch(url, { method: 'POST', headers, body: enveloped });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, bytes[0], bytes.readUInt32BE(1)]).toEqual([200, 0x80, bytes.length - 5]);
    const text = bytes.subarray(5).toString();
    expect(text).toMatch(/^grpc-status: 3\r$/m);
    // Clients add headers and trailers up: there it would be twice.
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(text).not.toContain('x-request-id');
    expect(atob(/^grpc-status-details-bin: (\S+)/m.exec(text)?.[1] ?? '')).toContain('malformed_request');
    expect(lineOf(response)).toMatchObject([{ code: 'malformed_request', door: 'grpc-web' }]);
  });

  test('a stream', async () => {
    const headers = { ...auth, 'content-type': 'application/connect+proto' };
    const watch = `${base}/ramz.v1.VerifyService/WatchSession`;
    const response = await fetch(watch, { method: 'POST', headers, body: enveloped });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { error } = JSON.parse(bytes.subarray(5).toString()) as { error: ErrorJson };
    expect(error.code).toBe('invalid_argument');
    expect(said(error).code).toBe('malformed_request');
    expect(lineOf(response)).toMatchObject([{ code: 'malformed_request', door: 'connect' }]);
  });
});

test('more than 64 KiB is refused', async () => {
  const response = await post(JSON.stringify({ to: 'x'.repeat(70_000) }));
  const { code, details } = (await response.json()) as ErrorJson;
  expect(code).toBe('resource_exhausted');
  expect(atob(details[0]?.value ?? '')).toContain('request_too_large');
});

test('a verb that a method has not is answered with those it has', async () => {
  const allowed = async (method: string, verb: string) => {
    const response = await fetch(`${base}/ramz.v1.VerifyService/${method}`, { method: verb });
    return [response.status, response.headers.get('allow')];
  };
  expect(await allowed('Send', 'GET')).toEqual([405, 'POST']);
  expect(await allowed('GetSession', 'DELETE')).toEqual([405, 'POST, GET']);
});

test('answers are in snake_case', async () => {
  const response = await post('{"to":"+1"}');
  expect(await response.json()).toMatchObject({ created_at: '2026-03-01T10:15:30Z', test: false });
});

const strict = [
  ['a field nobody knows', '{"to":"+1","colour":"red"}', 'unknown_field', 'colour'],
  [
    'a field nobody knows, further in',
    '{"to":"+1","cascade":[{"chanel":"sms"}]}',
    'unknown_field',
    'cascade[0].chanel',
  ],
  ['null', '{"to":"+1","purpose":null}', 'invalid_argument', 'purpose'],
  ['a field given twice', '{"to":"+1","\\u0074o":"+2"}', 'invalid_argument', 'to'],
  [
    'two of which one may be given',
    '{"to":"+1","autofill":{"androidAppHash":"FA+9qCX9VSu","webOrigin":"a.dz"}}',
    'invalid_argument',
    'autofill.web_origin',
  ],
  ['a field of another type', '{"to":1}', 'invalid_argument', 'to'],
] as const;

/** What an error says by its details, as REST says it. */
const said = (error: ErrorJson) => {
  const bytesOf = (type: string) => {
    const found = error.details.find((detail) => detail.type === `google.rpc.${type}`);
    return Buffer.from(found?.value ?? '', 'base64');
  };
  const code = fromBinary(ErrorInfoSchema, bytesOf('ErrorInfo')).reason;
  const [violation] = fromBinary(BadRequestSchema, bytesOf('BadRequest')).fieldViolations;
  const { requestId } = fromBinary(RequestInfoSchema, bytesOf('RequestInfo'));
  return { code, field: violation?.field, requestId };
};

test('a byte order mark passes, as over REST', async () => {
  const body = '\ufeff{"to":"+1"}';
  const headers = { 'content-type': 'application/json', authorization: 'Bearer all' };
  const overRest = await fetch(`${base}/v1/verify/send`, { method: 'POST', body, headers });
  expect([overRest.status, (await post(body)).status]).toEqual([200, 200]);
});

describe('JSON is as strict as over REST', () => {
  test.each(strict)('%s', async (_, body, code, field) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const requestId = response.headers.get('x-request-id');
    expect(said((await response.json()) as ErrorJson)).toEqual({ code, field, requestId });
  });

  test('compressed', async () => {
    const response = await post(gzipSync('{"to":"+1","colour":"red"}'), { 'content-encoding': 'gzip' });
    expect(said((await response.json()) as ErrorJson)).toMatchObject({ code: 'unknown_field', field: 'colour' });
  });

  test('in the query of a GET', async () => {
    const query = `connect=v1&encoding=json&message=${encodeURIComponent('{"id":"vrf_1","colour":"red"}')}`;
    const response = await fetch(`${base}/ramz.v1.VerifyService/GetSession?${query}`, {
      headers: { authorization: 'Bearer all' },
    });
    expect(said((await response.json()) as ErrorJson)).toMatchObject({ code: 'unknown_field', field: 'colour' });
  });

  test('in a stream', async () => {
    const message = Buffer.from('{"id":"vrf_short","colour":"red"}');
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const response = await fetch(`${base}/ramz.v1.VerifyService/WatchSession`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json', authorization: 'Bearer all' },
      body: Buffer.concat([head, message]),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { error } = JSON.parse(bytes.subarray(5).toString()) as { error: ErrorJson };
    expect(said({ ...error, details: error.details.map(({ type, value }) => ({ type, value })) })).toMatchObject({
      code: 'unknown_field',
      field: 'colour',
    });
  });

  test('what the body names is a mask only where it says so', async () => {
    const update = async (body: string) => {
      const response = await fetch(`${base}/ramz.v1.AccountService/UpdateAccount`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer all' },
        body,
      });
      return ((await response.json()) as { account: { id: string } }).account.id;
    };
    expect(await update('{"name":"Shop","cascade":[]}')).toBe('name');
    expect(await update('{"name":"Shop","cascade":[],"updateMask":"cascade"}')).toBe('cascade');
  });
});

test("the caller's deadline holds", async () => {
  const response = await post('{"to":"+504"}', { 'connect-timeout-ms': '50' });
  expect(((await response.json()) as ErrorJson).code).toBe('deadline_exceeded');
});

test('native gRPC is not spoken on the HTTP/1.1 port', async () => {
  const response = await post('', { 'content-type': 'application/grpc' });
  expect(response.status).toBe(415);
});
