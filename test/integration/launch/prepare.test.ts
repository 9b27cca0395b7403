// What `npm start` sets up by the public API, against a server that cannot answer yet.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { reportOf } from '../../../src/core/secrets/ring-report.ts';
import { revokeAccountKeys } from '../../../src/db/accounts/api-keys.ts';
import { resumeAccount, suspendAccount } from '../../../src/db/accounts/control.ts';
import { inside } from '../../../src/db/queryable.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { reportRing } from '../../../src/db/secrets/process-rings.ts';
import { Files, type SandboxState } from '../../../src/launch/files.ts';
import { keyPrefixes, prepareAccount, prepareEndpoints } from '../../../src/launch/prepare.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { testFolder } from '../../support/folder.ts';
import { listen } from '../../support/listen.ts';

const database = await testDatabase<Schema>();
const folder = testFolder('prepare');

/** Answers 503 as often as `refusals` says, then as a service and a sandbox do. */
async function refusing(refusals: number, retryAfter: string) {
  const asked: string[] = [];
  const { port } = await listen(
    createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const refused = asked.length <= refusals;
      response.writeHead(refused ? 503 : 200, { 'content-type': 'application/json', 'retry-after': retryAfter });
      const answer =
        request.method === 'GET' ? { webhook_endpoints: [] } : { id: 'whe_1', url: 'x', secret: 'whsec_1' };
      response.end(JSON.stringify(refused ? { error: { code: 'unavailable' } } : answer));
    }),
  );
  return { asked, url: `http://127.0.0.1:${port}` };
}

test('a server whose database is slower than a call waits is asked again when it says so', async () => {
  const { asked, url } = await refusing(2, '0');
  const kept: SandboxState[] = [];
  const state = { adminToken: 'a', apiKey: 'live', testKey: 'test' };
  await prepareEndpoints(url, { http: url, webhookUrl: 'http://127.0.0.1:1/' }, state, (next) => kept.push(next));
  expect(kept).toMatchObject([{ webhookSecrets: ['whsec_1', 'whsec_1'] }]);
  const [find, make] = ['GET /v1/webhook_endpoints?page_size=100', 'POST /v1/webhook_endpoints'];
  expect(asked.filter((each) => each === find)).toHaveLength(4); // Both modes at once, and each was refused once.
  expect(asked.filter((each) => each === make)).toHaveLength(2);
  expect(asked.slice(-1)).toEqual(['POST /sandbox/secrets']);
});

/** The sandbox's endpoints in both modes, as the service has them, beside a developer's newer ones. `changed`: what each was changed to. */
async function keeping(ours: object) {
  const changed: [string | undefined, unknown][] = [];
  const { port } = await listen(
    createServer(async (request, response) => {
      if (request.method === 'PATCH') changed.push([request.url, await json(request)]);
      const mode = request.headers.authorization?.replace('Bearer ', '');
      const own = { id: `whe_${mode}_2`, url: 'http://127.0.0.1:3000/webhooks/ramz', description: '', enabled: false };
      response.end(JSON.stringify({ webhook_endpoints: [own, { id: `whe_${mode}_1`, enabled: true, ...ours }] }));
    }),
  );
  return { changed, url: `http://127.0.0.1:${port}` };
}

test.each<[string, string, Partial<SandboxState>]>([
  ['by their ids', 'described by its user', { webhookIds: ['whe_live_1', 'whe_test_1'] }],
  ['of a state without ids', 'the sandbox', {}],
])("the sandbox's endpoints move with its port (%s), a developer's newer ones stay", async (_, description, ids) => {
  const { changed, url } = await keeping({ url: 'http://127.0.0.1:1/', description });
  const state = { adminToken: 'a', apiKey: 'live', testKey: 'test', webhookSecrets: ['whsec_1', 'whsec_2'], ...ids };
  const kept: SandboxState[] = [];
  await prepareEndpoints(url, { http: url, webhookUrl: 'http://127.0.0.1:2/' }, state, (next) => kept.push(next));
  expect(changed.sort()).toEqual([
    ['/v1/webhook_endpoints/whe_live_1', { url: 'http://127.0.0.1:2/' }],
    ['/v1/webhook_endpoints/whe_test_1', { url: 'http://127.0.0.1:2/' }],
  ]);
  expect(kept).toEqual([{ ...state, webhookIds: ['whe_live_1', 'whe_test_1'] }]);
});

