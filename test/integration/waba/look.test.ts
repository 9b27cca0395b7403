// The look at a connected account: what the platform has changed about it, or the deployment in its settings, is followed.
import { afterAll, describe, expect, test } from 'vitest';
import { GraphClient } from '../../../src/channels/whatsapp/graph.ts';
import { linking } from '../../../src/channels/whatsapp/linking.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses } from './support.ts';

const service = await linkingProcesses();
const { platform, start, account, signup, begin, settle, row, told, pass, identity, sandbox } = service;
const process = start();
const client = new GraphClient({ connections: 4 });
afterAll(() => client.close());

async function connected(id: string) {
  const ended = await signup();
  expect(await begin(process, id, ended)).toMatchObject({ kind: 'begun' });
  expect(await settle(process, id)).toMatchObject({ status: 'connected' });
  return ended;
}
/** As a callback about the account makes it due; other tests' accounts are not. */
const look = async ({ wabaId }: { wabaId: string }, by = process) => {
  await by.manager.accountChanged(wabaId);
  await by.run();
};

describe.each([
  ['blocks the account', 368, undefined, 'account_disabled'],
  ['locks the account', 131031, undefined, 'account_disabled'],
  ['has taken the app’s permission', 200, undefined, 'permission_missing'],
  ['has taken the app’s permission', 10, undefined, 'permission_missing'],
  ['hides the account from the app', 100, 33, 'permission_missing'],
])('the platform %s (%i/%s)', (_, code, subcode, reason) => {
  test('it is suspended with its token, and comes back by itself', async () => {
    const id = await account();
    const ended = await connected(id);
    platform.faults.callNext('subscribed_apps', { kind: 'error', code, subcode }, 1);
    await look(ended);
    expect(await row(id)).toMatchObject({
      ...{ status: 'suspended', reason, error_code: String(code) },
      token: expect.any(String),
    });
    platform.faults.callNext('subscribed_apps', { kind: 'error', code, subcode }, 1);
    pass(15 * 60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'suspended', reason });
    pass(30 * 60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null, error_code: null });
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', reason],
      ['waba.connected', ''],
    ]);
  });
});

test('a number that was deleted at the platform, or moved to another account, is linked no longer', async () => {
  const id = await account();
  const ended = await connected(id);
  platform.accounts.phones.delete(ended.phoneNumberId);
  await look(ended);
  expect(await row(id)).toMatchObject({ status: 'broken', reason: 'number_not_found' });
  expect(process.numbers.ofAccount(id)).toBeNull();
});

test('a call about the number that is refused once, while the account lists it, breaks nothing', async () => {
  const id = await account();
  const ended = await connected(id);
  const refused = async () => ({ kind: 'refused', reason: 'permission_missing', code: '100' }) as const;
  await look(ended, start({ asked: { ...service.graph, readHealth: refused } }));
  expect(await row(id)).toMatchObject({ status: 'connected', phone_number_id: ended.phoneNumberId });
});

test('the end of the token that is known stays where one look is not told it', async () => {
  const id = await account();
  const ended = await connected(id);
  for (const token of platform.accounts.tokens.values())
    if (token.wabaId === ended.wabaId) token.expiresAt = 1_900_000_000;
  await look(ended);
  const health = { tokenExpiresAt: 1_900_000_000_000, quality: 'GREEN' };
  expect((await row(id)).health).toMatchObject(health);
  platform.faults.callNext('debug_token', { kind: 'error', code: 2 }, 1);
  await look(ended);
  expect((await row(id)).health).toMatchObject(health);
});

test('the display name and the number are those that the platform shows today', async () => {
  const id = await account();
  const ended = await connected(id);
  const phone = platform.accounts.phones.get(ended.phoneNumberId);
  if (!phone) throw new Error('no phone');
  phone.verifiedName = 'Example Shop Algiers';
  await look(ended);
  expect(await row(id)).toMatchObject({ status: 'connected', display_name: 'Example Shop Algiers' });
  expect(process.numbers.ofAccount(id)?.displayName).toBe('Example Shop Algiers');
});

test('a template that the settings name since then is made, and used once it is approved', async () => {
  const id = await account();
  const ended = await connected(id);
  const other = start({ asked: withTemplate('another_code') });
  await look(ended, other);
  expect(await row(id)).toMatchObject({ status: 'connected', templates: { ar: 'pending' } });
  expect(platform.templates.find(ended.wabaId, 'another_code', 'ar')).toBeDefined();
  const approved = async () => {
    await look(ended, other);
    return Object.values((await row(id)).templates).every((status) => status === 'approved');
  };
  await until(approved, { what: 'the new templates to be approved' });
  expect(Object.keys((await row(id)).templates).sort()).toEqual(['ar', 'en', 'fr']);
  expect(await told(id)).toEqual([['waba.connected', '']]);
});

/** The platform as a deployment sees it that has another template. */
function withTemplate(name: string) {
  return linking({
    client,
    graphUrl: `${sandbox.httpUrl}/graph/${identity.version}`,
    app: { id: identity.appId, secret: identity.appSecret },
    template: { name, languages: { ar: 'ar', fr: 'fr', en: 'en' } },
    expiryMinutes: 10,
    deliverWithinSeconds: 30,
  });
}
