// Once an account is connected: its templates and its token are followed, and it may be linked again.
import { describe, expect, test } from 'vitest';
import type { WabaPlatform } from '../../../src/core/waba/platform.ts';
import { findAccount } from '../../../src/db/accounts/accounts.ts';
import { countWabas } from '../../../src/db/waba/links.ts';
import { tester } from '../../support/actor.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses } from './support.ts';

const service = await linkingProcesses();
const { platform, start, account, signup, begin, settle, row, told, pass, db } = service;
const process = start();
const { manager } = process;

async function connected(accountId: string, ended?: Awaited<ReturnType<typeof signup>>) {
  expect(await begin(process, accountId, ended ?? (await signup()))).toMatchObject({ kind: 'begun' });
  const link = await settle(process, accountId);
  expect(link).toMatchObject({ status: 'connected', step: null, reason: null });
  return link;
}
const firstConnected = async (id: string) => (await findAccount(db, id, 'live'))?.custom_waba_connected_at;

describe('a signup that did not say which number', () => {
  const beginWith = async (id: string, code: string, at = process) => {
    const made = await at.manager.createSignup(id, tester);
    if (made.kind !== 'created') throw new Error(made.kind);
    const by = { kind: 'code' as const, code, state: made.state, redirectUri: null };
    return at.manager.begin({ wabaId: '', phoneNumberId: '', pin: null, by, actor: tester });
  };

  test('its only number is found by the token', async () => {
    const id = await account();
    const { code, wabaId, phoneNumberId } = await signup();
    expect(await beginWith(id, code)).toMatchObject({ kind: 'begun' });
    expect(await settle(process, id)).toMatchObject({
      ...{ status: 'connected', waba_id: wabaId, phone_number_id: phoneNumberId, owned: true },
    });
  });

  /** A process whose signups end with a token for every account, as the platform gives one where a permission was given for all. */
  const tokensForAll = () => {
    const exchangeCode: WabaPlatform['exchangeCode'] = async (code) => {
      const exchanged = await service.graph.exchangeCode(code);
      const token = exchanged.kind === 'done' && platform.accounts.tokens.get(exchanged.token);
      if (token) token.wabaId = null;
      return exchanged;
    };
    return start({ asked: { ...service.graph, exchangeCode } });
  };

  test('of a token for all accounts the number of the account that the signup named', async () => {
    const [, named] = [await signup(), await signup()];
    const all = tokensForAll();
    const id = await account();
    await begin(all, id, { ...named, phoneNumberId: '' });
    expect(await settle(all, id)).toMatchObject({ status: 'connected', phone_number_id: named.phoneNumberId });
  });

  test('of a token for all accounts none where the signup named no account either, with words', async () => {
    const { code } = await signup();
    const all = tokensForAll();
    const id = await account();
    await beginWith(id, code, all);
    expect(await settle(all, id)).toMatchObject({ status: 'broken', reason: 'number_ambiguous' });
  });

  test('of several the one that is new; of several new ones none, with words', async () => {
    const first = await signup();
    await connected(await account(), first);
    const second = platform.accounts.addPhone(first.wabaId, '+213550008881', 'Shop');
    const id = await account();
    await beginWith(id, platform.codes.issue(first.wabaId));
    expect(await settle(process, id)).toMatchObject({ status: 'connected', phone_number_id: second.id });
    for (const number of ['+213550008882', '+213550008883']) platform.accounts.addPhone(first.wabaId, number, 'Shop');
    const other = await account();
    await beginWith(other, platform.codes.issue(first.wabaId));
    expect(await settle(process, other)).toMatchObject({ status: 'broken', reason: 'number_ambiguous' });
  });

  test('a code that came back to an address is exchanged with that address, and with no other', async () => {
    const { wabaId } = await signup();
    const redirectUri = 'https://verify.example/connect/messaging';
    const exchange = (uri: string | null) =>
      service.graph.exchangeCode({ code: platform.codes.issue(wabaId, redirectUri), redirectUri: uri });
    expect(await exchange(redirectUri)).toMatchObject({ kind: 'done' });
    expect(await exchange(null)).toMatchObject({ kind: 'refused', reason: 'code_refused' });
    expect(await exchange('https://evil.example/')).toMatchObject({ kind: 'refused', reason: 'code_refused' });
  });
});