test.each([
  ['that answered 410 is switched on again', 'gone', true],
  ['that failed for days is switched on again', 'failing', true],
  ['that its user has switched off stays off', 'by_client', false],
])("an endpoint of the sandbox's %s", async (_, reason, isSwitchedOn) => {
  const here = 'http://127.0.0.1:1/';
  const { changed, url } = await keeping({ url: here, description: '', enabled: false, disabled_reason: reason });
  const kept = { webhookIds: ['whe_live_1', 'whe_test_1'], webhookSecrets: ['whsec_1', 'whsec_2'] };
  const state = { adminToken: 'a', apiKey: 'live', testKey: 'test', ...kept };
  await prepareEndpoints(url, { http: url, webhookUrl: here }, state, () => {});
  const on = { url: here, enabled: true };
  const endpoints = ['/v1/webhook_endpoints/whe_live_1', '/v1/webhook_endpoints/whe_test_1'];
  expect(changed.sort()).toEqual(isSwitchedOn ? endpoints.map((each) => [each, on]) : []);
});

test('anything else that is refused is an error at once', async () => {
  const { port } = await listen(createServer((_, response) => response.writeHead(500).end('no')));
  const url = `http://127.0.0.1:${port}`;
  const prepared = prepareEndpoints(
    url,
    { http: url, webhookUrl: 'http://127.0.0.1:1/' },
    { adminToken: 'a' },
    () => {},
  );
  await expect(prepared).rejects.toThrow('GET /v1/webhook_endpoints?page_size=100: 500 no');
});

test('the keys begin as API_KEY_LIVE_PREFIX and API_KEY_TEST_PREFIX say; an account with others is left to itself', async () => {
  const ring = join(folder, 'prefixed.json');
  writeFileSync(ring, newKeyRing(randomBytes));
  const prefixed = await testDatabase<Schema>();
  const prepare = async (state: SandboxState, env: NodeJS.ProcessEnv) => {
    const prepared = await prepareAccount({ url: prefixed.url }, ring, state, keyPrefixes(env));
    if (prepared.kind === 'refused') throw new Error(prepared.reason);
    return prepared.state;
  };
  const env = { API_KEY_LIVE_PREFIX: 'acme_live_', API_KEY_TEST_PREFIX: 'acme_test_' };
  const first = await prepare({ adminToken: 'a' }, {});
  const own = await prepare(first, env);
  expect(own).toMatchObject({
    apiKey: expect.stringMatching(/^acme_live_/),
    testKey: expect.stringMatching(/^acme_test_/),
  });
  expect(await prepare(own, env)).toEqual(own);
  expect((await prepare(own, {})).apiKey).toMatch(/^ramz_live_/);
});

test('an account whose keys work is kept; one that is suspended, or has none left, is left to itself', async () => {
  const ring = join(folder, 'keys.json');
  writeFileSync(ring, newKeyRing(randomBytes));
  const prepare = async (state: SandboxState) => {
    const prepared = await prepareAccount({ url: database.url }, ring, state);
    if (prepared.kind === 'refused') throw new Error(prepared.reason);
    return prepared.state;
  };
  const first = await prepare({ adminToken: 'a' });
  const id = first.accountId ?? '';
  expect(await prepare(first)).toEqual(first);
  await suspendAccount(database.db, { id, reason: null, now: new Date(), actor: tester });
  expect((await prepare(first)).accountId).not.toBe(id);
  await resumeAccount(database.db, { id, now: new Date(), actor: tester });
  expect((await prepare(first)).accountId).toBe(id);
  await revokeAccountKeys(database.db, { accountId: id, now: new Date(), actor: tester });
  const second = await prepare(first);
  expect(second.accountId).not.toBe(id);
  expect(await prepare(second)).toEqual(second);
});

test('no account is made with a ring that the running processes do not have', async () => {
  const [own, foreign] = ['own.json', 'foreign.json'].map((name) => join(folder, name)) as [string, string];
  for (const path of [own, foreign]) writeFileSync(path, newKeyRing(randomBytes));
  const parsed = parseKeyRing(readFileSync(own, 'utf8'));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  const shared = await testDatabase<Schema>();
  const id = ids('prc_');
  await sql`insert into process (id, started_at, lease_until) values (${id}, now(), now() + interval '1 hour')`.execute(
    shared.db,
  );
  await reportRing(inside(shared.db), id, { host: 'other-host', pid: 7, ring: reportOf(parsed.ring) });
  const state = { adminToken: 'a' };
  expect(await prepareAccount({ url: shared.url }, foreign, state)).toEqual({
    kind: 'refused',
    reason: expect.stringContaining('running processes lack the current keys of this key ring'),
  });
  expect((await sql`select from account`.execute(shared.db)).rows).toEqual([]);
  expect(await prepareAccount({ url: shared.url }, own, state)).toMatchObject({ kind: 'prepared' });
});

test.each([
  ['of an earlier start is closed to others', 0o755, 0o700],
  ['that all share, as /tmp, stays open to them', 0o1777, 0o1777],
])('a data directory %s', (name, before, after) => {
  const directory = join(folder, name.replace(/[^a-z]+/g, '-'));
  mkdirSync(directory);
  chmodSync(directory, before);
  expect(statSync(new Files(directory).directory).mode & 0o7777).toBe(after);
});
