// Headers that say something odd: each request gets an answer of ours, and no line that calls it a fault of the service.

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

const connect = '/ramz.v1.VerifyService/GetSession';
const answered = async (request: string): Promise<string> => {
  const raw = open(api.httpPort);
  raw.write(request);
  await until(() => /\r\n\r\n[\s\S]*\}/.test(raw.text()) || raw.ended(), { what: 'an answer' });
  return raw.text();
};
const post = (path: string, version: string, headers: string) =>
  `POST ${path} HTTP/${version}\r\n${headers}content-type: application/json\r\ncontent-length: 13\r\n\r\n{"id":"vrf1"}`;

describe('a host', () => {
  test.each([
    ['no host', '1.1', '', 'the header host is missing'],
    ['half an address', '1.1', 'host: [\r\n', 'the header host names no host'],
    ['two words', '1.1', 'host: a b\r\n', 'the header host names no host'],
    ['a path', '1.1', 'host: a/b\r\n', 'the header host names no host'],
    ['a name and a user', '1.1', 'host: a@b\r\n', 'the header host names no host'],
  ])('that is %s is refused at every door (RFC 9112 section 3.2)', async (_, version, headers, message) => {
    for (const path of ['/v1/verify/check', connect, '/healthz']) {
      const text = await answered(post(path, version, headers));
      expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nx-request-id: req_/);
      expect(text).toContain(`{"error":{"code":"malformed_request","message":"${message}"`);
    }
    expect(seen.errors).toEqual([]);
  });

  test.each([
    ['none, as HTTP/1.0 allows', '1.0', ''],
    ['empty', '1.1', 'host:\r\n'],
    ['a port that there is not', '1.1', 'host: a:99999\r\n'],
    ['nearly an address', '1.1', 'host: 1.2.3.999\r\n'],
    ['an address', '1.1', 'host: [::1]:8080\r\n'],
    ['a name with an underscore', '1.1', 'host: ramz_api:8080\r\n'],
  ])('that is %s is answered', async (_, version, headers) => {
    expect(await answered(post(connect, version, headers))).toContain('{"code":"unauthenticated"');
    expect(await answered(post('/v1/verify/check', version, headers))).toContain('{"error":{"code":"missing_api_key"');
    expect(seen.errors).toEqual([]);
  });
});

test('an expectation that nobody knows is passed over', async () => {
  const text = await answered(post('/v1/verify/check', '1.1', 'host: x\r\nexpect: 200-ok\r\n'));
  expect(text).toContain('{"error":{"code":"missing_api_key"');
});
