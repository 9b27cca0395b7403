// Administrators through the waist on a real database, with somebody who tries to get more than was given.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { newApiKeySecret } from '../../../src/core/accounts/api-key.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { adminScopeValues } from '../../../src/gen/values.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { createAdministrator, listAdministrators, revokeAdministrator } = AdminService.method;
const { createAccount } = AccountService.method;
const database = await testDatabase();
const api = await startProcess(database, { hasAdminToken: true });

async function administrator(request: object = {}, token = adminToken) {
  const made = await api.call(token, createAdministrator, { name: 'Amina', ...request });
  if (!made.administrator) throw new Error('no administrator');
  return made.administrator;
}
const soon = (ms = 60_000) => timestampFromMs(api.now() + ms);
const events = (target: string) =>
  api.db.selectFrom('audit_event').selectAll().where('target', '=', target).orderBy('at').execute();

describe('creating', () => {
  test('gives the scopes and the end of the maker by default, and shows the token once', async () => {
    const made = await administrator();
    expect(made).toMatchObject({ name: 'Amina', scopes: adminScopeValues, createdBy: 'bootstrap' });
    expect(made.token).toMatch(/^ramz_admin_[0-9a-z]{26}_[0-9a-z]{32}_[0-9a-z]{7}$/);
    expect(made.expiresAt).toBeUndefined();
    const { administrators } = await api.call(made.token, listAdministrators);
    expect(administrators[0]).toMatchObject({ id: made.id, token: '', hint: `ramz_admin_…${made.id.slice(-4)}` });
    const brief = await administrator({ name: 'Brahim', expiresAt: soon() }, made.token);
    expect(brief.createdBy).toBe(made.id);
    expect((await administrator({}, brief.token)).expiresAt).toEqual(brief.expiresAt);
  });

  test('none grants what it lacks, or outlives itself', async () => {
    const limited = await administrator({ scopes: ['administrators', 'audit'], expiresAt: soon() });
    const refused = (request: object) => api.refused(limited.token, createAdministrator, { name: 'x', ...request });
    expect(await refused({ scopes: ['audit', 'erase'] })).toEqual({ code: 'missing_scope', field: 'scopes' });
    expect(await refused({ expiresAt: soon(61_000) })).toEqual({ code: 'expires_too_late', field: 'expires_at' });
    expect(await refused({ expiresAt: soon(-1_000) })).toEqual({ code: 'invalid_argument', field: 'expires_at' });
    expect((await administrator({ scopes: ['audit'] }, limited.token)).scopes).toEqual(['audit']);
  });

  test('none is made by one who was revoked, in a process that has not heard of it either', async () => {
    const maker = await administrator();
    const other = await startProcess(database, { maxAgeMs: 60_000 });
    await other.call(maker.token, listAdministrators);
    await api.call(adminToken, revokeAdministrator, { id: maker.id });
    await other.call(maker.token, listAdministrators);
    expect(await other.refused(maker.token, createAdministrator, { name: 'x' })).toMatchObject({
      code: 'invalid_admin_token',
    });
  });

  test('without the scope nothing is done', async () => {
    const clerk = await administrator({ scopes: ['accounts'] });
    expect(await api.refused(clerk.token, createAdministrator, { name: 'x' })).toMatchObject({ code: 'missing_scope' });
    expect(await api.refused(clerk.token, listAdministrators)).toMatchObject({ code: 'missing_scope' });
    expect((await api.call(clerk.token, createAccount, { name: 'Shop' })).account?.approvedAt).toBeDefined();
    const auditor = await administrator({ scopes: ['audit'] });
    expect(await api.refused(auditor.token, createAccount, { name: 'x' })).toMatchObject({ code: 'missing_scope' });
  });
});

