// Sites and apps for autofill through the waist on a real database: registered by the account, approved by the operator of
// the service in its terminal, seen by every process.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from 'vitest';
import { runAccount } from '../../../src/cli/account.ts';
import { Refusal } from '../../../src/cli/command.ts';
import { approveOwn } from '../../../src/db/accounts/autofill.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { AccountService, type RegisterAutofillSchema } from '../../../src/gen/ramz/v1/account_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { startProcess } from './accounts.ts';

type Registered = MessageInitShape<typeof RegisterAutofillSchema>;

const { getAccount, updateAccount } = AccountService.method;
const database = await testDatabase();
const api = await startProcess(database);

const site = 'https://shop.example';
const hash = 'FA+9qCX9VSu';
const app = { packageName: 'com.example.shop', appHash: hash };

let account: Awaited<ReturnType<typeof api.newAccount>>;
beforeEach(async () => {
  account = await api.newAccount();
});

async function register(autofill: Registered, token = account.live) {
  return shown((await api.call(token, updateAccount, { autofill })).account);
}
const stored = async (token = account.live) => shown((await api.call(token, getAccount)).account);

type Shown = Awaited<ReturnType<typeof api.call<typeof getAccount>>>['account'];
const shown = (of: Shown) => ({
  origins: of?.autofill?.webOrigins,
  apps: of?.autofill?.androidApps.map(({ packageName, appHash }) => `${packageName} ${appHash}`),
  states: Object.fromEntries(of?.autofill?.states.map(({ value, status }) => [value, status]) ?? []),
});

async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  await runAccount(['autofill', ...args], { ...api.tools, say: (line) => lines.push(line) });
  return lines;
}
async function refusal(...args: string[]): Promise<Refusal> {
  const error = await run(...args).catch((reason: unknown) => reason);
  if (error instanceof Refusal) return error;
  throw new Error(`not refused: ${error}`);
}

describe('registering', () => {
  test('shows origins in the form in which they are compared, in order, each with its state', async () => {
    expect(await stored()).toEqual({ origins: [], apps: [], states: {} });
    const asked = { webOrigins: ['Shop.EXAMPLE', 'https://xn--80ak6aa92e.com'], androidApps: [app] };
    const expected = {
      origins: [site, 'https://xn--80ak6aa92e.com'],
      apps: [`com.example.shop ${hash}`],
      states: { [site]: 'pending', 'https://xn--80ak6aa92e.com': 'pending', [hash]: 'pending' },
    };
    expect(await register(asked)).toEqual(expected);
    expect(await stored()).toEqual(expected);
  });

  test('is left alone by a change of something else, and ended by empty lists', async () => {
    const before = await register({ webOrigins: [site], androidApps: [app] });
    await api.call(account.live, updateAccount, { language: 'fr' });
    expect(await stored()).toEqual(before);
    expect(await register({})).toEqual({ origins: [], apps: [], states: {} });
  });

  test('in test mode is of its own and approved at once', async () => {
    expect((await register({ webOrigins: [site] }, account.test)).states).toEqual({ [site]: 'approved' });
    expect(await stored()).toEqual({ origins: [], apps: [], states: {} });
    await register({ androidApps: [app] });
    expect((await stored(account.test)).origins).toEqual([site]);
    expect(await refusal('approve', account.id, site)).toMatchObject({ exitCode: 1 });
  });

  const eleven = Array.from({ length: 11 }, (_, n) => `s${n}.example`);
  test.each<[string, Registered, string]>([
    ['http', { webOrigins: [site, 'http://a.example'] }, 'web_origins[1]'],
    ['a port', { webOrigins: ['https://a.example:8443'] }, 'web_origins[0]'],
    ['a path', { webOrigins: ['https://a.example/x'] }, 'web_origins[0]'],
    ['a user', { webOrigins: ['https://shop.example@a.example'] }, 'web_origins[0]'],
    ['letters that only look Latin', { webOrigins: ['https://аррӏе.com'] }, 'web_origins[0]'],
    ['an address', { webOrigins: ['https://10.0.0.1'] }, 'web_origins[0]'],
    ['a name without a dot', { webOrigins: ['localhost'] }, 'web_origins[0]'],
    ['a dot at the end', { webOrigins: ['shop.example.'] }, 'web_origins[0]'],
    ['nothing', { webOrigins: [''] }, 'web_origins[0]'],
    ['what fits no text', { webOrigins: [`${'a'.repeat(40)}.example`] }, 'web_origins[0]'],
    ['one twice', { webOrigins: [site, 'SHOP.example'] }, 'web_origins[1]'],
    ['eleven', { webOrigins: eleven }, 'web_origins'],
    ['a short hash', { androidApps: [{ ...app, appHash: 'short' }] }, 'android_apps[0].app_hash'],
    ['a hash of another alphabet', { androidApps: [{ ...app, appHash: 'FA-9qCX9VSu' }] }, 'android_apps[0].app_hash'],
    ['no package', { androidApps: [{ appHash: hash }] }, 'android_apps[0].package_name'],
    ['no application id', { androidApps: [{ ...app, packageName: 'shop' }] }, 'android_apps[0].package_name'],
    ['one hash twice', { androidApps: [app, { ...app, packageName: 'com.example.b' }] }, 'android_apps[1].app_hash'],
    [
      'eleven apps',
      { androidApps: eleven.map((_, n) => ({ ...app, appHash: `FA+9qCX9V${String(n).padStart(2, '0')}` })) },
      'android_apps',
    ],
  ])('refuses %s, and changes nothing', async (_, autofill, field) => {
    const before = await register({ webOrigins: [site] });
    const change = { language: 'en', autofill };
    expect(await api.refused(account.live, updateAccount, change)).toEqual({
      code: 'invalid_argument',
      field: `autofill.${field}`,
    });
    expect(await stored()).toEqual(before);
    expect((await api.call(account.live, getAccount)).account?.language).toBe('ar');
  });

  test('of two lists at once one holds, never both', async () => {
    const other = await startProcess(database);
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = ['a', 'b'].map((letter) => [1, 2, 3].map((n) => `${letter}${n}.r${round}.example`));
      await Promise.all([
        api.call(account.live, updateAccount, { autofill: { webOrigins: a ?? [] } }),
        other.call(account.live, updateAccount, { autofill: { webOrigins: b ?? [] } }),
      ]);
      const held = (await stored()).origins?.map((origin) => origin.replace('https://', ''));
      expect([a, b]).toContainEqual(held);
    }
  });
});

