// The look at a connected account: what the platform has changed about it, or the deployment in its settings, is followed.
import { describe, expect, test } from 'vitest';
import { linkingProcesses } from './support.ts';

const service = await linkingProcesses();
const { platform, start, account, signup, begin, settle, row, told, pass } = service;
const process = start();

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

describe.each([368, 131031])('the platform blocks the account (%i)', (code) => {
  test('it is suspended with its token, and comes back by itself', async () => {
    const id = await account();
    const ended = await connected(id);
    platform.faults.callNext('subscribed_apps', { kind: 'error', code }, 1);
    await look(ended);
    expect(await row(id)).toMatchObject({
      ...{ status: 'suspended', reason: 'account_disabled', error_code: String(code) },
      token: expect.any(String),
    });
    platform.faults.callNext('subscribed_apps', { kind: 'error', code }, 1);
    pass(15 * 60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'suspended', reason: 'account_disabled' });
    pass(30 * 60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'connected', reason: null, error_code: null });
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'account_disabled'],
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
