// To which endpoints the events of a session go: to those in the process's view of the account, which the change counter clears. No statement
// over sessions reads endpoints.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readChanges } from '../../../src/db/changes.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { saveParts } from '../../../src/db/verify/save-batches.ts';
import { saveText } from '../../../src/db/verify/save-text.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const db = withSchema(database.db);
const shop = await receiver();
const { webhooks, manager, outcomes } = await testWebhooks(database);

async function newAccount() {
  const account = await testAccount(database, manager);
  await sql`insert into account_setting (account_id, mode, language)
    select ${account.accountId}, unnest(array['live', 'test']), 'fr'`.execute(database.db);
  return account;
}

/** A process whose view of accounts is as old as its last look at the change counter. */
async function startProcess() {
  const accounts = new AccountViews(createAccountSource(db));
  const { engine, webhooks: stored } = await testEngine(database, { sms: new ScriptedChannel(), accounts });
  return {
    look: async () => accounts.saw(await readChanges(db)),
    /** Opens a session and cancels it. Returns the endpoints that are told of the end. */
    async cancelOne(accountId: string): Promise<string[]> {
      const sent = await engine.starter.sendSettled(sendRequest({ accountId }));
      if (sent.kind !== 'sent') throw new Error(sent.kind);
      await engine.dispatcher.idle();
      const before = stored.length;
      await engine.checker.cancel({ accountId, mode: 'live', id: sent.session.id });
      return stored
        .slice(before)
        .filter(({ body }) => JSON.parse(body).type === 'session.canceled')
        .map(({ endpointId }) => endpointId)
        .sort();
    },
  };
}

test('no statement over sessions reads endpoints', () => {
  expect(saveText(new Set(saveParts))).not.toContain('webhook_endpoint');
});

test('an endpoint gets the events of every process once that has seen the change, and those of its types alone', async () => {
  const account = await newAccount();
  const { accountId } = account;
  const one = await startProcess();
  await one.look();
  expect(await one.cancelOne(accountId)).toEqual([]);
  const all = await account.create(shop.url('/all'));
  const some = await account.create(shop.url('/some'), ['session.canceled']);
  await account.create(shop.url('/others'), ['session.verified']);
  expect(await one.look()).toBe(true);
  expect(await one.cancelOne(accountId)).toEqual([all.id, some.id].sort());
  // Whoever loads the account after the change needs no word of it.
  const two = await startProcess();
  expect(await two.cancelOne(accountId)).toEqual([all.id, some.id].sort());

  await manager.update(account, some.id, { enabled: false });
  await manager.remove(account, all.id);
  await one.look();
  expect(await one.cancelOne(accountId)).toEqual([]);
  await manager.update(account, some.id, { enabled: true });
  await one.look();
  expect(await one.cancelOne(accountId)).toEqual([some.id]);
});

test('what is stored by a process that has not seen the change ends unsent', async () => {
  const account = await newAccount();
  const one = await startProcess();
  const off = await account.create(shop.url('/off'), ['session.canceled']);
  const deleted = await account.create(shop.url('/deleted'), ['session.canceled']);
  await one.look();
  expect(await one.cancelOne(account.accountId)).toEqual([off.id, deleted.id].sort());
  await manager.update(account, off.id, { enabled: false });
  await manager.remove(account, deleted.id);
  expect(await one.cancelOne(account.accountId)).toEqual([off.id, deleted.id].sort());
  // As the process would that stored them.
  for (const { id } of [off, deleted]) {
    const rows = await account.deliveries(id);
    expect(rows).toHaveLength(2);
    webhooks.post(
      {
        storedAt: Date.now(),
        deliveries: rows.map(({ event_id }) => ({ eventId: event_id, endpointId: id })),
        bodies: rows.map(({ event_id, type }) => ({ id: event_id, type, json: '{}' })),
      },
      account,
    );
  }
  await webhooks.idle();
  expect(outcomes.splice(0)).toEqual(Array.from({ length: 4 }, () => 'switched_off'));
  expect(shop.received).toEqual([]);
  for (const [{ id }, reason] of [
    [off, 'the endpoint was switched off'],
    [deleted, 'the endpoint was deleted'],
  ] as const) {
    const ended = { status: 'failed', attempts: 0, waits: false, last_error: reason };
    expect(await account.deliveries(id)).toEqual([expect.objectContaining(ended), expect.objectContaining(ended)]);
  }
});
