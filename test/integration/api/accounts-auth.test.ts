// The authenticator on a real database: what it believes without asking, and for how long.
import { randomBytes } from 'node:crypto';
import { ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/api/auth/authenticator.ts';
import { faultOf } from '../../../src/api/waist/errors.ts';
import { defaultKeyPrefixes, formatKey, newApiKeySecret } from '../../../src/core/accounts/api-key.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, ring, startProcess } from './accounts.ts';

const { revokeApiKey, createApiKey } = ApiKeyService.method;
const database = await testDatabase();
const api = await startProcess(database);

async function newKey(live: string, request: object = {}) {
  const { apiKey } = await api.call(live, createApiKey, { name: 'backend', ...request });
  if (!apiKey) throw new Error('no key');
  return apiKey;
}

/** The key with one thing about it changed, its checksum made right. */
function changed(key: string, change: { id?: string; secret?: string }): string {
  const [, , id = '', secret = ''] = key.split('_');
  return formatKey({ prefix: 'ramz_live_', id: change.id ?? `key_${id}`, secret: change.secret ?? secret });
}

/** Answers from memory alone: without a database behind it, every look-up fails. */
async function disconnected() {
  const other = database.connect();
  let now = Date.now();
  const authenticator = createAuthenticator({
    db: withSchema(other.db),
    ring,
    prefixes: defaultKeyPrefixes,
    adminTokenHash: null,
    now: () => now,
  });
  return {
    authenticator,
    close: () => other.close(),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('revocation', () => {
  test('holds in another process within a second, even if nobody there looks at the counter', async () => {
    const other = await startProcess(database.connect());
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    expect(await other.authenticator.authenticate(key)).toMatchObject({ kind: 'ok' });
    await api.call(live, revokeApiKey, { id });
    expect(await api.authenticator.authenticate(key)).toEqual({ kind: 'revoked' }); // here at once
    other.pass(1_000);
    expect(await other.authenticator.authenticate(key)).toEqual({ kind: 'revoked' });
  });

  test('holds as soon as the counter was looked at', async () => {
    const other = await startProcess(database.connect(), { maxAgeMs: 3_600_000 });
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    expect(await other.authenticator.authenticate(key)).toMatchObject({ kind: 'ok' });
    await api.call(live, revokeApiKey, { id });
    expect(other.authenticator.authenticate(key)).toMatchObject({ kind: 'ok' }); // held: this is what a look ends
    await other.authenticator.refresh();
    expect(await other.authenticator.authenticate(key)).toEqual({ kind: 'revoked' });
  });

  test('a pulse keeps held keys in use while nothing has changed, and ends them when something has', async () => {
    const other = await startProcess(database.connect());
    const { authenticator } = other;
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    const { now, pass } = other;
    const pulse = async () => authenticator.saw(await readChanges(api.db), now());
    await pulse();
    expect(await authenticator.authenticate(key)).toMatchObject({ kind: 'ok' });
    pass(850);
    await pulse();
    pass(850);
    // At once, so from memory: the pulse has looked.
    expect(authenticator.authenticate(key)).toMatchObject({ kind: 'ok' });
    const before = await readChanges(api.db);
    await api.call(live, revokeApiKey, { id });
    await pulse();
    expect(await authenticator.authenticate(key)).toEqual({ kind: 'revoked' });
    // One that was sent before and comes late says nothing.
    authenticator.saw(before, now() - 500);
    expect(await authenticator.authenticate(key)).toEqual({ kind: 'revoked' });
  });

  test('a database that can not be asked makes nobody trusted', async () => {
    const { authenticator, close, pass } = await disconnected();
    const { live } = await api.newAccount();
    expect(await authenticator.authenticate(live)).toMatchObject({ kind: 'ok' });
    await close();
    expect(authenticator.authenticate(live)).toMatchObject({ kind: 'ok' });
    pass(901);
    const error = await Promise.resolve(authenticator.authenticate(live)).catch((reason: unknown) => reason);
    expect(faultOf(error as ConnectError).code).toBe('unavailable');
    expect(error).toBeInstanceOf(ConnectError);
  });

  test('a clock that is set back makes no look at the keys a fresh one', async () => {
    const other = await startProcess(database.connect());
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    await other.authenticator.refresh();
    expect(await other.authenticator.authenticate(key)).toMatchObject({ kind: 'ok' });
    other.pass(-3_600_000);
    await api.call(live, revokeApiKey, { id });
    expect(await other.authenticator.authenticate(key)).toEqual({ kind: 'revoked' });
  });
});

describe('what is no key', () => {
  test('a mistyped one is told without a database', async () => {
    const { authenticator, close } = await disconnected();
    await close();
    const { live } = await api.newAccount();
    const last = live.at(-1) === '0' ? '1' : '0';
    for (const text of [
      '',
      'x',
      live.slice(0, -1),
      live.slice(0, -1) + last,
      `sk_live_${live.slice(10)}`,
      adminToken,
    ]) {
      expect(authenticator.authenticate(text)).toEqual({ kind: 'malformed' });
    }
  });

  test('an unknown id and a wrong secret are answered alike, however the key stands', async () => {
    const { live } = await api.newAccount();
    const revoked = await newKey(live);
    await api.call(live, revokeApiKey, { id: revoked.id });
    const secret = newApiKeySecret(randomBytes(20));
    for (const key of [
      changed(live, { id: api.ids('key_') }),
      changed(live, { secret }),
      changed(revoked.key, { secret }),
    ]) {
      expect(await api.authenticator.authenticate(key)).toEqual({ kind: 'unknown' });
    }
    // A wrong secret asks the database although the key is held: an answer from memory would come sooner than an unknown id's.
    const { authenticator, close } = await disconnected();
    expect(await authenticator.authenticate(live)).toMatchObject({ kind: 'ok' });
    await close();
    await expect(authenticator.authenticate(changed(live, { secret }))).rejects.toThrow('could not be looked up');
  });

  test('an expired key is told so only to whoever has its secret', async () => {
    const { id: accountId } = await api.newAccount();
    const request = { accountId, mode: 'live' as const, name: 'brief', scopes: ['read'], createdBy: 'operator' };
    const made = await api.tools.accounts.keys.create({ ...request, actor: tester, expiresAt: api.now() + 3_000 });
    if (made.kind !== 'created') throw new Error(made.kind);
    const { key } = made.issued;
    expect(await api.authenticator.authenticate(key)).toMatchObject({ kind: 'ok', principal: { scopes: ['read'] } });
    api.pass(3_000);
    expect(await api.authenticator.authenticate(key)).toEqual({ kind: 'expired' });
    const guess = changed(key, { secret: newApiKeySecret(randomBytes(20)) });
    expect(await api.authenticator.authenticate(guess)).toEqual({ kind: 'unknown' });
  });

  test('a key whose HMAC key was taken out of the ring', async () => {
    const { live } = await api.newAccount();
    const other = createAuthenticator({
      db: api.db,
      prefixes: defaultKeyPrefixes,
      adminTokenHash: null,
      now: Date.now,
      ring: { current: ring.current, next: ring.next, has: ring.has, byId: () => undefined, all: ring.all },
    });
    expect(await other.authenticate(live)).toEqual({ kind: 'unknown' });
  });
});

describe('the admin token', () => {
  test('is this and nothing else', () => {
    expect(api.authenticator.administrator(adminToken)).toMatchObject({ kind: 'ok', principal: { id: 'bootstrap' } });
    for (const text of ['', adminToken.slice(1), `${adminToken} `, adminToken.toUpperCase()]) {
      expect(api.authenticator.administrator(text)).toEqual({ kind: 'unknown' });
    }
  });

  test('is nothing where none is set', () => {
    const options = { db: api.db, ring, prefixes: defaultKeyPrefixes, now: Date.now };
    expect(createAuthenticator({ ...options, adminTokenHash: null }).administrator('')).toEqual({ kind: 'unknown' });
  });
});

describe('last use', () => {
  const lastUsed = async (id: string) =>
    (await api.db.selectFrom('api_key').select('last_used_at').where('id', '=', id).executeTakeFirstOrThrow())
      .last_used_at;

  test('is stored when flushed, once a minute', async () => {
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live, { scopes: ['read'] });
    await api.authenticator.authenticate(key);
    expect(await lastUsed(id)).toBeNull();
    await api.authenticator.flush();
    const first = await lastUsed(id);
    expect(first?.getTime()).toBeLessThanOrEqual(api.now());
    await api.authenticator.authenticate(key);
    await api.authenticator.flush();
    expect(await lastUsed(id)).toEqual(first);
    api.pass(60_000);
    await api.authenticator.authenticate(key);
    await api.authenticator.flush();
    expect((await lastUsed(id))?.getTime()).toBeGreaterThanOrEqual((first?.getTime() ?? 0) + 60_000);
  });

  test('never moves back, and what could not be stored is kept', async () => {
    const { live, liveId } = await api.newAccount();
    const ahead = new Date(api.now() + 500_000);
    await api.authenticator.authenticate(live);
    await api.db.updateTable('api_key').set({ last_used_at: ahead }).where('id', '=', liveId).execute();
    await api.authenticator.flush();
    expect(await lastUsed(liveId)).toEqual(ahead);

    const { authenticator, close } = await disconnected();
    await authenticator.authenticate((await api.newAccount()).live);
    await close();
    await expect(authenticator.flush()).rejects.toThrow();
    await expect(authenticator.flush()).rejects.toThrow(); // still has something to store
  });
});

test('a flood of made-up keys is refused beyond what may wait', async () => {
  const other = await startProcess(database.connect());
  const key = () => formatKey({ prefix: 'ramz_live_', id: api.ids('key_'), secret: newApiKeySecret(randomBytes(20)) });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3_500 }, () => other.authenticator.authenticate(key())),
  );
  const codes = outcomes.map((each) => (each.status === 'fulfilled' ? each.value.kind : faultOf(each.reason).code));
  expect(new Set(codes)).toEqual(new Set(['unknown', 'overloaded']));
  const { live } = await api.newAccount();
  expect(await other.authenticator.authenticate(live)).toMatchObject({ kind: 'ok' });
});
