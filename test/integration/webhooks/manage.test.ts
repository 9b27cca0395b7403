// What the API does: endpoints and deliveries of one account and mode, redelivery, test events.
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../src/db/changes.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { emitAccountEvent } from '../../../src/engine/webhooks/account-events.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { ids, receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const { webhooks, manager, errors } = await testWebhooks(database);
const { deliveries } = webhooks;
const account = await testAccount(database, manager);
const stranger = await testAccount(database, manager);
const test_mode = { accountId: account.accountId, mode: 'test' as const, actor: tester };
const { manager: guarded } = await testWebhooks(database, { allowPrivate: false, mostEndpoints: 2 });

afterEach(async () => {
  await webhooks.idle();
  expect(errors).toEqual([]);
});

const sweep = async () => {
  await webhooks.sweep(Date.now());
  await webhooks.idle();
};
const page = { limit: 100, before: null, status: null };

describe('endpoints', () => {
  test('are seen by their account and mode only, and never with their secret', async () => {
    const { id } = await account.create(shop.url('/x'), ['receipt.updated']);
    const endpoint = await manager.get(account, id);
    expect(endpoint).toMatchObject({ id, url: shop.url('/x'), eventTypes: ['receipt.updated'], enabled: true });
    expect(JSON.stringify(endpoint)).not.toMatch(/whsec|"secret"|previousSecret"/);
    for (const other of [stranger, test_mode]) {
      expect(await manager.get(other, id)).toBeNull();
      expect(await manager.update(other, id, { description: 'mine' })).toEqual({ kind: 'not_found' });
      expect(await manager.rotateSecret(other, id)).toEqual({ kind: 'not_found' });
      expect(await manager.remove(other, id)).toBe(false);
      expect(await deliveries.list(other, id, page)).toBeNull();
      expect(await deliveries.redeliver(other, id, 'evt_x')).toEqual({ kind: 'endpoint_not_found' });
      expect(await deliveries.sendTest(other, id, { type: 'x', data: {} })).toEqual({ kind: 'not_found' });
    }
  });

  test('an update changes what is given; switching off says by whom', async () => {
    const { id } = await account.create(shop.url('/y'), ['receipt.updated']);
    expect(await manager.update(account, id, { description: 'shop' })).toMatchObject({
      kind: 'updated',
      endpoint: { description: 'shop', eventTypes: ['receipt.updated'], enabled: true },
    });
    expect(await manager.update(account, id, { eventTypes: [], enabled: false })).toMatchObject({
      endpoint: { description: 'shop', eventTypes: [], enabled: false, disabledReason: 'by_client' },
    });
  });

  test('are listed newest first, in pages', async () => {
    const made = [];
    for (let n = 0; n < 3; n += 1) made.unshift((await stranger.create(shop.url(`/${n}`))).id);
    const first = await manager.list(stranger, { limit: 2, before: null });
    const second = await manager.list(stranger, { limit: 2, before: first.next });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.sort().reverse());
    expect([first.items.length, second.next]).toEqual([2, null]);
  });

  test('bad addresses are refused, on creation and on change; so is one too many', async () => {
    const owner = await testAccount(database, manager);
    const made = { description: '', eventTypes: [] };
    const refused = { kind: 'refused', reason: 'must be a public address' };
    expect(await guarded.create(owner, { ...made, url: 'https://10.0.0.1/' })).toEqual(refused);
    const created = await guarded.create(owner, { ...made, url: 'https://shop.example/' });
    if (created.kind !== 'created') throw new Error(created.kind);
    expect(await guarded.update(owner, created.endpoint.id, { url: 'https://10.0.0.1/' })).toEqual(refused);
    await guarded.create(owner, { ...made, url: 'https://shop.example/' });
    expect(await guarded.create(owner, { ...made, url: 'https://shop.example/' })).toEqual({
      kind: 'too_many',
      most: 2,
    });
  });

  test('an account that waits for approval has few: each event is stored for each of them, and anyone has such an account', async () => {
    const owner = await testAccount(database, manager);
    const approve = (at: Date | null) =>
      sql`update account set approved_at = ${at} where id = ${owner.accountId}`.execute(database.db);
    await approve(null);
    const made = { url: shop.url('/waits'), description: '', eventTypes: [] };
    const create = async () => (await manager.create(owner, made)).kind;
    expect([await create(), await create(), await create()]).toEqual(['created', 'created', 'created']);
    expect(await manager.create(owner, made)).toEqual({ kind: 'too_many', most: 3 });
    await approve(new Date());
    expect(await create()).toBe('created');
  });
});

