// Whoever guesses keys leaves an address in the log, costs nothing after twenty guesses, and shuts out nobody with a good key.
import { randomBytes } from 'node:crypto';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from 'vitest';
import { apiKeySecretBytes, formatKey, newApiKeySecret } from '../../../src/core/accounts/api-key.ts';
import { testService } from '../../support/service.ts';
import { type ErrorBody, serviceClient } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

const service = await testService({
  config: { trusted_proxies: ['127.0.0.1'], limits: { authentication_failures_per_minute: 20 } },
});
const server = await service.startProcess();
const client = new Client(server.grpc, credentials.createInsecure());
afterAll(() => client.close());

/** As a key of the service looks, with its checksum: only the database knows that there is none. */
const secret = newApiKeySecret(randomBytes(apiKeySecretBytes));
const forged = formatKey({ prefix: 'ramz_live_', id: `key_${service.accountId.slice('acct_'.length)}`, secret });

interface Heard {
  status: number;
  code: string | undefined;
  retryAfter: number;
}

/** A call that comes through the proxy from `address`. */
async function rest(address: string, key: string, path = '/v1/account'): Promise<Heard> {
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `203.0.113.200, ${address}` };
  const method = path === '/v1/accounts' ? 'POST' : 'GET';
  const body = method === 'POST' ? JSON.stringify({ name: 'x' }) : null;
  const type = { 'content-type': 'application/json' };
  const answer = await fetch(`${server.http}${path}`, { method, body, headers: { ...headers, ...type } });
  const { error } = (await answer.json()) as Partial<ErrorBody>;
  return { status: answer.status, code: error?.code, retryAfter: Number(answer.headers.get('retry-after')) };
}

async function connect(address: string, key: string): Promise<Heard> {
  const answer = await fetch(`${server.http}/ramz.v1.AccountService/GetAccount`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: '{}',
  });
  await answer.text();
  return { status: answer.status, code: undefined, retryAfter: Number(answer.headers.get('retry-after')) };
}

/** Its gRPC status. */
function grpc(address: string, key: string): Promise<number> {
  const bytes = (message: Buffer) => message;
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  metadata.set('x-forwarded-for', address);
  const path = '/ramz.v1.AccountService/GetAccount';
  return new Promise((resolve) =>
    client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), metadata, (error) => resolve(error?.code ?? 0)),
  );
}

const guesses = async (address: string, count = 20) => {
  for (let n = 0; n < count; n += 1) expect((await rest(address, forged)).status).toBe(401);
};
const metric = async (labels: string, name = 'ramz_authentication_refused_total') => {
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{${labels}\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};
const linesOf = (address: string) =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes(`"${address}"`));

describe('after twenty guesses from one address', () => {
  test('further ones are refused unseen at every door, with Retry-After; other addresses are not', async () => {
    const address = '192.0.2.1';
    await guesses(address);
    const refused = await rest(address, forged);
    expect(refused).toMatchObject({ status: 429, code: 'too_many_failures' });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    expect((await connect(address, forged)).status).toBe(429);
    expect(await grpc(address, forged)).toBe(8);
    expect((await rest('192.0.2.2', forged)).status).toBe(401);
    expect(await metric('door="rest",reason="invalid_api_key"')).toBeGreaterThanOrEqual(20);
    expect(await metric('door="grpc",reason="too_many_failures"')).toBe(1);
  });

  test('a good key goes on there once it was used here, at whatever address; until then it waits', async () => {
    const address = '192.0.2.10';
    await guesses(address);
    const make = () => server.live.call<{ key: string }>('POST', '/v1/api_keys', { name: 'new', scopes: ['read'] });
    const { key } = (await make()).body;
    expect((await rest(address, key)).status).toBe(429);
    expect((await rest('192.0.2.11', key)).status).toBe(200);
    expect((await rest(address, key)).status).toBe(200);
    expect(await grpc(address, key)).toBe(0);
    // Every change of a key makes the process forget what it holds; that the key was good, it knows still.
    expect((await make()).status).toBe(200);
    expect((await rest(address, key)).status).toBe(200);
  });

  test('guesses of the admin token count too; where it was shown before, it goes on', async () => {
    const [guessing, known] = ['192.0.2.20', '192.0.2.21'];
    expect((await rest(known, service.adminToken, '/v1/accounts')).status).toBe(200);
    for (const address of [guessing, known]) {
      for (let n = 0; n < 20; n += 1) {
        expect((await rest(address, `guess-${n}`, '/v1/accounts')).code).toBe('invalid_admin_token');
      }
      expect((await rest(address, 'guess', '/v1/accounts')).status).toBe(address === known ? 401 : 429);
    }
    expect((await rest(guessing, service.adminToken, '/v1/accounts')).status).toBe(429);
    expect((await rest(known, service.adminToken, '/v1/accounts')).status).toBe(200);
  });
});

