// A replay: what was delivered and what failed in a time goes out once more, as it was; what is on its way is left alone, and a call that
// stopped is gone on with.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { lowestId } from '../../../src/core/ids.ts';
import { webhookAttempts } from '../../../src/core/webhooks/retry.ts';
import { rowsPerPage } from '../../../src/db/verify/list.ts';
import { mostReplayed } from '../../../src/engine/webhooks/replay.ts';
import { testDatabase } from '../../support/database.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const { webhooks, manager, errors } = await testWebhooks(database);
const { deliveries } = webhooks;
const account = await testAccount(database, manager);

afterEach(async () => {
  await webhooks.idle();
  expect(errors).toEqual([]);
});

const sweep = async () => {
  await webhooks.sweep(Date.now());
  await webhooks.idle();
};

const hourMs = 3_600_000;
const asked = (endpointId: string, more = {}) => {
  const now = Date.now();
  const span = { since: now - hourMs, until: now + 1_000 };
  return { endpointId, ...span, eventTypes: [], status: null, after: null, startedAt: now + 1, ...more };
};

test('what was delivered and what failed goes out once more, with the same ids and bodies, the oldest first', async () => {
  const { id } = await account.create(shop.url('/again'));
  const events = [await account.event(id), await account.event(id), await account.event(id)];
  await sweep();
  await sql`update webhook_delivery set status = 'failed' where event_id = ${events[1]?.id}`.execute(database.db);
  const waiting = await account.event(id, Date.now() + hourMs);
  expect(await deliveries.replay(account, asked(id))).toEqual({ kind: 'queued', count: 3, next: null });
  expect((await account.deliveries(id)).map(({ status }) => status)).toEqual(Array(4).fill('pending'));
  // It is on its way: asking again takes up nothing.
  expect(await deliveries.replay(account, asked(id))).toMatchObject({ count: 0 });
  await sweep();
  const posts = shop.at('/again').map(({ headers, body }) => [headers['webhook-id'], body]);
  expect(posts).toHaveLength(6);
  expect(posts.slice(3).sort()).toEqual(events.map(({ id: event, json }) => [event, json]).sort());
  expect((await account.deliveries(id)).map(({ attempts, status }) => [attempts, status])).toEqual([
    [2, 'delivered'],
    [2, 'delivered'],
    [2, 'delivered'],
    [0, 'pending'],
  ]);
  expect(waiting.id).toBe((await account.deliveries(id)).at(-1)?.event_id);
});

test('what had used up its attempts is posted once, and failed again where that fails', async () => {
  let status = 503;
  shop.answer('/used-up', (response) => response.writeHead(status).end());
  const { id } = await account.create(shop.url('/used-up'));
  const { id: eventId } = await account.event(id);
  await sweep();
  await sql`delete from webhook_retry where endpoint_id = ${id}`.execute(database.db);
  await sql`update webhook_delivery set attempts = ${webhookAttempts}, status = 'failed' where endpoint_id = ${id}`.execute(
    database.db,
  );
  expect(await deliveries.replay(account, asked(id))).toMatchObject({ count: 1 });
  await sweep();
  const failed = { status: 'failed', waits: false, last_status: 503 };
  expect(await account.one(id)).toMatchObject({ ...failed, attempts: webhookAttempts + 1 });
  expect(await deliveries.redeliver(account, id, eventId)).toMatchObject({ kind: 'queued' });
  await webhooks.idle();
  expect(await account.one(id)).toMatchObject({ ...failed, attempts: webhookAttempts + 2 });
  // So a receiver that works again gets it by a replay of what failed.
  status = 204;
  expect(await deliveries.replay(account, asked(id, { status: 'failed' }))).toMatchObject({ count: 1 });
  await sweep();
  expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: webhookAttempts + 3 });
  expect(shop.at('/used-up')).toHaveLength(4);
});