describe('stopped by the platform', () => {
  const stop = (wabaId: string, reason: 'account_disabled' | 'account_restricted', until: number | null) =>
    manager.accountStopped({ wabaId, reportedAt: service.now(), stop: { kind: 'suspended', reason, until } });

  test('disabled: not used, told with its reason, and used again once the platform lets it send', async () => {
    const id = await account();
    const { waba_id: wabaId, connected_at } = await connected(id);
    platform.updateAccount(wabaId, { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });
    expect(await stop(wabaId, 'account_disabled', null)).toBe(1);
    expect(await row(id)).toMatchObject({ status: 'suspended', reason: 'account_disabled' });
    const { token, step_since, updated_at } = await row(id);
    expect(token).not.toBeNull();
    expect(step_since).toEqual(updated_at); // The log warns of this save alone.
    expect(process.numbers.ofAccount(id)).toBeNull();
    pass(15 * 60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'suspended', health: { canSend: 'BLOCKED' } });
    expect((await row(id)).health?.problems).toMatchObject([{ part: 'WABA', code: '141000' }]);
    platform.updateAccount(wabaId, { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } });
    await manager.accountChanged(wabaId);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null, connected_at });
    expect(process.numbers.ofAccount(id)).not.toBeNull();
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'account_disabled'],
      ['waba.connected', ''],
    ]);
  });

  test.each([
    { reason: 'account_disabled', forMs: null },
    { reason: 'account_restricted', forMs: 7 * 24 * 3_600_000 },
  ] as const)('$reason, reported again after the account is back: asked at once, and used again', async (stopped) => {
    const { reason, forMs } = stopped;
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    pass(60_000);
    const reportedAt = service.now();
    const again = () =>
      manager.accountStopped({
        ...{ wabaId, reportedAt },
        stop: { kind: 'suspended', reason, until: forMs === null ? null : reportedAt + forMs },
      });
    await again();
    await manager.accountChanged(wabaId); // Reinstated.
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected' });
    pass(10 * 60_000);
    await again();
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null });
  });

  test('stopped once more during a look that found it well: the older answer counts no more', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    await stop(wabaId, 'account_disabled', null);
    pass(15 * 60_000);
    const answered = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const readHealth: WabaPlatform['readHealth'] = async (access) => {
      const health = await service.graph.readHealth(access);
      answered.resolve();
      await stored.promise;
      return health;
    };
    const slow = start({ asked: { ...service.graph, readHealth } });
    await slow.linker.sweep();
    await answered.promise;
    expect(await stop(wabaId, 'account_restricted', service.now() + 3_600_000)).toBe(1);
    stored.resolve();
    await slow.linker.idle();
    expect(await row(id)).toMatchObject({ status: 'suspended', reason: 'account_restricted' });
  });

  test('restricted until a time: looked at again then, and not before', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    await stop(wabaId, 'account_restricted', service.now() + 3_600_000);
    pass(3_500_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'suspended', reason: 'account_restricted' });
    pass(200_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null });
  });

  test.each([
    { report: 'new', ageMs: 0, health: 'known' },
    { report: 'late', ageMs: 120_000, health: 'known' },
    { report: 'new', ageMs: 0, health: 'unknown' },
  ])('restricted until a time, $report, of $health health: looks before it leave the one at its end', async (of) => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    const waba = platform.accounts.wabas.get(wabaId);
    if (!waba) throw new Error('no account');
    waba.disabled = true;
    if (of.health === 'unknown')
      await db.updateTable('waba').set({ health: null }).where('account_id', '=', id).execute();
    pass(of.ageMs);
    const reportedAt = service.now() - of.ageMs;
    const end = reportedAt + 3 * 24 * 3_600_000;
    const until = { kind: 'suspended' as const, reason: 'account_restricted' as const, until: end };
    await manager.accountStopped({ wabaId, reportedAt, stop: until });
    await manager.accountChanged(wabaId);
    await process.run();
    const dueAt = async () => (await row(id)).next_at?.getTime() ?? 0;
    const pauses: number[] = [];
    while ((await dueAt()) < end && pauses.length < 20) {
      pauses.push((await dueAt()) - service.now());
      pass(Math.max(0, pauses.at(-1) ?? 0));
      await process.run();
    }
    expect(pauses.length).toBeGreaterThan(1);
    expect(await row(id)).toMatchObject({
      status: 'suspended',
      next_at: new Date(end),
      health: { canSend: 'BLOCKED' },
    });
    // The platform may be a little late.
    pass(end - service.now());
    const endedAt = service.now();
    await process.run();
    expect(await dueAt()).toBeGreaterThanOrEqual(endedAt + 15 * 60_000);
    expect(await dueAt()).toBeLessThanOrEqual(service.now() + 15 * 60_000);
    waba.disabled = false;
    pass(15 * 60_000);
    await process.run();
    const back = await row(id);
    expect(back).toMatchObject({ status: 'connected', reason: null, health: { canSend: 'AVAILABLE' } });
    expect(back.health).not.toHaveProperty('restrictedUntil');
  });

  test('deleted: the link is over', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    const reportedAt = service.now();
    await manager.accountStopped({ wabaId, reportedAt, stop: { kind: 'ended', reason: 'account_deleted' } });
    expect(await row(id)).toMatchObject({ status: 'disconnected', reason: 'account_deleted', token: null });
  });
});