test('each refusal is logged with its address, and no more of them than can be read', async () => {
  const address = '192.0.2.30';
  await Promise.all(Array.from({ length: 300 }, () => rest(address, forged)));
  await until(() => linesOf(address).length >= 20, { what: 'their lines' });
  expect((await rest('192.0.2.31', forged)).status).toBe(401);
  await until(() => linesOf('192.0.2.31').length === 1, { what: 'what came after them' });
  const lines = linesOf(address).map((line) => JSON.parse(line));
  expect(lines).toHaveLength(20);
  for (const line of lines) {
    expect(line).toMatchObject({
      level: 'warn',
      client: address,
      door: 'rest',
      method: 'ramz.v1.AccountService/GetAccount',
    });
  }
  expect(server.log()).not.toContain(forged);
  expect(server.log()).not.toContain('guess-');
});

const unlogged = (reason: string) => metric(`door="rest",reason="${reason}"`, 'ramz_refusals_unlogged_total');

test('good keys that may not make their calls write as few lines, counted by reason, and their address is not shut', async () => {
  const make = (more: object) =>
    server.live.call<{ key: string }>('POST', '/v1/api_keys', { name: 'stolen', scopes: ['read'], ...more });
  const elsewhere = (await make({ restrictions: { addresses: ['198.51.100.0/24'] } })).body.key;
  const reader = (await make({})).body.key;
  const admin = serviceClient(server.http, service.adminToken);
  const { body: made } = await admin.call<{ account: { id: string }; test_key: { key: string } }>(
    'POST',
    '/v1/accounts',
    { name: 'suspended' },
  );
  await admin.call('POST', `/v1/admin/accounts/${made.account.id}/suspend`, { reason: 'a test' });
  const cases = [
    ['192.0.2.50', elsewhere, '/v1/account', 'key_restricted'],
    ['192.0.2.51', reader, '/v1/audit_events', 'missing_scope'],
    ['192.0.2.52', made.test_key.key, '/v1/account', 'account_suspended'],
  ] as const;
  for (const [address, key, path, code] of cases) {
    const before = await unlogged(code);
    const heard = await Promise.all(Array.from({ length: 100 }, () => rest(address, key, path)));
    expect(new Set(heard.map((each) => each.code))).toEqual(new Set([code]));
    expect((await rest(address, reader)).status).toBe(200);
    await until(() => linesOf(address).length >= 21, { what: 'their lines' });
    expect(linesOf(address).map((line) => JSON.parse(line).code)).toEqual([...Array(20).fill(code), 'ok']);
    expect(await unlogged(code)).toBe(before + 80);
  }
});

test('what no account is counted for is bounded, too: calls that can not be read, or lead nowhere', async () => {
  const address = '192.0.2.60';
  await Promise.all(Array.from({ length: 100 }, () => rest(address, forged, '/v1/nowhere')));
  await until(() => linesOf(address).length >= 20, { what: 'their lines' });
  expect((await rest('192.0.2.61', forged, '/v1/nowhere')).status).toBe(404);
  await until(() => linesOf('192.0.2.61').length === 1, { what: 'what came after them' });
  expect(linesOf(address)).toHaveLength(20);
});

test('a stranger can not choose its address: what it writes itself is not believed', async () => {
  await rest('192.0.2.40', forged);
  await until(() => linesOf('192.0.2.40').length === 1, { what: 'its line' });
  expect(server.log()).not.toContain('203.0.113.200'); // It stands to the left of every address above.
});