describe('a token', () => {
  test('ends when it expires', async () => {
    const { token } = await administrator({ expiresAt: soon() });
    const later = await startProcess(database);
    later.pass(61_000);
    expect(await later.authenticator.administrator(token)).toEqual({ kind: 'expired' });
    expect(await later.refused(token, listAdministrators)).toMatchObject({ code: 'invalid_admin_token' });
  });

  test('with another secret is nobody’s', async () => {
    const { token } = await administrator();
    const other = token.replace(/_[0-9a-z]{32}_/, `_${newApiKeySecret(new Uint8Array(20))}_`);
    expect(await api.authenticator.administrator(other)).toEqual({ kind: 'unknown' });
    expect(await api.authenticator.administrator(token.toUpperCase())).toEqual({ kind: 'unknown' });
    expect(await api.authenticator.administrator(token)).toMatchObject({ kind: 'ok' });
  });

  test('that was good here is known, a guess and RAMZ_ADMIN_TOKEN are not', async () => {
    const { token } = await administrator();
    expect(api.authenticator.isKnown?.(token)).toBe(false);
    await api.authenticator.administrator(token);
    expect(api.authenticator.isKnown?.(token)).toBe(true);
    expect(api.authenticator.isKnown?.(adminToken)).toBe(false);
  });

  test('is stored with the time of its last use when that is flushed', async () => {
    const { id, token } = await administrator();
    await api.call(token, listAdministrators);
    const { lastUsedAt } =
      (await api.call(token, listAdministrators)).administrators.find((each) => each.id === id) ?? {};
    expect(lastUsedAt).toBeUndefined();
    await api.authenticator.flush();
    const { administrators } = await api.call(token, listAdministrators);
    expect(administrators.find((each) => each.id === id)?.lastUsedAt).toBeDefined();
  });
});

describe('revoking', () => {
  test('holds in every process within a second', async () => {
    const { id, token } = await administrator();
    const other = await startProcess(database);
    await other.call(token, listAdministrators);
    const revoke = () => api.call(adminToken, revokeAdministrator, { id });
    const { administrator: revoked } = await revoke();
    expect(revoked?.revokedAt).toBeDefined();
    expect((await revoke()).administrator?.revokedAt).toEqual(revoked?.revokedAt);
    expect(await api.authenticator.administrator(token)).toEqual({ kind: 'unknown' });
    other.pass(1_000);
    expect(await other.refused(token, listAdministrators)).toMatchObject({ code: 'invalid_admin_token' });
    const listed = async (includeRevoked: boolean) =>
      (await api.call(adminToken, listAdministrators, { includeRevoked, pageSize: 100 })).administrators.map(
        (each) => each.id,
      );
    expect(await listed(false)).not.toContain(id);
    expect(await listed(true)).toContain(id);
  });

  test('the last who can make others stays where RAMZ_ADMIN_TOKEN is not set, whoever asks at the same time', async () => {
    const bare = await startProcess(await testDatabase());
    const { administrator: first } = await bare.call(adminToken, createAdministrator, { name: 'one' });
    const { administrator: second } = await bare.call(adminToken, createAdministrator, { name: 'two' });
    await bare.call(adminToken, createAdministrator, { name: 'three', scopes: ['audit'] });
    const outcomes = await Promise.allSettled(
      [first, second].map((each) => bare.call(adminToken, revokeAdministrator, { id: each?.id ?? '' })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = outcomes[0]?.status === 'rejected' ? first : second;
    expect(await bare.refused(adminToken, revokeAdministrator, { id: left?.id ?? '' })).toMatchObject({
      code: 'last_administrator',
    });
  });
});

test('a hundred at most work at the same time', async () => {
  const crowd = await startProcess(await testDatabase());
  const make = () => crowd.call(adminToken, createAdministrator, { name: 'one of many' });
  for (let n = 0; n < 100; n += 1) await make();
  await expect(make()).rejects.toThrow('there are at most 100 working administrators');
});

test('both leave a row in the audit log, without the token', async () => {
  const { id, token } = await administrator({ name: 'Nadia', scopes: ['audit'] });
  await api.call(adminToken, revokeAdministrator, { id });
  const [made, revoked] = await events(id);
  const by = {
    actor_kind: 'administrator',
    actor_id: 'bootstrap',
    actor_name: 'RAMZ_ADMIN_TOKEN',
    address: '127.0.0.1',
  };
  expect(made).toMatchObject({ ...by, action: 'create_administrator', account_id: null, before: {} });
  expect(made?.after).toEqual({ name: 'Nadia', scopes: ['audit'], expires_at: null, revoked_at: null });
  expect(made?.request_id).toMatch(/^req_/);
  expect(revoked).toMatchObject({ ...by, action: 'revoke_administrator', before: { revoked_at: null } });
  expect(Object.keys(revoked?.after ?? {})).toEqual(['revoked_at']);
  expect(JSON.stringify([made, revoked])).not.toContain(token.split('_')[3]);
});
