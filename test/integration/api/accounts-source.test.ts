// Accounts as the engine sees them, read from a real database.
import { expect, test } from 'vitest';
import { readChanges } from '../../../src/db/changes.ts';
import { createAccountSource } from '../../../src/engine/accounts/views.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { WebhookEndpointService } from '../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { plainAccount } from '../../support/account.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { startProcess } from './accounts.ts';

const database = await testDatabase();
const api = await startProcess(database);
const source = createAccountSource(api.db);

test('an account of defaults', async () => {
  const { id } = await api.newAccount();
  expect(await source.load(id, 'live')).toEqual({ ...plainAccount, id });
});

test('settings of its mode, limits of its own', async () => {
  const perNumber = { sends_per_number_per_hour: 20, sends_per_number_per_day: 40 };
  const limits = { sends_per_second: 1_000, unlimited_numbers: true, ...perNumber };
  const { id, liveKey } = await api.tools.accounts.create({ name: 'Load test', language: 'fr', limits, actor: tester });
  await api.call(liveKey.key, AccountService.method.updateAccount, { cascade: [{ channel: 'voice' }], language: 'en' });
  expect(await source.load(id, 'live')).toMatchObject({
    language: 'en',
    cascade: [{ channel: 'voice', timeoutMs: 45_000 }],
    sendsPerNumberPerHour: 20,
    sendsPerNumberPerDay: 40,
    sendsPerSecond: 1_000,
    unlimitedNumbers: true,
  });
  expect(await source.load(id, 'test')).toMatchObject({ language: 'fr', cascade: null, sendsPerSecond: 1_000 });
});

test('there is none of that id', async () => {
  await expect(source.load('acct_nobody', 'live')).rejects.toThrow('acct_nobody');
  const request = { accountId: 'acct_nobody', mode: 'live' as const, name: 'x', scopes: [], expiresAt: null };
  expect(await api.tools.accounts.keys.create({ ...request, createdBy: 'operator', actor: tester })).toEqual({
    kind: 'account_not_found',
  });
});

test('every change raises the counter, and reading does not', async () => {
  const { live } = await api.newAccount();
  let counted = await readChanges(api.db);
  const raised = async () => {
    const before = counted;
    counted = await readChanges(api.db);
    return counted > before;
  };
  await api.call(live, AccountService.method.getAccount);
  await api.call(live, AccountService.method.updateAccount);
  await api.authenticator.flush();
  expect(await raised()).toBe(false);
  await api.newAccount();
  expect(await raised()).toBe(true);
  await api.call(live, AccountService.method.updateAccount, { language: 'fr' });
  expect(await raised()).toBe(true);
  const { apiKey } = await api.call(live, ApiKeyService.method.createApiKey, { name: 'x' });
  expect(await raised()).toBe(true);
  await api.call(live, ApiKeyService.method.revokeApiKey, { id: apiKey?.id ?? '' });
  expect(await raised()).toBe(true);
  await api.call(live, ApiKeyService.method.revokeApiKey, { id: apiKey?.id ?? '' });
  expect(await raised()).toBe(false);
  await api.call(live, WebhookEndpointService.method.createWebhookEndpoint, { url: 'https://shop.example/' });
  expect(await raised()).toBe(true);
});