test('of that time, those types and that status alone', async () => {
  const { id } = await account.create(shop.url('/some'));
  const [first, second] = [await account.event(id), await account.event(id)];
  await sweep();
  await sql`update webhook_delivery set type = 'receipt.updated', status = 'failed' where event_id = ${second.id}`.execute(
    database.db,
  );
  const count = async (more: object) => {
    const outcome = await deliveries.replay(account, asked(id, more));
    await sweep();
    return outcome.kind === 'queued' ? outcome.count : outcome.kind;
  };
  expect(await count({ until: Date.now() - hourMs / 2 })).toBe(0);
  expect(await count({ eventTypes: ['session.canceled'] })).toBe(0);
  expect(await count({ status: 'failed', eventTypes: ['session.verified'] })).toBe(0);
  expect(await count({ status: 'failed' })).toBe(1);
  expect(await count({ eventTypes: ['session.verified', 'session.expired'] })).toBe(1);
  const at = shop.at('/some').map(({ headers }) => headers['webhook-id']);
  expect(at.sort()).toEqual([first.id, second.id, first.id, second.id].sort());
});

test('of a time before there were any events nothing is taken up', async () => {
  const { id } = await account.create(shop.url('/never'));
  const span = { since: Date.UTC(1, 0, 1), until: Date.UTC(1960, 0, 1) };
  expect(await deliveries.replay(account, asked(id, span))).toEqual({ kind: 'queued', count: 0, next: null });
});

test('what was delivered since a replay began is not taken up by a later call of it', async () => {
  const { id } = await account.create(shop.url('/once'));
  await account.event(id);
  await sweep();
  const startedAt = Date.now() + 1;
  expect(await deliveries.replay(account, asked(id, { startedAt }))).toMatchObject({ count: 1 });
  await sweep();
  await sql`update webhook_delivery set delivered_at = now() + interval '1 second' where endpoint_id = ${id}`.execute(
    database.db,
  );
  expect(await deliveries.replay(account, asked(id, { startedAt }))).toMatchObject({ count: 0 });
  expect(shop.at('/once')).toHaveLength(2);
});

test('a call takes up so many and examines so many, and the next goes on', async () => {
  const { id } = await account.create(shop.url('/many'), ['session.verified']);
  const all = rowsPerPage + mostReplayed + 10;
  const prefix = lowestId('evt_', Date.now() - hourMs / 2).slice(0, 18);
  // The first ones failed, the last ones too; between them what is of another type.
  await sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at)
    select ${account.accountId}, ${prefix} || lpad(n::text, 12, '0'), ${id}, 'live',
      case when n <= ${mostReplayed} or n > ${all - 10} then 'session.verified' else 'session.expired' end, '{}', 'failed',
      now() - interval '30 minutes' from generate_series(1, ${all}) n`.execute(database.db);
  await manager.update(account, id, { url: shop.url('/many') });
  const counts: number[] = [];
  let after: string | null = null;
  do {
    const outcome = await deliveries.replay(account, asked(id, { eventTypes: ['session.verified'], after }));
    if (outcome.kind !== 'queued') throw new Error(outcome.kind);
    counts.push(outcome.count);
    after = outcome.next;
  } while (after !== null && counts.length < 10);
  expect(counts).toEqual([mostReplayed, 0, 10]);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::integer as n from webhook_retry where endpoint_id = ${id}`.execute(database.db);
  expect(rows).toEqual([{ n: mostReplayed + 10 }]);
  await sql`delete from webhook_retry where endpoint_id = ${id}`.execute(database.db);
});

test('of an endpoint that is switched off, deleted or another’s nothing is taken up', async () => {
  const { id } = await account.create(shop.url('/off'));
  await account.event(id);
  await sweep();
  const stranger = await testAccount(database, manager);
  expect(await deliveries.replay(stranger, asked(id))).toEqual({ kind: 'endpoint_not_found' });
  expect(await deliveries.replay({ ...account, mode: 'test' }, asked(id))).toEqual({ kind: 'endpoint_not_found' });
  await manager.update(account, id, { enabled: false });
  expect(await deliveries.replay(account, asked(id))).toEqual({ kind: 'endpoint_disabled' });
  await manager.remove(account, id);
  expect(await deliveries.replay(account, asked(id))).toEqual({ kind: 'endpoint_not_found' });
});
