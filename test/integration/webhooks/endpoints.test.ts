// What happens to endpoints: their secrets rotate, they are switched off, deleted, changed.
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { runMaintenance } from '../../../src/engine/fleet/maintenance.ts';
import { HeldEndpoints } from '../../../src/engine/webhooks/held-endpoints.ts';
import { testDatabase } from '../../support/database.ts';
import { readRing, ringJson } from './ring.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const { webhooks, manager, errors, outcomes, switchedOff, ahead } = await testWebhooks(database);
/** Another process: it hears of changes by the counter only. */
const other = await testWebhooks(database.connect());

const hour = 3_600_000;
const sweep = async (aheadMs = 0) => {
  ahead.ms = aheadMs;
  await webhooks.sweep(Date.now() + aheadMs);
  await webhooks.idle();
};
const changes = async () =>
  (await sql<{ value: number }>`select value from change_counter where name = 'accounts'`.execute(database.db)).rows[0]
    ?.value;
const stored = async (id: string) =>
  (
    await sql<{ enabled: boolean; disabled_reason: string | null; failing_since: Date | null }>`
    select enabled, disabled_reason, failing_since from webhook_endpoint where id = ${id}`.execute(database.db)
  ).rows[0];
/** Lets it have failed for so many hours more. */
const passes = (id: string) => (hours: number) =>
  sql`update webhook_endpoint set failing_since = failing_since - ${hours} * interval '1 hour' where id = ${id}`.execute(
    database.db,
  );

afterEach(async () => {
  await webhooks.idle();
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
  expect(errors).toEqual([]);
  outcomes.length = 0;
  switchedOff.length = 0;
  ahead.ms = 0;
});

