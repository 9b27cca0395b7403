// Accounts through the waist on a real database: who may create one, settings of the two modes, measures.
import { describe, expect, test } from 'vitest';
import { approveAccount } from '../../../src/db/accounts/control.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { createAccount, getAccount, updateAccount, getMeasures } = AccountService.method;
const { createApiKey } = ApiKeyService.method;
const database = await testDatabase();
const db = withSchema(database.db);
const api = await startProcess(database);

describe('creating an account', () => {
  test('gives an account and two keys that work, each with every scope', async () => {
    const made = await api.call(adminToken, createAccount, { name: '  My Shop ', language: 'fr' });
    expect(made.account).toMatchObject({ name: 'My Shop', language: 'fr', defaultSenderId: '', inCountryOnly: false });
    expect(made.account?.cascade.map(({ channel, timeoutSeconds }) => [channel, timeoutSeconds])).toEqual([
      ['sms', 15],
      ['whatsapp', 15],
      ['voice', 45],
    ]);
    const keys = [made.liveKey, made.testKey];
    expect(keys.map((key) => key?.test)).toEqual([false, true]);
    expect(keys.map((key) => key?.scopes)).toEqual([
      ['verify', 'read', 'manage', 'numbers', 'custom_code'],
      ['verify', 'read', 'manage', 'numbers', 'custom_code'],
    ]);
    for (const key of keys) {
      expect(key?.hint).toBe(`ramz_${key?.test ? 'test' : 'live'}_…${key?.id.slice(-4)}`);
      const { account } = await api.call(key?.key ?? '', getAccount);
      expect(account?.id).toBe(made.account?.id);
    }
  });

  test('needs the admin token where registration is closed', async () => {
    const { live } = await api.newAccount();
    expect(await api.refused('', createAccount, { name: 'x' })).toMatchObject({ code: 'registration_closed' });
    expect(await api.refused(live, createAccount, { name: 'x' })).toMatchObject({ code: 'invalid_admin_token' });
    expect(await api.refused(`${adminToken}x`, createAccount, { name: 'x' })).toMatchObject({
      code: 'invalid_admin_token',
    });
  });

  test('needs nothing where it is open', async () => {
    const open = await startProcess(database, { openRegistration: true });
    const { account } = await open.call('', createAccount, { name: 'Anyone' });
    expect(account?.language).toBe('ar');
    const { live } = await open.newAccount();
    expect((await open.call(live, createAccount, { name: 'Anyone' })).account?.approvedAt).toBeUndefined();
  });

  test('refuses a guess of the admin token where it is open, too', async () => {
    const open = await startProcess(database, { openRegistration: true });
    expect(await open.refused(`${adminToken}x`, createAccount, { name: 'x' })).toMatchObject({
      code: 'invalid_admin_token',
    });
  });

  test('waits for approval where anyone made it, and not where the operator did', async () => {
    const open = await startProcess(database, { openRegistration: true });
    const made = await open.call('', createAccount, { name: 'Anyone' });
    const [live, testKey] = [made.liveKey?.key ?? '', made.testKey?.key ?? ''];
    expect(made.account?.approvedAt).toBeUndefined();
    expect(await open.refused(live, getAccount)).toMatchObject({ code: 'account_not_approved' });
    expect(await open.refused(live, updateAccount, { language: 'fr' })).toMatchObject({ code: 'account_not_approved' });
    const { account } = await open.call(testKey, updateAccount, { language: 'fr' });
    expect([account?.language, account?.approvedAt]).toEqual(['fr', undefined]);
    // A test key makes no live key, and one made before would be refused alike.
    expect(await open.refused(testKey, createApiKey, { name: 'x', test: false })).toMatchObject({
      code: 'live_key_required',
    });

    expect(await open.authenticator.authenticate(testKey)).toMatchObject({ kind: 'ok', principal: { waits: true } });

    const id = made.account?.id ?? '';
    const first = await approveAccount(db, { id, now: new Date(open.now()), actor: tester });
    open.authenticator.clear();
    expect((await open.call(live, getAccount)).account?.approvedAt).toBeDefined();
    expect(await open.authenticator.authenticate(testKey)).not.toHaveProperty('principal.waits');
    expect(await approveAccount(db, { id, now: new Date(open.now() + 1_000), actor: tester })).toEqual(first);
    expect(await approveAccount(db, { id: 'acct_x', now: new Date(), actor: tester })).toEqual({
      kind: 'account_not_found',
    });

    const own = await open.call(adminToken, createAccount, { name: 'Own' });
    expect(own.account?.approvedAt).toEqual(own.account?.createdAt);
    expect((await open.call(own.liveKey?.key ?? '', getAccount)).account?.id).toBe(own.account?.id);
  });

  test.each([['   '], ['']])('needs a name: %j', async (name) => {
    expect(await api.refused(adminToken, createAccount, { name })).toEqual({ code: 'invalid_argument', field: 'name' });
  });
});

