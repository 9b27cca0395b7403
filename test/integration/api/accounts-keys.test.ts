// API keys through the waist on a real database, with somebody who tries to get more than was given.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { formatKey } from '../../../src/core/accounts/api-key.ts';
import { lockAccount } from '../../../src/db/accounts/accounts.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { AuditService } from '../../../src/gen/ramz/v1/audit_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { startProcess } from './accounts.ts';

const { createApiKey, listApiKeys, revokeApiKey } = ApiKeyService.method;
const { getAccount, updateAccount } = AccountService.method;
const database = await testDatabase();
const api = await startProcess(database, { mostKeys: 6 });

async function newKey(token: string, request: object = {}) {
  const { apiKey } = await api.call(token, createApiKey, { name: 'backend', ...request });
  if (!apiKey) throw new Error('no key');
  return apiKey;
}

/** Statements that wait for a lock. */
async function waiting(): Promise<number> {
  const text = `select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const { rows } = await database.lanes.query<{ count: number }>(text);
  return rows[0]?.count ?? 0;
}

describe('creating', () => {
  test('gives the mode and the scopes of the caller by default, and shows the key once', async () => {
    const { live, test: testKey } = await api.newAccount();
    for (const [token, mode] of [
      [live, 'live'],
      [testKey, 'test'],
    ] as const) {
      const made = await newKey(token);
      expect(made).toMatchObject({
        test: mode === 'test',
        name: 'backend',
        scopes: ['verify', 'read', 'manage', 'numbers', 'custom_code'],
      });
      expect((await api.call(made.key, getAccount)).account).toBeDefined();
      const { apiKeys } = await api.call(token, listApiKeys);
      expect(apiKeys.map(({ key }) => key).join('')).toBe('');
      expect(apiKeys[0]?.id).toBe(made.id);
    }
  });

  test('no key grants what it lacks', async () => {
    const { live } = await api.newAccount();
    const manager = await newKey(live, { scopes: ['manage'] });
    expect(await api.refused(manager.key, createApiKey, { name: 'x', scopes: ['manage', 'verify'] })).toEqual({
      code: 'missing_scope',
      field: 'scopes',
    });
    expect((await newKey(manager.key)).scopes).toEqual(['manage']);
    const reader = await newKey(live, { scopes: ['read', 'verify'] });
    expect(reader.scopes).toEqual(['verify', 'read']);
    expect(await api.refused(reader.key, createApiKey, { name: 'x', scopes: ['read'] })).toMatchObject({
      code: 'missing_scope',
    });
    expect(await api.refused(reader.key, revokeApiKey, { id: manager.id })).toMatchObject({ code: 'missing_scope' });
    expect(await api.refused(manager.key, getAccount)).toMatchObject({ code: 'missing_scope' });
  });

  test('a test key makes no live key', async () => {
    const { live, test: testKey } = await api.newAccount();
    expect(await api.refused(testKey, createApiKey, { name: 'x', test: false })).toEqual({
      code: 'live_key_required',
      field: 'test',
    });
    expect((await newKey(live, { test: true, scopes: ['read'] })).key).toMatch(/^ramz_test_/);
  });

  test('an expiry lies in the future', async () => {
    const { live } = await api.newAccount();
    for (const expiresAt of [
      timestampFromMs(api.now()),
      timestampFromMs(-1),
      { seconds: 10n ** 15n, nanos: 0 },
      { seconds: 2n ** 62n, nanos: 0 },
    ]) {
      expect(await api.refused(live, createApiKey, { name: 'x', expiresAt })).toEqual({
        code: 'invalid_argument',
        field: 'expires_at',
      });
    }
  });

  test('no key lives longer than the one that made it, by default as long', async () => {
    const { live } = await api.newAccount();
    const end = timestampFromMs(Math.ceil(api.now() / 1_000) * 1_000 + 3_600_000);
    const brief = await newKey(live, { expiresAt: end });
    const later = timestampFromMs(Number(end.seconds) * 1_000 + 1);
    expect(await api.refused(brief.key, createApiKey, { name: 'x', expiresAt: later })).toEqual({
      code: 'expires_too_late',
      field: 'expires_at',
    });
    expect((await api.call(live, listApiKeys)).apiKeys).toHaveLength(3);
    for (const request of [{}, { expiresAt: end }, { test: true }]) {
      expect((await newKey(brief.key, request)).expiresAt).toEqual(end);
    }
    const sooner = timestampFromMs(Number(end.seconds) * 1_000 - 1_000);
    expect((await newKey(brief.key, { expiresAt: sooner })).expiresAt).toEqual(sooner);
    expect((await newKey(live)).expiresAt).toBeUndefined();
  });

  test('a key names the one that made it; the first ones are the operator’s', async () => {
    const { live, liveId } = await api.newAccount();
    const child = await newKey(live);
    const grandchild = await newKey(child.key, { test: true });
    expect([child.createdBy, grandchild.createdBy]).toEqual([liveId, child.id]);
    const { apiKeys } = await api.call(live, listApiKeys);
    expect(apiKeys.map(({ createdBy }) => createdBy)).toEqual([child.id, liveId, 'operator', 'operator']);
    // Made by the release before this was recorded.
    await api.db
      .updateTable('api_key')
      .set({ created_by: null } as never)
      .where('id', '=', child.id)
      .execute();
    expect((await api.call(live, listApiKeys)).apiKeys[1]?.createdBy).toBe('');
  });

  test('a key names the person who uses it, in lists and in the audit log; those it makes do not', async () => {
    const { live } = await api.newAccount();
    const made = await newKey(live, { person: ' Amina Haddad ' });
    const program = await newKey(made.key, { test: true });
    expect([made.person, program.person]).toEqual(['Amina Haddad', '']);
    const { apiKeys } = await api.call(live, listApiKeys);
    expect(apiKeys.map(({ person }) => person)).toEqual(['', 'Amina Haddad', '', '']);
    const { auditEvents } = await api.call(live, AuditService.method.listAuditEvents, { action: 'create_api_key' });
    const [byPerson, byProgram] = auditEvents;
    expect(byPerson?.actor).toMatchObject({ kind: 'key', id: made.id, name: made.name, person: 'Amina Haddad' });
    expect(byProgram?.actor?.person).toBe('');
    expect(byProgram?.changes).toContainEqual(expect.objectContaining({ field: 'person', after: 'Amina Haddad' }));
    expect(await api.refused(live, createApiKey, { name: 'x', person: 'x'.repeat(101) })).toEqual({
      code: 'invalid_argument',
      field: 'person',
    });
  });

  test('a key has a budget, and the keys that it makes have no more', async () => {
    const { live } = await api.newAccount();
    const budget = { sendsPerDay: 200, spendPerDay: { DZD: '50.00' } };
    const parent = await newKey(live, { restrictions: { budget } });
    expect(parent.restrictions).toMatchObject({ addresses: [], prefixes: [], budget });
    const heir = await newKey(parent.key, { scopes: ['read'] });
    expect(heir.restrictions?.budget).toMatchObject(budget);
    const asked = { sendsPerHour: 7, spendPerDay: { DZD: '49.99', EUR: '1' } };
    const child = await newKey(parent.key, { restrictions: { budget: asked } });
    expect(child.restrictions?.budget).toMatchObject({ ...asked, sendsPerDay: 200 });
    const { apiKeys } = await api.call(live, listApiKeys);
    const own = apiKeys.find(({ id }) => id === child.id);
    expect(own?.restrictions?.budget).toEqual(child.restrictions?.budget);
    // A budget that limits nothing is none.
    expect((await newKey(live, { restrictions: { budget: {} } })).restrictions).toBeUndefined();
    for (const [wrong, field] of [
      [{ sendsPerDay: 201 }, 'sends_per_day'],
      [{ spendPerDay: { DZD: '50.01' } }, 'spend_per_day.DZD'],
    ] as const) {
      const request = { name: 'x', restrictions: { budget: wrong } };
      expect(await api.refused(parent.key, createApiKey, request)).toEqual({
        code: 'restrictions_too_wide',
        field: `restrictions.budget.${field}`,
      });
    }
    for (const [wrong, field] of [
      [{ sendsPerDay: 0 }, 'sends_per_day'],
      [{ spendPerHour: { DZD: '-1' } }, 'spend_per_hour.DZD'],
      [{ spendPerHour: { dzd: '1' } }, 'spend_per_hour.dzd'],
    ] as const) {
      const request = { name: 'x', restrictions: { budget: wrong } as never };
      expect(await api.refused(live, createApiKey, request)).toEqual({
        code: 'invalid_argument',
        field: `restrictions.budget.${field}`,
      });
    }
  });

  test('a stored restriction without its other parts restricts nothing else', async () => {
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    await sql`update api_key set restrictions = '{"budget":{"sendsPerDay":5}}' where id = ${id}`.execute(database.db);
    api.authenticator.clear();
    expect((await api.call(key, getAccount)).account).toBeDefined();
    const { apiKeys } = await api.call(key, listApiKeys);
    const own = apiKeys.find((each) => each.id === id);
    expect(own?.restrictions).toMatchObject({ addresses: [], prefixes: [], budget: { sendsPerDay: 5 } });
    expect((await newKey(key)).restrictions?.budget).toMatchObject({ sendsPerDay: 5 });
  });

  test('a send counts for so many keys at most', async () => {
    const { live } = await api.newAccount();
    let key = (await newKey(live, { restrictions: { sendsPerDay: 9 } })).key;
    for (let generation = 1; generation <= 8; generation += 1) {
      const parent = key;
      const made = await newKey(parent);
      key = made.key;
      // There may be six at a time: those before are not needed any more.
      const old = (await api.call(live, listApiKeys)).apiKeys.at(-3);
      if (old && old.id !== made.id) await api.call(live, revokeApiKey, { id: old.id });
    }
    expect(await api.refused(key, createApiKey, { name: 'x' })).toMatchObject({ code: 'too_many_resources' });
  });

  test('a call that waits while its key is revoked makes none: a stolen key leaves nothing behind', async () => {
    const { id, live, liveId } = await api.newAccount();
    await newKey(live); // From here on the key is in memory, and let in without a look at the database.
    const { calls } = await api.db.transaction().execute(async (tx) => {
      await lockAccount(tx, id);
      const calls = Array.from({ length: 3 }, () => api.refused(live, createApiKey, { name: 'x' }));
      await until(async () => (await waiting()) >= 3, { what: 'the calls to wait for the account' });
      await tx.updateTable('api_key').set({ revoked_at: new Date() }).where('id', '=', liveId).execute();
      return { calls };
    });
    for (const refusal of await Promise.all(calls)) expect(refusal).toMatchObject({ code: 'revoked_api_key' });
  });

  test('there are only so many; revoked ones do not count', async () => {
    const { live } = await api.newAccount();
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => newKey(live)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await api.refused(live, createApiKey, { name: 'x' })).toMatchObject({ code: 'too_many_resources' });
    const { apiKeys } = await api.call(live, listApiKeys);
    await api.call(live, revokeApiKey, { id: apiKeys[0]?.id ?? '' });
    await newKey(live);
    await newKey(live, { test: true });
  });
});

describe('listing', () => {
  test('goes page by page, newest first, and a page token opens only its own list', async () => {
    const { live, test: testKey } = await api.newAccount();
    const made = [await newKey(live), await newKey(live, { test: true }), await newKey(live)].map(({ id }) => id);
    await api.call(live, revokeApiKey, { id: made[2] ?? '' });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await api.call(live, listApiKeys, { pageSize: 2, pageToken, includeRevoked: true });
      expect(page.apiKeys.length).toBeLessThanOrEqual(2);
      seen.push(...page.apiKeys.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([...seen].sort().reverse());
    expect(seen).toHaveLength(5);
    expect((await api.call(live, listApiKeys)).apiKeys).toHaveLength(4);
    const { apiKeys } = await api.call(testKey, listApiKeys);
    expect(apiKeys.map(({ test }) => test)).toEqual([true, true]);

    const first = await api.call(live, listApiKeys, { pageSize: 1 });
    const stranger = await api.newAccount();
    const refusal = { code: 'invalid_page_token', field: 'page_token' };
    for (const [token, extra] of [
      [stranger.live, {}],
      [testKey, {}],
      [live, { includeRevoked: true }],
    ] as const) {
      const page = { pageToken: first.nextPageToken, ...extra };
      expect(await api.refused(token, listApiKeys, page)).toEqual(refusal);
    }
    expect(await api.refused(live, listApiKeys, { pageToken: "' or 1=1 --" })).toEqual(refusal);
  });
});

describe('revoking', () => {
  test('twice is the same as once', async () => {
    const { live } = await api.newAccount();
    const { id, key } = await newKey(live);
    const once = await api.call(live, revokeApiKey, { id });
    expect(once.apiKey?.revokedAt).toBeDefined();
    api.pass(1_000);
    expect(await api.call(live, revokeApiKey, { id })).toEqual(once);
    expect(await api.refused(key, getAccount)).toMatchObject({ code: 'revoked_api_key' });
  });

  test('a key of another account, or a live one for a test key, is not there', async () => {
    const { live, test: testKey, liveId, testId } = await api.newAccount();
    const stranger = await api.newAccount();
    const missing = { code: 'api_key_not_found' };
    for (const id of [liveId, testId]) {
      expect(await api.refused(stranger.live, revokeApiKey, { id })).toMatchObject(missing);
    }
    expect(await api.refused(testKey, revokeApiKey, { id: liveId })).toMatchObject(missing);
    for (const id of [api.ids('key_'), 'key_x', "key_' or true --", stranger.id]) {
      expect(await api.refused(live, revokeApiKey, { id })).toMatchObject(missing);
    }
    expect((await api.call(live, revokeApiKey, { id: testId })).apiKey?.test).toBe(true);
  });

  test('the last live key with the scope manage stays; one that has expired is no other', async () => {
    const { live, liveId } = await api.newAccount();
    const last = { code: 'last_manage_key' };
    await newKey(live, { scopes: ['verify', 'read'] });
    await newKey(live, { test: true });
    expect(await api.refused(live, revokeApiKey, { id: liveId })).toMatchObject(last);
    const brief = await newKey(live, { expiresAt: timestampFromMs(api.now() + 5_000) });
    api.pass(5_001);
    expect(await api.refused(live, revokeApiKey, { id: liveId })).toMatchObject(last);
    expect((await api.call(live, revokeApiKey, { id: brief.id })).apiKey?.revokedAt).toBeDefined();
    const next = await newKey(live);
    await api.call(next.key, revokeApiKey, { id: liveId });
    expect(await api.refused(next.key, revokeApiKey, { id: next.id })).toMatchObject(last);
  });

  test('the last two at the same moment, in two processes: one stays', async () => {
    const other = await startProcess(database.connect());
    for (let round = 0; round < 8; round += 1) {
      const { live, liveId } = await api.newAccount();
      const second = await newKey(live);
      const outcomes = await Promise.allSettled([
        api.call(live, revokeApiKey, { id: second.id }),
        other.call(second.key, revokeApiKey, { id: liveId }),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await other.authenticator.refresh();
      const works = await Promise.allSettled([live, second.key].map((key) => other.call(key, updateAccount)));
      expect(works.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});

test('a live key with the prefix of test mode, its checksum made right, is no key', async () => {
  const { liveId, live } = await api.newAccount();
  const secret = live.split('_')[3] ?? '';
  const forged = formatKey({ prefix: 'ramz_test_', id: liveId, secret });
  expect(await api.refused(forged, getAccount)).toMatchObject({ code: 'invalid_api_key' });
  expect((await api.call(formatKey({ prefix: 'ramz_live_', id: liveId, secret }), getAccount)).account).toBeDefined();
});
