// What only the REST door does: bodies, types, unknown fields, verbs, headers, the operational routes, broken sockets.

import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';

const seen = newSeen();
let api: Api;
let base: string;
let ready = true;
const sockets: Socket[] = [];

beforeAll(async () => {
  api = await startFake(seen, {
    hooks: {
      readiness: async () => ({ ready, details: { operators: { alpha: 'bound' } } }),
      mounts: [
        (incoming, response) => {
          if (incoming.url !== '/console') return false;
          response.end('console');
          return true;
        },
      ],
    },
  });
  base = `http://127.0.0.1:${api.httpPort}`;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await api.close(1_000);
});

interface Sent {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  headers: Headers;
  json: { error?: { code: string; message: string; field?: string; request_id: string; [name: string]: unknown } };
}

async function call(path: string, { method = 'POST', body, headers = {} }: Sent = {}): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: 'Bearer all',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, json: isJson && text ? JSON.parse(text) : {} };
}

const send = (fields: object, sent: Sent = {}): Promise<Answer> =>
  call('/v1/verify/send', { body: JSON.stringify(fields), ...sent });

describe('what a PATCH changes', () => {
  const patch = (body?: string): Promise<Answer> => call('/v1/account', { method: 'PATCH', ...(body ? { body } : {}) });

  test.each([
    ['nothing', undefined, ''],
    ['an empty object', '{}', ''],
    ['keys in either spelling', '{"defaultSenderId":"","name":"Shop"}', 'default_sender_id name'],
    ['an empty list', '{"cascade":[]}', 'cascade'],
    ['an empty object within', '{"autofill":{}}', 'autofill'],
  ])('%s', async (_, body, changed) => {
    const { status, json } = await patch(body);
    expect({ status, changed: (json as { id?: string }).id }).toEqual({ status: 200, changed });
  });

  test.each([
    ['an empty text where one is needed', '{"name":""}', 'invalid_argument', 'name'],
    ['null', '{"cascade":null}', 'invalid_argument', 'cascade'],
    ['a mask: the keys are one', '{"update_mask":"name","name":"Shop"}', 'unknown_field', 'update_mask'],
    ['a mask in its other spelling', '{"updateMask":"name"}', 'unknown_field', 'update_mask'],
  ])('%s is refused by name', async (_, body, code, field) => {
    const { status, json } = await patch(body);
    expect({ status, code: json.error?.code, field: json.error?.field }).toEqual({ status: 400, code, field });
  });

  test('a mask in the query is refused, too', async () => {
    const { json } = await call('/v1/account?update_mask=name', { method: 'PATCH', body: '{"name":"Shop"}' });
    expect(json.error).toMatchObject({ code: 'unknown_field', field: 'update_mask' });
  });
});

