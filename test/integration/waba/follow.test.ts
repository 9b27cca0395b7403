// Once an account is connected: its templates and its token are followed, and it may be linked again.
import { describe, expect, test } from 'vitest';
import { findAccount } from '../../../src/db/accounts/accounts.ts';
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

describe('once connected', () => {
  test('the templates are followed: what is paused is not used, and the link stays', async () => {
    const id = await account();
    const { waba_id: wabaId } = await connected(id);
    platform.templates.decide(platform.templates.find(wabaId, service.identity.templateName, 'fr') as never, 'PAUSED');
    await manager.templatesChanged(wabaId);
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
    await manager.templatesChanged(wabaId);
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
