// The keys that the secrets of a link are sealed with: turned, lost, or never there.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { tester } from '../../support/actor.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses, ringOf } from './support.ts';

const service = await linkingProcesses();
const { start, account, signup, begin, settle, row, pass, db, graph, ringJson } = service;
const process = start();
const { numbers } = process;

async function connected(accountId: string) {
  await begin(process, accountId, await signup());
  expect(await settle(process, accountId)).toMatchObject({ status: 'connected' });
}

describe('the key ring', () => {
  /** The ring with a new key for this purpose; with or without the old one. */
  function rotated(keepOld: boolean) {
    const ring = JSON.parse(ringJson) as { waba_secret: { current: string; keys: Record<string, string> } };
    const keys = keepOld ? ring.waba_secret.keys : {};
    ring.waba_secret = { current: 'next', keys: { ...keys, next: randomBytes(32).toString('base64') } };
    return ringOf(JSON.stringify(ring));
  }

  test('turns: old secrets are read, and sealed anew within a day', async () => {
    const id = await account();
    await connected(id);
    const token = numbers.ofAccount(id)?.token;
    const after = start({ ring: rotated(true) });
    await after.numbers.refresh();
    expect(after.numbers.ofAccount(id)?.token).toBe(token);
    pass(24 * 3_600_000);
    await after.run();
    expect(await row(id)).toMatchObject({
      token: expect.stringMatching(/^next\./),
      pin: expect.stringMatching(/^next\./),
    });
    expect(after.numbers.ofAccount(id)?.token).toBe(token);
  });

  test('has lost the key: the link is broken, and says so', async () => {
    const id = await account();
    await connected(id);
    const after = start({ ring: rotated(false) });
    await after.numbers.refresh();
    expect(after.numbers.ofAccount(id)).toBeNull();
    pass(24 * 3_600_000);
    await after.run();
    expect(await row(id)).toMatchObject({ status: 'broken', reason: 'secret_lost' });
  });

  test('has lost the key while an account is being linked: at whatever step, it says so', async () => {
    for (const method of ['exchangeCode', 'subscribe'] as const) {
      const id = await account();
      const hangs = start({ asked: { ...graph, [method]: () => new Promise(() => {}) } });
      await begin(hangs, id, await signup());
      await until(
        async () => (await row(id)).step === { exchangeCode: 'exchange_code', subscribe: 'subscribe' }[method],
        {
          what: `the step of ${method}`,
        },
      );
      expect(await settle(start({ ring: rotated(false) }), id)).toMatchObject({
        status: 'broken',
        reason: 'secret_lost',
      });
    }
  });

  test('a sealed token moved to another account does not open there', async () => {
    const [first, second] = [await account(), await account()];
    await connected(first);
    await connected(second);
    const { token } = await row(first);
    await db.updateTable('waba').set({ token }).where('account_id', '=', second).execute();
    const other = start();
    await other.numbers.refresh();
    expect(other.numbers.ofAccount(first)).not.toBeNull();
    expect(other.numbers.ofAccount(second)).toBeNull();
  });

  test('of an older version has no key for it: nothing can be linked, everything else works', async () => {
    const { waba_secret: _, ...old } = JSON.parse(ringJson);
    const without = start({ ring: ringOf(JSON.stringify(old)) });
    expect(await without.manager.createSignup(await account(), tester)).toEqual({ kind: 'not_offered' });
  });
});
