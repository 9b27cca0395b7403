// The keys that the secrets of a link are sealed with: turned, lost, or never there.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import type { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { inside } from '../../../src/db/queryable.ts';
import { markRemoved } from '../../../src/db/secrets/process-rings.ts';
import { tester } from '../../support/actor.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses, ringOf } from './support.ts';

const service = await linkingProcesses();
const { start, account, signup, begin, settle, row, pass, told, now, db, graph, platform, ringJson } = service;
const process = start();
const { numbers } = process;

async function connected(accountId: string) {
  await begin(process, accountId, await signup());
  expect(await settle(process, accountId)).toMatchObject({ status: 'connected' });
}

/** The ring with a new key for this purpose; with or without the old one. */
function rotated(keepOld: boolean) {
  const ring = JSON.parse(ringJson) as { waba_secret: { current: string; keys: Record<string, string> } };
  const keys = keepOld ? ring.waba_secret.keys : {};
  ring.waba_secret = { current: 'next', keys: { ...keys, next: randomBytes(32).toString('base64') } };
  return ringOf(JSON.stringify(ring));
}
/** The ring of a process that was started before it had a section for the purpose. */
function withoutPurpose() {
  const { waba_secret: _, ...old } = JSON.parse(ringJson);
  return ringOf(JSON.stringify(old));
}

/** As `keys remove --lost` does. */
async function giveUpKey() {
  const { id } = ringOf(ringJson).current('waba_secret');
  await markRemoved(inside(db as never), { purpose: 'waba_secret', id, check: '' });
}
afterEach(() => sql`delete from announced_key`.execute(db));

describe('the key ring', () => {
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

  test.each([
    ['has lost', () => rotated(false)],
    ['has lost the purpose with', withoutPurpose],
  ])('%s a key that was given up: the link is broken, and says so', async (_, ring) => {
    const id = await account();
    await connected(id);
    await giveUpKey();
    const after = start({ ring: ring() });
    await after.numbers.refresh();
    expect(after.numbers.ofAccount(id)).toBeNull();
    pass(24 * 3_600_000);
    await after.run();
    expect(await row(id)).toMatchObject({ status: 'broken', reason: 'secret_lost' });
  });

  test('has lost a key that was given up while an account is being linked: at whatever step, it says so', async () => {
    await giveUpKey();
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
    const without = start({ ring: withoutPurpose() });
    expect(await without.manager.createSignup(await account(), tester)).toEqual({ kind: 'not_offered' });
  });
});

describe.each<[string, () => KeyRing]>([
  ['has nothing for the purpose', withoutPurpose],
  ['has another key of the purpose', () => rotated(false)],
])('a process whose ring %s', (_, ring) => {
  /** It looks again and again, and leaves the link to the process that has the key. */
  async function leaves(id: string, what: object) {
    const before = await row(id);
    const other = start({ ring: ring() });
    await other.run();
    expect(await row(id)).toEqual(before);
    expect(before).toMatchObject({ ...what, token: expect.any(String) });
    expect(other.errors).toEqual([]);
  }

  test('leaves a connected account to the others', async () => {
    const id = await account();
    await connected(id);
    pass(24 * 3_600_000);
    await leaves(id, { status: 'connected' });
    expect(await told(id)).toEqual([['waba.connected', '']]);
    await process.run();
    const { status, next_at } = await row(id);
    expect([status, (next_at?.getTime() ?? 0) > now()]).toEqual(['connected', true]);
  });

  test('leaves one that waits for its review to the others', async () => {
    const id = await account();
    platform.faults.reviewResult = null;
    const ended = await signup();
    await begin(process, id, ended);
    await process.linker.idle();
    pass(60_000);
    await leaves(id, { status: 'connecting', step: 'await_approval' });
    for (const template of platform.templates.of(ended.wabaId)) platform.templates.decide(template, 'APPROVED');
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
  });
});
