// Accounts as the engine sees them, read from a real database.
import { expect, test } from 'vitest';
import { noLists } from '../../../src/core/limits/lists.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { LimitListService } from '../../../src/gen/ramz/v1/limit_list_pb.ts';
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

test('a change raises the counter and clears what is held of its account; a call that changes nothing does neither', async () => {
  const { live, id } = await api.newAccount();
  const { createListEntry, deleteListEntry } = LimitListService.method;
  const { createWebhookEndpoint, updateWebhookEndpoint, deleteWebhookEndpoint } = WebhookEndpointService.method;
  let counted = await readChanges(api.db);
  api.cleared.length = 0;
  const done = async () => {
    const before = counted;
    counted = await readChanges(api.db);
    return { raised: counted > before, cleared: api.cleared.splice(0) };
  };
  const changed = { raised: true, cleared: [id] };
  const nothing = { raised: false, cleared: [] };
  await api.call(live, AccountService.method.getAccount);
  await api.call(live, AccountService.method.updateAccount);
  await api.authenticator.flush();
  expect(await done()).toEqual(nothing);
  await api.newAccount();
  expect(await done()).toMatchObject({ raised: true });
  await api.call(live, AccountService.method.updateAccount, { language: 'fr' });
  expect(await done()).toEqual(changed);
  const { apiKey } = await api.call(live, ApiKeyService.method.createApiKey, { name: 'x' });
  expect(await done()).toEqual(changed);
  await api.call(live, ApiKeyService.method.revokeApiKey, { id: apiKey?.id ?? '' });
  expect(await done()).toEqual(changed);
  await api.call(live, ApiKeyService.method.revokeApiKey, { id: apiKey?.id ?? '' });
  expect(await done()).toEqual(nothing);
  const { webhookEndpoint } = await api.call(live, createWebhookEndpoint, { url: 'https://shop.example/' });
  expect(await done()).toEqual(changed);
  await api.call(live, updateWebhookEndpoint, { id: webhookEndpoint?.id ?? '', description: 'x' });
  expect(await done()).toEqual(changed);
  for (const method of [updateWebhookEndpoint, deleteWebhookEndpoint])
    await api.refused(live, method, { id: 'whe_01K0000000000000000000000Z' });
  expect(await done()).toEqual(nothing);
  const listed = { list: 'block', value: '+2135519*' };
  const { entry } = await api.call(live, createListEntry, listed);
  expect(await done()).toEqual(changed);
  await api.call(live, createListEntry, listed);
  expect(await done()).toEqual(nothing);
  await api.call(live, deleteListEntry, { id: entry?.id ?? '' });
  expect(await done()).toEqual(changed);
  await api.refused(live, deleteListEntry, { id: entry?.id ?? '' });
  expect(await done()).toEqual(nothing);
});

test('an entry of the platform’s lists clears everything', async () => {
  const { lists } = api.accounts;
  api.cleared.length = 0;
  const made = await lists.add(null, { list: 'block', value: '+2135518*', note: '', actor: tester });
  expect(api.cleared).toEqual([undefined]);
  if (made.kind === 'listed') await lists.remove(null, made.entry.id, tester);
  expect(api.cleared).toEqual([undefined, undefined]);
});

test('what is held of other accounts stays held', async () => {
  const loaded: string[] = [];
  const views = new AccountViews({
    load: async (id, mode) => {
      loaded.push(`${id} ${mode}`);
      return { ...plainAccount, id };
    },
    platformLists: async () => {
      loaded.push('lists');
      return noLists;
    },
  });
  const read = async () => {
    for (const id of ['a', 'b']) for (const mode of ['live', 'test'] as const) await views.view(id, mode);
    await views.platformLists();
    return loaded.splice(0);
  };
  expect(await read()).toEqual(['a live', 'a test', 'b live', 'b test', 'lists']);
  views.clear('a');
  expect(await read()).toEqual(['a live', 'a test']);
  views.clear();
  expect(await read()).toHaveLength(5);
});