describe('what a body may be', () => {
  const refused: [string, string, string, string | undefined][] = [
    ['an unknown field', '{"to":"+1","colour":"red"}', 'unknown_field', 'colour'],
    [
      'an unknown field further in',
      '{"to":"+1","cascade":[{"channel":"sms","retries":2}]}',
      'unknown_field',
      'cascade[0].retries',
    ],
    ['__proto__', '{"to":"+1","__proto__":{"purpose":"x"}}', 'unknown_field', '__proto__'],
    ['a number for a string', '{"to":213}', 'invalid_argument', 'to'],
    ['a string for a number', '{"to":"+1","code_length":"six"}', 'invalid_argument', 'code_length'],
    ['half a digit', '{"to":"+1","code_length":6.5}', 'invalid_argument', 'code_length'],
    ['a number beyond 32 bits', '{"to":"+1","ttl_seconds":2147483648}', 'invalid_argument', 'ttl_seconds'],
    ['an object for a list', '{"to":"+1","cascade":{}}', 'invalid_argument', 'cascade'],
    ['null', '{"to":"+1","purpose":null}', 'invalid_argument', 'purpose'],
    ['null further in', '{"to":"+1","autofill":{"web_origin":null}}', 'invalid_argument', 'autofill.web_origin'],
    ['null in a list', '{"to":"+1","cascade":[null]}', 'invalid_argument', 'cascade[0]'],
    ['a list for an object', '{"to":"+1","autofill":[]}', 'invalid_argument', 'autofill'],
    [
      'one field under both names',
      '{"to":"+1","clientReference":"a","client_reference":"b"}',
      'invalid_argument',
      'client_reference',
    ],
    ['one field twice', '{"to":"+1","to":"+2"}', 'invalid_argument', 'to'],
    ['one field twice, once escaped', '{"to":"+1","\\u0074o":"+1"}', 'invalid_argument', 'to'],
    [
      'one field twice by its other name',
      '{"clientReference":"a","clientReference":"b"}',
      'invalid_argument',
      'client_reference',
    ],
    ['one field twice, first as null', '{"to":null,"to":"+1"}', 'invalid_argument', 'to'],
    [
      'one field twice further in',
      '{"to":"+1","cascade":[{"channel":"sms"},{"channel":"sms","timeoutSeconds":5,"timeoutSeconds":6}]}',
      'invalid_argument',
      'cascade[1].timeout_seconds',
    ],
    [
      'both names further in',
      '{"to":"+1","autofill":{"webOrigin":"a.dz","web_origin":"b.dz"}}',
      'invalid_argument',
      'autofill.web_origin',
    ],
    [
      'at most one of two further in',
      '{"to":"+1","autofill":{"android_app_hash":"FA+9qCX9VSu","web_origin":"a.dz"}}',
      'invalid_argument',
      'autofill.web_origin',
    ],
    ['an unknown field twice', '{"to":"+1","colour":"red","colour":"red"}', 'invalid_argument', 'colour'],
    ['a list', '[]', 'malformed_request', undefined],
    ['null for the whole', 'null', 'malformed_request', undefined],
    ['half a document', '{"to":', 'malformed_request', undefined],
    ['nothing', '', 'invalid_phone_number', 'to'],
  ];
  test.each(refused)('%s is refused by name', async (_, body, code, field) => {
    const { status, json } = await call('/v1/verify/send', { body });
    expect({ status, code: json.error?.code, field: json.error?.field }).toEqual({ status: 400, code, field });
  });

  test.each([
    ['both', '{"id":"vrf_1","to":"+1","code":"1"}', 'to'],
    ['both, one of them empty', '{"to":"+1","id":"","code":"1"}', 'id'],
    ['an empty one', '{"id":"","code":"1"}', 'id'],
    ['none', '{"code":"1"}', 'id'],
  ])('exactly one of two: %s is refused', async (_, body, field) => {
    const { json } = await call('/v1/verify/check', { body });
    expect(json.error).toMatchObject({ code: 'invalid_argument', field, message: 'give exactly one of id or to' });
  });

  test('what is not UTF-8 is refused', async () => {
    const { json } = await call('/v1/verify/send', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) });
    expect(json.error?.code).toBe('malformed_request');
  });

  test('an error never repeats the body, which may hold a code', async () => {
    const { json } = await call('/v1/verify/check', { body: '{"id":"vrf_1","code":"048151"' });
    expect(JSON.stringify(json)).not.toContain('048151');
  });

  test('camelCase is understood', async () => {
    const { status } = await send({ to: '+1', clientReference: 'a', codeLength: 7 });
    expect(status).toBe(200);
  });

  test('implicit fields are always written', async () => {
    const { json } = await send({ to: '+1' });
    expect(json).toEqual({
      id: 'vrf_1',
      status: 'pending',
      delivery: 'sending',
      to: '+1',
      channel: 'sms',
      purpose: '',
      created_at: '2026-03-01T10:15:30Z',
      cascade: [],
      test: false,
    });
  });

  test("curl's default type is refused with what to do", async () => {
    const { status, json } = await send(
      { to: '+1' },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    );
    expect(status).toBe(415);
    expect(json.error).toMatchObject({ code: 'unsupported_media_type', message: /Content-Type: application\/json/ });
  });

  test('a charset does not matter', async () => {
    const { status } = await send({ to: '+1' }, { headers: { 'content-type': 'Application/JSON; charset=UTF-8' } });
    expect(status).toBe(200);
  });

  test('64 KiB pass, a byte more does not', async () => {
    const filler = (size: number): string => `{"to":"+1"${' '.repeat(size - 11)}}`;
    expect((await call('/v1/verify/send', { body: filler(65_536) })).status).toBe(200);
    const over = await call('/v1/verify/send', { body: filler(65_537) });
    expect(over.status).toBe(413);
    expect(over.json.error).toMatchObject({ code: 'request_too_large', request_id: /^req_/ });
  });

  test('64 KiB hold for a body of unknown length too', async () => {
    const outgoing = request(`${base}/v1/verify/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    outgoing.on('error', () => {});
    outgoing.write('x'.repeat(40_000));
    outgoing.write('x'.repeat(40_000));
    const [response] = await once(outgoing, 'response');
    expect(response.statusCode).toBe(413);
    expect(response.headers.connection).toBe('close');
    response.resume();
    outgoing.destroy();
  });
});

describe('routes', () => {
  test('no such route', async () => {
    const { status, json, headers } = await call('/v1/nowhere', { method: 'GET' });
    expect(status).toBe(404);
    expect(json.error?.code).toBe('not_found');
    expect(headers.get('x-request-id')).toBe(json.error?.request_id);
  });

  test.each([
    ['DELETE', '/v1/verify/send', 'POST, OPTIONS'],
    ['POST', '/v1/verify/sessions/vrf_1', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/account', 'GET, PATCH, HEAD, OPTIONS'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const { status, json, headers } = await call(path, { method });
    expect(status).toBe(405);
    expect(json.error?.code).toBe('method_not_allowed');
    expect(headers.get('allow')).toBe(allow);
  });

  test('OPTIONS says what there is', async () => {
    const { status, headers } = await call('/v1/account', { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers.get('allow')).toBe('GET, PATCH, HEAD, OPTIONS');
  });

  test('HEAD is GET without the body', async () => {
    const { status, headers, json } = await call('/v1/verify/sessions/vrf_1', { method: 'HEAD' });
    expect(status).toBe(200);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(10);
    expect(json).toEqual({});
  });

  test('a percent sign that encodes nothing', async () => {
    const { status, json } = await call('/v1/verify/sessions/%zz', { method: 'GET' });
    expect({ status, code: json.error?.code }).toEqual({ status: 400, code: 'malformed_request' });
  });

  test.each([
    ['?colour=red', 'unknown_field', 'colour'],
    ['?page_size=many', 'invalid_argument', 'page_size'],
    ['?page_size=5&page_size=6', 'invalid_argument', 'page_size'],
    ['?created_after=yesterday', 'invalid_argument', 'created_after'],
    ['?created_after=2026-02-30T00:00:00Z', 'invalid_argument', 'created_after'],
  ])('query %s', async (query, code, field) => {
    const { status, json } = await call(`/v1/verify/sessions${query}`, { method: 'GET' });
    expect({ status, code: json.error?.code, field: json.error?.field }).toEqual({ status: 400, code, field });
  });

  test('nothing of a body goes into the query', async () => {
    const { json } = await call('/v1/verify/send?to=%2B1', { body: '{}' });
    expect(json.error).toMatchObject({ code: 'unknown_field', field: 'to' });
  });

  test('the path and the body may not both name a field', async () => {
    const { json } = await call('/v1/sender_ids/snd_1/decisions', {
      body: '{"id":"snd_2","operator":"a","status":"approved"}',
    });
    expect(json.error).toMatchObject({ code: 'invalid_argument', field: 'id' });
  });

  test('a method without a body does not mind an empty one', async () => {
    expect((await call('/v1/verify/sessions/vrf_1/cancel')).status).toBe(200);
    expect((await call('/v1/verify/sessions/vrf_1/cancel', { body: '{}' })).status).toBe(200);
    const { json } = await call('/v1/verify/sessions/vrf_1/cancel', { body: '{"reason":"x"}' });
    expect(json.error).toMatchObject({ code: 'unknown_field', field: 'reason' });
  });
});

describe('the body of a DELETE', () => {
  const erase = (body?: string): Promise<Answer> =>
    call('/v1/numbers/+213550123456', { method: 'DELETE', ...(body === undefined ? {} : { body }) });

  test.each([undefined, '', '{}'])('%j', async (body) => {
    expect(await erase(body)).toMatchObject({ status: 200, json: { complete: true } });
  });

  test.each([
    ['{"dry_run":true}', 'unknown_field', 'dry_run'],
    ['{"to":"+213550000001"}', 'unknown_field', 'to'],
    ['[]', 'malformed_request', undefined],
    ['{"dry_run":', 'malformed_request', undefined],
  ])('%s is refused, and nothing is erased', async (body, code, field) => {
    const { status, json } = await erase(body);
    expect([status, json.error?.code, json.error?.field]).toEqual([400, code, field]);
  });
});

test('names that a caller makes up are in its answer, and in no log', async () => {
  const lines = () => JSON.stringify(seen.lines.slice(from));
  const from = seen.lines.length;
  const answers = await Promise.all([
    call('/v1/verify/check', { body: '{"id":"vrf_1","482913":true}' }),
    call('/v1/verify/check', { body: '{"482913":true,"482913":true}' }),
    call('/v1/verify/check?482913=1', { body: '{"id":"vrf_1"}' }),
    call('/v1/verify/sessions?to.482913=1', { method: 'GET' }),
  ]);
  for (const { status, json } of answers)
    expect([status, json.error?.field]).toEqual([400, expect.stringMatching('482913')]);
  expect(seen.lines.length).toBe(from + answers.length);
  expect(lines()).not.toContain('482913');
  await send({ to: '+1', cascade: [{ retries: 2 }] });
  expect(lines()).toContain('"field":"cascade[0]"');
});

describe('errors', () => {
  test('429 says when, and about which session', async () => {
    const { status, headers, json } = await send({ to: '+429' });
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('13');
    expect(json.error).toEqual({
      code: 'resend_too_soon',
      message: 'wait',
      session_id: 'vrf_1',
      resend_after: '2026-03-01T10:16:00Z',
      request_id: headers.get('x-request-id'),
    });
  });

  test('401 says how', async () => {
    const none = await send({ to: '+1' }, { headers: { authorization: '' } });
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="ramz"');
    const wrong = await send({ to: '+1' }, { headers: { authorization: 'Bearer nobody' } });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="ramz", error="invalid_token"');
  });
});

describe('operational routes', () => {
  test('health, readiness, mounts, and nothing that is for the operators of the service', async () => {
    expect((await call('/healthz', { method: 'GET' })).status).toBe(200);
    const yes = await call('/readyz', { method: 'GET' });
    expect([yes.status, yes.json]).toEqual([200, { status: 'ready' }]);
    ready = false;
    // All who ask within half a second are told the same.
    const askedAgain = async () => {
      const { status, json } = await call('/readyz', { method: 'GET' });
      return status === 503 && json;
    };
    expect(await until(askedAgain, { what: 'the next look' })).toEqual({ status: 'not_ready' });
    ready = true;
    expect((await call('/metrics', { method: 'GET' })).status).toBe(404);
    const mounted = await fetch(`${base}/console`);
    expect(await mounted.text()).toBe('console');
    expect(mounted.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('the documents', async () => {
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as { openapi: string; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths).toHaveProperty('/v1/verify/send');
    const page = await fetch(`${base}/docs`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('/v1/verify/sessions/{id}/cancel');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toMatch(/<script/);
  });
});

describe('sockets', () => {
  const open = async (): Promise<{ socket: Socket; received: () => string; ended: () => boolean }> => {
    const socket = connect(api.httpPort, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    let ended = false;
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('close', () => {
      ended = true;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return { socket, received: () => text, ended: () => ended };
  };

  test('what is no HTTP is told so', async () => {
    const { socket, received, ended } = await open();
    socket.write('\x16\x03\x01 hello\r\n\r\n');
    await until(ended, { what: 'the server to close the connection' });
    expect(received()).toMatch(/^HTTP\/1.1 400 /);
  });

  test.each([
    ['is too long', `x-a: ${'a'.repeat(17_000)}`, 'the headers are larger than 16384 bytes'],
    ['is no HTTP', 'no header', 'that is not an HTTP/1.1 request'],
  ])('a request that %s is told so on a connection that was used before, too', async (_, header, message) => {
    const { socket, received, ended } = await open();
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => received().includes('"ok"'), { what: 'the first answer' });
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`);
    await until(ended, { what: 'the server to close the connection' });
    expect(received()).toMatch(/HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"malformed_request"/);
    expect(received()).toContain(message);
  });

  test('a half-closed connection still gets its answer', async () => {
    const { socket, received } = await open();
    socket.end('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => received().includes('"ok"'), { what: 'the answer' });
  });

  test.each([
    ['/healthz', '"ok"'],
    ['/v1/verify/sessions?page_size=5', 'size=5'],
    ['/console', 'console'],
  ])('a request that names the whole address of %s', async (path, text) => {
    for (const origin of ['http://x', 'HTTPS://x:8080']) {
      const { socket, received } = await open();
      socket.end(`GET ${origin}${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer all\r\n\r\n`);
      await until(() => received().includes('\r\n\r\n'), { what: 'the answer' });
      expect(received()).toMatch(/^HTTP\/1.1 200 /);
      await until(() => received().includes(text), { what: 'its body' });
    }
  });

  test('a whole address without a path is that of the first page', async () => {
    const { socket, received } = await open();
    socket.end('GET http://x HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => received().includes('location: /docs'), { what: 'the answer' });
  });

  test('a caller that goes away aborts its call', async () => {
    const before = { aborted: seen.aborted, handled: seen.idempotencyKeys.length, reported: seen.reports.length };
    const { socket } = await open();
    const body = '{"to":"+504"}';
    socket.write(
      `POST /v1/verify/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer all\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => seen.idempotencyKeys.length > before.handled, { what: 'the handler to run' });
    socket.destroy();
    await until(() => seen.aborted > before.aborted, { what: 'the call to be aborted' });
    await until(() => seen.reports.length > before.reported, { what: 'the report' });
    expect(seen.reports.at(-1)?.code).toBe('canceled');
  });
});