test('a number that is not verified: waited for, and linked once its owner has verified it', async () => {
  const id = await account();
  const ended = await signup();
  const phone = platform.accounts.phones.get(ended.phoneNumberId);
  if (!phone) throw new Error('no phone');
  phone.verified = false;
  await begin(process, id, ended);
  await process.linker.idle();
  expect(await row(id)).toMatchObject({ status: 'connecting', step: 'verify_number', reason: 'number_unverified' });
  pass(5 * 60_000);
  await process.run();
  expect(await row(id)).toMatchObject({ step: 'verify_number' });
  phone.verified = true;
  await manager.accountChanged(ended.wabaId); // As the page does when it is loaded again.
  await process.run();
  expect(await settle(process, id)).toMatchObject({ status: 'connected' });
});

describe('once connected', () => {
  test('a template with another delivery time is given the one that is set', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    const made = platform.templates.of(wabaId);
    expect(made.map(({ ttlSeconds }) => ttlSeconds)).toEqual([30, 30, 30]);
    for (const template of made) template.ttlSeconds = 600;
    pass(24 * 3_600_000);
    await process.run();
    expect(made.map(({ ttlSeconds }) => ttlSeconds)).toEqual([30, 30, 30]);
    expect(await row(id)).toMatchObject({ status: 'connected' });
  });

  test('quality, limits and the token’s end are known at once, and looked at once a day', async () => {
    const id = await account();
    const link = await connected(id);
    const health = {
      canSend: 'AVAILABLE',
      problems: [],
      quality: 'GREEN',
      nameStatus: 'APPROVED',
      messagingLimit: 'TIER_2K',
      throughput: 'STANDARD',
      isOnBusinessApp: false,
      tokenExpiresAt: null,
    };
    expect((await row(id)).health).toEqual(health);
    const token = [...platform.accounts.tokens.values()].find(({ wabaId }) => wabaId === link.waba_id);
    if (token) token.expiresAt = 1_900_000_000;
    pass(24 * 3_600_000);
    await process.run();
    expect((await row(id)).health).toEqual({ ...health, tokenExpiresAt: 1_900_000_000_000 });
    const { byStatus, byQuality, tokenEndsAt } = await countWabas(db);
    expect(tokenEndsAt).toBe(1_900_000_000_000);
    expect(byQuality.get('GREEN')).toBe(byStatus.get('connected'));
    expect(byStatus.get('suspended')).toBeDefined();
  });

  test('the templates are followed: what is paused is not used, and the link stays', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    platform.templates.decide(platform.templates.find(wabaId, service.identity.templateName, 'fr') as never, 'PAUSED');
    await manager.accountChanged(wabaId);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', templates: { fr: 'paused', ar: 'approved' } });
    expect([...(process.numbers.ofAccount(id)?.languages ?? [])].sort()).toEqual(['ar', 'en']);
    expect(await told(id)).toEqual([['waba.connected', '']]);
  });

  test('a callback about a template ends the wait for the review', async () => {
    const id = await account();
    platform.faults.reviewResult = null;
    const { wabaId } = await signup().then(async (ended) => {
      await begin(process, id, ended);
      return ended;
    });
    await process.linker.idle();
    expect(await row(id)).toMatchObject({ step: 'await_approval', templates: { fr: 'pending' } });
    for (const template of platform.templates.of(wabaId)) platform.templates.decide(template, 'APPROVED');
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connecting' }); // Not yet due.
    await manager.accountChanged(wabaId);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected' });
  });

  test('the platform is asked once a day to go on calling back: somebody may have ended it', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    const waba = platform.accounts.wabas.get(wabaId);
    if (waba) waba.subscription = null;
    pass(24 * 3_600_000);
    await process.run();
    expect(waba?.subscription).not.toBeNull();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null });
  });

  test('a token that died is found within a day, even without a send', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    platform.revokeTokens(wabaId);
    pass(24 * 3_600_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'broken', reason: 'token_revoked', error_code: '190', token: null });
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'token_revoked'],
    ]);
    expect(process.numbers.ofAccount(id)).toBeNull();
  });

  test('linking again, with the number’s old PIN, leaves the first time as it was', async () => {
    const id = await account();
    const ended = await signup();
    const first = await connected(id, ended);
    platform.revokeTokens(ended.wabaId);
    manager.tokenRefused(ended.phoneNumberId, '190');
    await until(async () => (await row(id)).status === 'broken', { what: 'it to be broken' });
    // As if the number had been taken off the Cloud API meanwhile: registering it needs the PIN it was given.
    const phone = platform.accounts.phones.get(ended.phoneNumberId);
    if (phone) phone.status = 'DISCONNECTED';
    const again = await connected(id, await signup(ended.number));
    expect(again.connected_at?.getTime()).toBeGreaterThan(first.connected_at?.getTime() ?? 0);
    expect(await firstConnected(id)).toEqual(first.connected_at);
  });
});