describe('deliveries', () => {
  test('are listed newest first, in pages, by status', async () => {
    shop.answer('/list', (response) => response.writeHead(shop.at('/list').length === 1 ? 500 : 200).end());
    const { id } = await account.create(shop.url('/list'));
    for (let n = 0; n < 3; n += 1) {
      await account.event(id);
      await sweep();
    }
    const all = await deliveries.list(account, id, page);
    expect(all?.items.map(({ eventId }) => eventId)).toEqual(
      shop
        .at('/list')
        .map((post) => post.headers['webhook-id'])
        .sort()
        .reverse(),
    );
    const first = await deliveries.list(account, id, { ...page, limit: 2 });
    const second = await deliveries.list(account, id, { ...page, limit: 2, before: first?.next ?? null });
    expect([...first!.items, ...second!.items]).toEqual(all?.items);
    expect(second?.next).toBeNull();
    const pending = await deliveries.list(account, id, { ...page, status: 'pending' });
    expect(pending?.items).toMatchObject([
      { attempts: 1, lastStatus: 500, type: 'session.verified', deliveredAt: null },
    ]);
  });

  test('one is sent again at once with the same id and body, whatever became of it', async () => {
    const { id } = await account.create(shop.url('/redeliver'));
    const event = await account.event(id);
    await sweep();
    expect(await deliveries.redeliver(account, id, event.id)).toMatchObject({
      kind: 'queued',
      delivery: { status: 'pending' },
    });
    await webhooks.idle();
    const [first, second] = shop.at('/redeliver');
    expect([second?.headers['webhook-id'], second?.body]).toEqual([first?.headers['webhook-id'], first?.body]);
    expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(await deliveries.redeliver(account, id, 'evt_none')).toEqual({ kind: 'delivery_not_found' });
  });

  test('one that is sent again is due at once, and says no time while it is under way', async () => {
    const { id } = await account.create(shop.url('/due'));
    let answer = () => {};
    shop.answer('/due', (response) => {
      answer = () => response.writeHead(500).end();
    });
    const listed = async () => (await deliveries.list(account, id, page))?.items[0]?.nextAt;
    const retryAt = Date.now() + 3_600_000;
    const waiting = await account.event(id, retryAt);
    expect(await listed()).toBe(retryAt);
    const before = Date.now();
    const queued = await deliveries.redeliver(account, id, waiting.id);
    const nextAt = queued.kind === 'queued' ? queued.delivery.nextAt : null;
    expect(nextAt).toBeGreaterThanOrEqual(before);
    expect(nextAt).toBeLessThanOrEqual(Date.now());
    await until(() => shop.at('/due').length > 0, { what: 'the post' });
    expect(await listed()).toBeNull();
    answer();
    await webhooks.idle();
    expect(await listed()).toBeGreaterThan(Date.now());
  });

  test('one that waits for its retry is sent now, one on its way is not sent twice', async () => {
    const { id } = await account.create(shop.url('/hurry'));
    let answer = () => {};
    shop.answer('/hurry', (response) => {
      answer = () => response.writeHead(204).end();
    });
    const waiting = await account.event(id, Date.now() + 3_600_000);
    await deliveries.redeliver(account, id, waiting.id);
    expect(await deliveries.redeliver(account, id, waiting.id)).toMatchObject({ kind: 'queued' });
    await until(() => shop.at('/hurry').length > 0, { what: 'the post' });
    answer();
    await webhooks.idle();
    expect(shop.at('/hurry')).toHaveLength(1);
    await manager.update(account, id, { enabled: false });
    expect(await deliveries.redeliver(account, id, waiting.id)).toEqual({ kind: 'endpoint_disabled' });
  });
});

describe('events that are about no session', () => {
  test('are posted to the endpoints that want them', async () => {
    const owner = await testAccount(database, manager);
    const { secret } = await owner.create(shop.url('/all'));
    await owner.create(shop.url('/picky'), ['receipt.updated']);
    const { accountId, mode } = owner;
    const event = { accountId, mode, type: 'sender_id.decided', at: Date.now(), data: { name: 'MyShop' } };
    await inTransaction(withSchema(database.db), (tx) => emitAccountEvent(tx, ids, event));
    await sweep();
    const [post] = shop.at('/all');
    expect(new Webhook(secret).verify(post!.body, post!.headers)).toMatchObject({
      type: 'sender_id.decided',
      test: false,
    });
    expect(shop.at('/picky')).toEqual([]);
  });
});

describe('a test event', () => {
  const example = { type: 'receipt.updated', data: { status: 'DELIVRD' } };

  test('is posted once, signed, and leaves nothing behind', async () => {
    const { id, secret } = await account.create(shop.url('/test'));
    const result = await deliveries.sendTest(account, id, example);
    expect(result).toEqual({
      kind: 'tested',
      delivered: true,
      status: 204,
      durationMs: expect.any(Number),
      error: null,
    });
    const [post] = shop.at('/test');
    expect(new Webhook(secret).verify(post!.body, post!.headers)).toMatchObject({ ...example, session_sequence: 0 });
    expect(await account.deliveries(id)).toEqual([]);
  });

  test('tells what came back, and holds nothing against the endpoint', async () => {
    shop.answer('/test-down', (response) => response.writeHead(410).end());
    const { id } = await account.create(shop.url('/test-down'));
    expect(await deliveries.sendTest(account, id, example)).toMatchObject({
      kind: 'tested',
      delivered: false,
      status: 410,
      error: 'the endpoint answered 410',
    });
    expect(await manager.get(account, id)).toMatchObject({ enabled: true, failingSince: null });
  });

  test('one at a time', async () => {
    const { id } = await account.create(shop.url('/test-twice'));
    let answer = () => {};
    shop.answer('/test-twice', (response) => {
      answer = () => response.writeHead(204).end();
    });
    const first = deliveries.sendTest(account, id, example);
    await until(() => shop.at('/test-twice').length === 1, { what: 'the first test' });
    expect(await deliveries.sendTest(account, id, example)).toEqual({ kind: 'busy' });
    answer();
    expect(await first).toMatchObject({ kind: 'tested', delivered: true });
  });
});