describe('secrets', () => {
  test('while one rotates both verify; afterwards only the new one', async () => {
    const account = await testAccount(database, manager);
    const { id, secret: old } = await account.create(shop.url('/rotate'));
    await account.event(id);
    await other.webhooks.sweep(Date.now()); // The other process now holds the old secret.
    await other.webhooks.idle();

    const before = await changes();
    const rotated = await manager.rotateSecret(account, id);
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
    expect(await changes()).toBeGreaterThan(before ?? 0);
    other.webhooks.clear();
    for (const process of [webhooks, other.webhooks]) {
      await account.event(id);
      await process.sweep(Date.now());
      await process.idle();
    }
    const [first, ...both] = shop.at('/rotate');
    expect(() => new Webhook(rotated.secret).verify(first!.body, first!.headers)).toThrow();
    expect(both).toHaveLength(2);
    for (const post of both) {
      for (const secret of [old, rotated.secret])
        expect(new Webhook(secret).verify(post.body, post.headers)).toBeTruthy();
      expect(post.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    }

    await account.event(id);
    await sweep(24 * hour + 1_000);
    expect(shop.at('/rotate').at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  test('a leaked secret can be dropped at once', async () => {
    const account = await testAccount(database, manager);
    const { id, secret: leaked } = await account.create(shop.url('/leak'));
    await manager.rotateSecret(account, id, 0);
    await account.event(id);
    await sweep();
    const [post] = shop.at('/leak');
    expect(() => new Webhook(leaked).verify(post!.body, post!.headers)).toThrow();
  });

  test('of two rotations in a row the last two secrets sign', async () => {
    const account = await testAccount(database, manager);
    const { id, secret: first } = await account.create(shop.url('/twice'));
    const [second, third] = [await manager.rotateSecret(account, id), await manager.rotateSecret(account, id)];
    if (second.kind !== 'rotated' || third.kind !== 'rotated') throw new Error('not rotated');
    await account.event(id);
    await sweep();
    const [post] = shop.at('/twice');
    for (const { secret } of [second, third]) new Webhook(secret).verify(post!.body, post!.headers);
    expect(() => new Webhook(first).verify(post!.body, post!.headers)).toThrow();
  });

  test('one whose time is over is deleted by the next hourly turn, and forgotten by every process', async () => {
    const account = await testAccount(database, manager);
    const [ended, kept] = [await account.create(shop.url('/ended')), await account.create(shop.url('/kept'))];
    for (const { id } of [ended, kept]) await manager.rotateSecret(account, id);
    await sql`update webhook_endpoint set previous_secret_expires_at = now() - interval '1 second' where id = ${ended.id}`.execute(
      database.db,
    );
    // Until then it is opened for nobody.
    const held = new HeldEndpoints({ home: database.lanes, ring: readRing(ringJson), now: Date.now });
    expect((await held.get(ended.id))?.previous).toBeNull();
    expect((await held.get(kept.id))?.previous).not.toBeNull();

    const maintain = () =>
      runMaintenance(database.db, Date.now(), { retentionDays: 30, reportRetentionDays: 90, auditRetentionDays: 400 });
    const before = await changes();
    await maintain();
    const { rows } = await sql<{ id: string; previous_secret: string | null; previous_secret_expires_at: Date | null }>`
      select id, previous_secret, previous_secret_expires_at from webhook_endpoint
      where account_id = ${account.accountId} order by id`.execute(database.db);
    expect(rows).toEqual([
      { id: ended.id, previous_secret: null, previous_secret_expires_at: null },
      { id: kept.id, previous_secret: expect.any(String), previous_secret_expires_at: expect.any(Date) },
    ]);
    const after = await changes();
    expect(after).toBeGreaterThan(before ?? 0);
    await maintain(); // Nothing has ended since, so nobody forgets anything.
    expect(await changes()).toBe(after);
  });

  test('a change of one account forgets its endpoints alone, also one that is being read', async () => {
    const [mine, other] = [await testAccount(database, manager), await testAccount(database, manager)];
    const [own, otherOne] = [await mine.create(shop.url('/mine')), await other.create(shop.url('/theirs'))];
    const held = new HeldEndpoints({ home: database.lanes, ring: readRing(ringJson), now: Date.now });
    const before = [await held.get(own.id), await held.get(otherOne.id)];
    held.clear(mine.accountId);
    expect(held.hostOf(own.id)).toBeNull();
    expect(held.hostOf(otherOne.id)).not.toBeNull();
    const reading = held.get(own.id);
    expect(await held.get(otherOne.id)).toBe(before[1]);
    held.clear(mine.accountId);
    const after = held.get(own.id);
    expect(after).not.toBe(reading);
    expect(await after).not.toBe(await reading);
  });

  test('are stored sealed, bound to their endpoint; one that does not open sends nothing', async () => {
    const account = await testAccount(database, manager);
    const one = await account.create(shop.url('/sealed'));
    const two = await account.create(shop.url('/sealed'));
    const { rows } = await sql<{ secret: string }>`select secret from webhook_endpoint where id = ${one.id}`.execute(
      database.db,
    );
    expect(rows[0]?.secret).not.toContain(one.secret.slice(6));
    await sql`update webhook_endpoint set secret = ${rows[0]?.secret} where id = ${two.id}`.execute(database.db);
    await account.event(two.id);
    await sweep();
    expect(shop.at('/sealed')).toEqual([]);
    expect(errors.splice(0)).toMatchObject([{ endpoint_id: two.id }]);
    expect(await account.one(two.id)).toMatchObject({ status: 'pending', attempts: 0 });
  });
});

describe('a secret whose key was lost', () => {
  test('is one line in the log, however much waits for it; the account is told, and a new secret sends it', async () => {
    const account = await testAccount(database, manager);
    const { id } = await account.create(shop.url('/lost-key'));
    await sql`update webhook_endpoint set secret = 'v1:gone:00:00' where id = ${id}`.execute(database.db);
    webhooks.clear();
    for (let n = 0; n < 50; n += 1) await account.event(id);
    for (const aheadMs of [0, 31_000, 62_000]) await sweep(aheadMs);
    expect(errors.splice(0)).toMatchObject([{ endpoint_id: id }]);
    const told = 'its signing secret can not be opened by this service: rotate it';
    for (const each of await account.deliveries(id))
      expect(each).toMatchObject({ status: 'pending', attempts: 0, last_status: null, last_error: told });
    const tested = await webhooks.deliveries.sendTest(account, id, { type: 'x', data: {} });
    expect(tested).toMatchObject({ kind: 'tested', delivered: false, status: null, error: told });
    expect(shop.at('/lost-key')).toEqual([]);
    expect(await stored(id)).toMatchObject({ enabled: true, failing_since: null });

    const rotated = await manager.rotateSecret(account, id);
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
    await sweep(150_000);
    const posts = shop.at('/lost-key');
    expect(posts).toHaveLength(50);
    for (const { body, headers } of posts) new Webhook(rotated.secret).verify(body, headers);
  });

  test('is tried again the later the older its event is', async () => {
    const account = await testAccount(database, manager);
    const { id } = await account.create(shop.url('/lost-key'));
    await sql`update webhook_endpoint set secret = 'v1:gone:00:00' where id = ${id}`.execute(database.db);
    webhooks.clear();
    await account.event(id);
    const waits: number[] = [];
    for (const aheadMs of [0, hour, 30 * hour]) {
      await sweep(aheadMs);
      waits.push(((await account.one(id)).due_in_ms ?? 0) - aheadMs);
    }
    expect(waits.map((ms) => Math.round(ms / 10_000))).toEqual([3, 36, 360]);
    errors.length = 0;
  });
});

describe('switched off', () => {
  test('410: at once, with everything it still had to get; the others are told', async () => {
    shop.answer('/gone', (response) => response.writeHead(410).end());
    const account = await testAccount(database, manager);
    const gone = await account.create(shop.url('/gone'));
    const told = await account.create(shop.url('/told'));
    await account.create(shop.url('/deaf'), ['session.verified']);
    const off = await account.create(shop.url('/off'));
    await manager.update(account, off.id, { enabled: false });
    const foreign = await (await testAccount(database, manager)).create(shop.url('/foreign'));
    await account.event(gone.id, Date.now() + hour); // waits for its retry
    await account.event(gone.id);
    const before = await changes();
    await sweep();

    expect(await stored(gone.id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    expect(switchedOff).toEqual(['gone']);
    expect(await changes()).toBeGreaterThan(before ?? 0);
    // Two ids of one millisecond sort at random.
    const rows = (await account.deliveries(gone.id)).sort((a, b) => a.attempts - b.attempts);
    expect(rows).toMatchObject([
      { status: 'failed', attempts: 0, due_in_ms: null, last_error: 'the endpoint was switched off: it answered 410' },
      { status: 'failed', attempts: 1, due_in_ms: null, last_status: 410, last_error: 'the endpoint answered 410' },
    ]);
    const [post] = shop.at('/told');
    const event = new Webhook(told.secret).verify(post!.body, post!.headers);
    expect(event).toMatchObject({
      type: 'endpoint.disabled',
      account_id: account.accountId,
      session_sequence: 0,
      data: { endpoint_id: gone.id, url: shop.url('/gone'), reason: 'gone', disabled_at: expect.any(String) },
    });
    expect([...shop.at('/deaf'), ...shop.at('/off'), ...shop.at('/foreign')]).toEqual([]);
    expect((await account.one(told.id)).status).toBe('delivered');
    expect(await account.deliveries(foreign.id)).toEqual([]);
  });

  test('after five days of nothing but failure, and not if one success came between', async () => {
    let status = 500;
    shop.answer('/failing', (response) => response.writeHead(status).end());
    const account = await testAccount(database, manager);
    const { id } = await account.create(shop.url('/failing'));
    /** The seventh attempt of an event, which may be six days old by then. */
    const attempt = async (aheadMs = 0) => {
      const { id: event } = await account.event(id);
      await sql`update webhook_delivery set attempts = 6 where event_id = ${event}`.execute(database.db);
      await sweep(aheadMs);
      return (await stored(id))?.enabled;
    };
    const pass = passes(id);
    expect(await attempt()).toBe(true);
    expect((await stored(id))?.failing_since).toBeInstanceOf(Date);
    await pass(119);
    expect(await attempt()).toBe(true);
    status = 200;
    await attempt();
    expect(await stored(id)).toEqual({ enabled: true, disabled_reason: null, failing_since: null });
    status = 500;
    expect(await attempt()).toBe(true);
    // A host whose clock jumped ahead: the database's says that it has failed for no time at all.
    expect(await attempt(6 * 24 * hour)).toBe(true);
    await pass(119);
    expect(await attempt()).toBe(true);
    await pass(2);
    expect(await attempt()).toBe(false);
    expect(await stored(id)).toMatchObject({ enabled: false, disabled_reason: 'failing' });

    const again = await manager.update(account, id, { enabled: true });
    expect(again).toMatchObject({
      kind: 'updated',
      endpoint: { enabled: true, disabledReason: null, failingSince: null },
    });
  });

  test('not by one failure after weeks without an event: its delivery is tried again', async () => {
    shop.answer('/rare', (response) => response.writeHead(502).end());
    const account = await testAccount(database, manager);
    const { id } = await account.create(shop.url('/rare'));
    await account.event(id);
    await sweep();
    await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
    await passes(id)(20 * 24);
    await account.event(id);
    await sweep();
    expect(await stored(id)).toMatchObject({ enabled: true, disabled_reason: null });
    expect(await account.one(id)).toMatchObject({ status: 'pending', attempts: 1, last_status: 502, waits: true });
    expect(switchedOff).toEqual([]);
  });

  test.each([
    ['its ten attempts used up', 10],
    ['parked after six', 6],
  ])('not by one redelivery of an old event, %s', async (_, attempts) => {
    shop.answer('/old', (response) => response.writeHead(502).end());
    const account = await testAccount(database, manager);
    const { id } = await account.create(shop.url('/old'));
    const { id: event } = await account.event(id);
    await sweep();
    await sql`update webhook_delivery set status = 'failed', attempts = ${attempts}`.execute(database.db);
    await sql`truncate webhook_retry`.execute(database.db);
    const days = 11;
    await passes(id)(days * 24);
    ahead.ms = days * 24 * hour;
    await webhooks.deliveries.redeliver(account, id, event);
    await webhooks.idle();
    expect(await account.one(id)).toMatchObject({ attempts: attempts + 1, last_status: 502 });
    expect(await stored(id)).toMatchObject({ enabled: true, disabled_reason: null });
    expect(switchedOff).toEqual([]);
  });

  test('by the client or deleted: what was due is finished unsent, also by a process that must hear of it first', async () => {
    const account = await testAccount(database, manager);
    const off = await account.create(shop.url('/unwanted'));
    const deleted = await account.create(shop.url('/unwanted'));
    // Posted to once, the process holds them in memory.
    for (const { id } of [off, deleted]) await other.webhooks.deliveries.sendTest(account, id, { type: 'x', data: {} });
    expect(shop.received.splice(0)).not.toEqual([]);
    await manager.update(account, off.id, { enabled: false });
    expect(await manager.remove(account, deleted.id)).toBe(true);
    other.webhooks.clear();
    await account.event(off.id);
    await account.event(deleted.id);
    await other.webhooks.sweep(Date.now());
    await other.webhooks.idle();
    expect(shop.at('/unwanted')).toEqual([]);
    expect(await account.one(off.id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      last_error: 'the endpoint was switched off',
    });
    expect(await account.one(deleted.id)).toMatchObject({ status: 'failed', last_error: 'the endpoint was deleted' });
  });

  test('not when its address was changed while the answer was under way', async () => {
    const account = await testAccount(database, manager);
    shop.answer('/old', async (response) => {
      await manager.update(account, id, { url: shop.url('/new') });
      response.writeHead(410).end();
    });
    const { id } = await account.create(shop.url('/old'));
    const event = await account.event(id);
    await sweep();
    expect(await stored(id)).toMatchObject({ enabled: true });
    await sweep(6_000);
    expect(shop.at('/new').map((post) => post.headers['webhook-id'])).toEqual([event.id]);
  });
});