describe('approving', () => {
  test('the list of what waits, one value after the other, and taking it back', async () => {
    await register({ webOrigins: [site, 'xn--80ak6aa92e.com'], androidApps: [app] });
    const waiting = (await run('list')).filter((line) => line.startsWith(account.id));
    expect(waiting).toHaveLength(3);
    // What a reader would see is beside it: the name imitates another.
    expect(waiting[1]).toContain('https://xn--80ak6aa92e.com (аррӏе.com)  pending');
    expect((await run('approve', account.id, 'Shop.example'))[0]).toContain(`${site}  approved`);
    expect((await stored()).states).toMatchObject({ [site]: 'approved', [hash]: 'pending' });
    expect((await run('approve', account.id, 'com.example.shop'))[0]).toContain(`${hash}  com.example.shop  approved`);
    expect(await run('list', account.id)).toHaveLength(3);
    expect((await run('revoke', account.id, hash))[0]).toContain('pending');
    expect((await stored()).states).toMatchObject({ [site]: 'approved', [hash]: 'pending' });
  });

  test('the name of a package that is a site’s too means the site', async () => {
    await register({ webOrigins: ['shop.example'], androidApps: [{ ...app, packageName: 'shop.example' }] });
    await run('approve', account.id, 'shop.example');
    expect((await stored()).states).toEqual({ [site]: 'approved', [hash]: 'pending' });
  });

  test('outlives a new list for what stays, and nothing else', async () => {
    await register({ webOrigins: [site], androidApps: [app] });
    await run('approve', account.id, site);
    await run('approve', account.id, hash);
    const after = await register({ webOrigins: ['new.example', site], androidApps: [app] });
    expect(after.states).toEqual({ 'https://new.example': 'pending', [site]: 'approved', [hash]: 'approved' });
    expect(after.origins).toEqual(['https://new.example', site]);
    // The hash was approved for another app.
    expect((await register({ androidApps: [{ ...app, packageName: 'com.example.other' }] })).states).toEqual({
      [hash]: 'pending',
    });
    // Gone is gone: back again, it is asked for again.
    expect((await register({ webOrigins: [site] })).states).toEqual({ [site]: 'pending' });
  });

  test('of another account changes nothing here', async () => {
    const other = await api.newAccount();
    await register({ webOrigins: [site] });
    await register({ webOrigins: [site] }, other.live);
    await run('approve', other.id, site);
    expect((await stored()).states).toEqual({ [site]: 'pending' });
    expect((await stored(other.live)).states).toEqual({ [site]: 'approved' });
  });

  test('reaches the engine of another process with its next look at the counter', async () => {
    const accounts = new AccountViews(createAccountSource(api.db));
    const look = async () => accounts.saw(await readChanges(api.db));
    await look();
    const seen = async () => Object.fromEntries((await accounts.view(account.id, 'live')).autofill);
    expect(await seen()).toEqual({});
    await register({ webOrigins: [site] });
    expect(await look()).toBe(true);
    expect(await seen()).toEqual({ [site]: 'pending' });
    await run('approve', account.id, site);
    expect(await look()).toBe(true);
    expect(await seen()).toEqual({ [site]: 'approved' });
    await run('revoke', account.id, site);
    await look();
    expect(await seen()).toEqual({ [site]: 'pending' });
    await register({});
    await look();
    expect(await seen()).toEqual({});
    expect(await look()).toBe(false);
  });

  test('is not needed by the sandbox’s own account, for what it has and what it adds', async () => {
    await register({ webOrigins: [site] });
    await approveOwn(api.db, account.id);
    expect((await stored()).states).toEqual({ [site]: 'approved' });
    expect((await register({ webOrigins: ['b.example'] })).states).toEqual({ 'https://b.example': 'approved' });
  });

  test.each([
    [['approve'], 2],
    [['approve', 'acct_1'], 2],
    [['approve', 'acct_1', site, site], 2],
    [['approve', 'acct_1', site], 1],
    [['list', 'acct_1', 'acct_2'], 2],
    [['reject', 'acct_1', site], 2],
  ])('%j is refused', async (args, exitCode) => {
    expect(await refusal(...args)).toMatchObject({ exitCode });
  });
});