describe('settings', () => {
  test('are those of the key’s mode', async () => {
    const { live, test: testKey } = await api.newAccount();
    const cascade = [{ channel: 'whatsapp', timeoutSeconds: 20 }, { channel: 'voice' }];
    const { account } = await api.call(live, updateAccount, { language: 'en', cascade });
    expect(account?.language).toBe('en');
    expect(account?.cascade.map(({ channel, timeoutSeconds }) => [channel, timeoutSeconds])).toEqual([
      ['whatsapp', 20],
      ['voice', 45],
    ]);
    const other = (await api.call(testKey, getAccount)).account;
    expect(other).toMatchObject({ language: 'ar' });
    expect(other?.cascade).toHaveLength(3);
    const kept = await api.call(live, updateAccount, { cascade: [], language: 'en' });
    expect(kept.account?.cascade).toHaveLength(2);
    const reset = await api.call(live, updateAccount, { updateMask: { paths: ['cascade'] } });
    expect(reset.account?.cascade).toHaveLength(3);
    expect(reset.account?.language).toBe('en');
  });

  test('of both modes are changed by a live key only', async () => {
    const { live, test: testKey } = await api.newAccount();
    const asked = { code: 'live_key_required' };
    expect(await api.refused(testKey, updateAccount, { inCountryOnly: true })).toMatchObject(asked);
    expect(await api.refused(testKey, updateAccount, { name: 'Mine' })).toMatchObject(asked);
    await api.call(live, updateAccount, { inCountryOnly: true, name: 'Renamed' });
    expect((await api.call(testKey, getAccount)).account).toMatchObject({ inCountryOnly: true, name: 'Renamed' });
  });

  test.each([
    [{ cascade: [{ channel: 'sms' }, { channel: 'sms' }] }, 'cascade[1].channel'],
    [{ cascade: [{ channel: 'sms', timeoutSeconds: 4 }] }, 'cascade[0].timeout_seconds'],
    [{ updateMask: { paths: ['name'] } }, 'name'],
    [{ updateMask: { paths: ['language'] } }, 'language'],
    [{ language: 'de' }, 'language'],
    [{ name: ' ' }, 'name'],
    [{ defaultSenderId: 'Stranger' }, 'default_sender_id'],
  ])('that make no sense are refused: %j', async (change, field) => {
    const { live } = await api.newAccount();
    expect(await api.refused(live, updateAccount, change)).toEqual({ code: 'invalid_argument', field });
  });

  test('a default sender name must be approved somewhere, in that mode', async () => {
    const { live, test: testKey } = await api.newAccount();
    const { senderId } = await api.call(live, SenderIdService.method.createSenderId, { name: 'MyShop' });
    expect(await api.refused(live, updateAccount, { defaultSenderId: 'MyShop' })).toMatchObject({
      field: 'default_sender_id',
    });
    const decision = { id: senderId?.id ?? '', operator: 'atlas', status: 'approved' };
    await api.call(adminToken, SenderIdService.method.decideSenderId, decision);
    await api.call(live, updateAccount, { defaultSenderId: 'MyShop' });
    expect((await api.call(live, getAccount)).account?.defaultSenderId).toBe('MyShop');
    expect(await api.refused(testKey, updateAccount, { defaultSenderId: 'MyShop' })).toMatchObject({
      field: 'default_sender_id',
    });
    const cleared = await api.call(live, updateAccount, { defaultSenderId: '' });
    expect(cleared.account?.defaultSenderId).toBe('');
  });
});

test('the SMS measure is the first live SMS minus the creation', async () => {
  const { id, live, test: testKey } = await api.newAccount();
  expect(await api.call(live, getMeasures)).not.toHaveProperty('smsTimeToMarketSeconds', expect.anything());
  const { account } = await api.call(live, getAccount);
  const createdAt = Number(account?.createdAt?.seconds) * 1000 + Number(account?.createdAt?.nanos) / 1e6;
  const sms_first_send_at = new Date(createdAt + 4_530_120);
  await api.db.updateTable('account').set({ sms_first_send_at }).where('id', '=', id).execute();
  expect(await api.call(testKey, getMeasures)).toMatchObject({ smsTimeToMarketSeconds: 4530.12 });
  expect(await api.call(live, getMeasures)).not.toHaveProperty('messagingAppTimeToMarketSeconds', expect.anything());
});
