// A call that is refused before its body was read: the caller gets the answer all the same, however late it writes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';
import { rawConnections } from './raw.ts';

const open = rawConnections();
const seen = newSeen();
let api: Api;
beforeAll(async () => {
  api = await startFake(seen);
});
afterAll(() => api.close(1_000));

/** What was written before has been read by the server. */
const served = async () => expect((await fetch(`http://127.0.0.1:${api.httpPort}/healthz`)).status).toBe(200);

const watch = '/ramz.v1.VerifyService/WatchSession';
const enveloped = (text: string): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
};
const streamed = enveloped('{"id":"vrf_1"}');
const gone = 'authorization: Bearer gone\r\n';
const head = (path: string, type: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${more}\r\n`;

describe('the answer waits for the body', () => {
  test.each([
    ['a stream of Connect without a key', head(watch, 'application/connect+json', streamed.length), 'unauthenticated'],
    ['a stream of Connect, key revoked', head(watch, 'application/connect+json', streamed.length, gone), 'revoked'],
    ['a stream of gRPC-web', head(watch, 'application/grpc-web+json', streamed.length), 'grpc-status: 16'],
    ['a type that Connect does not know', head(watch, 'text/plain', streamed.length), 'HTTP/1.1 415 '],
    ['a route that there is not', head('/v1/nowhere', 'application/json', streamed.length), '"not_found"'],
    [
      'another type of a body',
      head('/v1/verify/send', 'application/json', streamed.length, 'content-encoding: br\r\n'),
      '415',
    ],
  ])('%s', async (_, request, expected) => {
    const raw = open(api.httpPort);
    raw.write(request);
    await served();
    expect(raw.text()).toBe('');
    raw.write(streamed);
    await until(() => raw.text().includes(expected), { what: 'the answer' });
    expect(raw.broken()).toBe('');
  });

  test('a stream of Connect that is refused leaves its connection open for the next call', async () => {
    const raw = open(api.httpPort);
    raw.write(Buffer.concat([Buffer.from(head(watch, 'application/connect+json', streamed.length)), streamed]));
    await until(() => raw.text().includes('unauthenticated'), { what: 'the answer' });
    raw.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => raw.text().includes('{"status":"ok"}'), { what: 'the next answer' });
    expect(raw.ended()).toBe(false);
  });
});

test.each([
  ['/v1/verify/send', 'application/json', '"request_too_large"'],
  ['/ramz.v1.VerifyService/Send', 'application/json', 'resource_exhausted'],
  ['/ramz.v1.VerifyService/Send', 'application/grpc-web+json', 'grpc-status: 8'],
  [watch, 'application/connect+json', 'resource_exhausted'],
])('a body of five megabytes to %s as %s is read to its end, and refused', async (path, type, expected) => {
  const raw = open(api.httpPort);
  const size = 5_000_000;
  raw.write(head(path, type, size, 'authorization: Bearer all\r\n'));
  raw.write(Buffer.alloc(size, 0x20));
  await until(() => raw.text().includes(expected), { what: 'the answer' });
  await until(raw.ended, { what: 'the connection to end' });
  expect(raw.broken()).toBe('');
});

test('a body that never comes is waited for a second', async () => {
  const raw = open(api.httpPort);
  raw.write(head('/v1/verify/send', 'application/json', 5_000_000));
  await until(() => raw.text().includes('"request_too_large"'), { what: 'the answer' });
  await until(raw.ended, { what: 'the connection to end' });
});

test.each([
  ['/ramz.v1.VerifyService/Send', 'application/json'],
  ['/ramz.v1.VerifyService/Send', 'application/grpc-web+json'],
  [watch, 'application/connect+json'],
  ['/v1/verify/send', 'application/json'],
])('a caller who goes before the body has come is no fault of the service: %s as %s', async (path, type) => {
  const before = seen.reports.length;
  const raw = open(api.httpPort);
  raw.write(head(path, type, 100, 'authorization: Bearer all\r\nexpect: 100-continue\r\n'));
  await until(() => raw.text().startsWith('HTTP/1.1 100 '), { what: 'the call to begin' });
  raw.leave();
  await until(() => seen.reports.length > before, { what: 'the call to be counted' });
  expect(seen.reports.at(-1)).toMatchObject({ code: 'canceled' });
  expect(seen.errors).toEqual([]);
});
