// Several processes on one database, one of them killed; and endpoints that hang beside one that does not.
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { startScript } from '../../support/process.ts';
import { until } from '../../support/wait.ts';
import { ringJson } from './ring.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const first = await testWebhooks(database);
const second = await testWebhooks(database.connect());
const account = await testAccount(database, first.manager);
const script = join(import.meta.dirname, 'deliverer.ts');
const env = { DATABASE_URL: database.url, KEY_RING: ringJson };

afterEach(async () => {
  expect([...first.errors, ...second.errors]).toEqual([]);
  await sql`delete from webhook_delivery`.execute(database.db);
});

const statuses = async () =>
  (
    await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from webhook_delivery group by status order by status`.execute(database.db)
  ).rows;

describe('a process killed between post and mark', () => {
  test('its delivery is posted again by another, with the same id, once its lease ends', async () => {
    let answers = 0;
    shop.answer('/killed', (response) => {
      answers += 1;
      if (answers > 1) response.writeHead(200).end(); // The first answer never comes.
    });
    const { id } = await account.create(shop.url('/killed'));
    const event = await account.event(id);
    const killed = startScript(script, { env });
    await until(() => shop.at('/killed').length === 1, { what: 'the first post', timeoutMs: 10_000 });
    await killed.end('SIGKILL');

    await first.webhooks.sweep(Date.now());
    await first.webhooks.idle();
    expect(shop.at('/killed')).toHaveLength(1); // The lease of the dead still holds.
    first.ahead.ms = first.webhooks.settings.leaseMs + 1_000;
    await first.webhooks.sweep(Date.now() + first.ahead.ms);
    await first.webhooks.idle();
    first.ahead.ms = 0;
    expect(shop.at('/killed').map((post) => post.headers['webhook-id'])).toEqual([event.id, event.id]);
    expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});

describe('several processes', () => {
  test('sweep together and post each row once', async () => {
    const endpoints = await Promise.all(['/a', '/b', '/c'].map((path) => account.create(shop.url(`/shared${path}`))));
    const due = Date.now();
    for (let n = 0; n < 100; n += 1) await Promise.all(endpoints.map(({ id }) => account.event(id, due)));
    const third = startScript(script, { env });
    const all = [first, second].map(({ webhooks }) => webhooks);
    await until(
      async () => {
        await Promise.all(all.map((each) => each.sweep(Date.now())));
        return JSON.stringify(await statuses()) === '[{"status":"delivered","n":300}]';
      },
      { what: 'all rows to be delivered', timeoutMs: 15_000 },
    );
    expect(await third.exit()).toMatchObject({ code: 0 });
    await Promise.all(all.map((each) => each.idle()));
    const posts = shop.received.filter(({ path }) => path.startsWith('/shared'));
    expect(posts).toHaveLength(300);
    expect(new Set(posts.map((post) => `${post.path} ${post.headers['webhook-id']}`)).size).toBe(300);
  });

  test('a mark that comes too late does not undo a delivery', async () => {
    let release = () => {};
    shop.answer('/late', (response) => {
      if (shop.at('/late').length === 1) release = () => response.writeHead(500).end();
      else response.writeHead(200).end();
    });
    const { id } = await account.create(shop.url('/late'));
    await account.event(id);
    await first.webhooks.sweep(Date.now());
    await until(() => shop.at('/late').length === 1, { what: 'the slow post' });
    second.ahead.ms = second.webhooks.settings.leaseMs + 1_000; // To the second process the first one's lease is over.
    await second.webhooks.sweep(Date.now() + second.ahead.ms);
    await second.webhooks.idle();
    second.ahead.ms = 0;
    release();
    await first.webhooks.idle();
    expect(await account.one(id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      due_in_ms: null,
      last_status: 200,
    });
  });

  test('nor does a late success get lost', async () => {
    let release = () => {};
    shop.answer('/later', (response) => {
      if (shop.at('/later').length === 1) release = () => response.writeHead(200).end();
      else response.writeHead(500).end();
    });
    const { id } = await account.create(shop.url('/later'));
    await account.event(id);
    await first.webhooks.sweep(Date.now());
    await until(() => shop.at('/later').length === 1, { what: 'the slow post' });
    second.ahead.ms = second.webhooks.settings.leaseMs + 1_000;
    await second.webhooks.sweep(Date.now() + second.ahead.ms);
    await second.webhooks.idle();
    second.ahead.ms = 0;
    expect(await account.one(id)).toMatchObject({ status: 'pending', attempts: 1 });
    release();
    await first.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'delivered', due_in_ms: null });
  });
});

describe('a burst', () => {
  test('beyond what fits is due again at once, not only when its lease ends', async () => {
    const small = await testWebhooks(database, { queue: { maxWaitingPerEndpoint: 5, maxInFlightPerEndpoint: 1 } });
    const { id } = await account.create(shop.url('/burst'));
    const leaseUntil = Date.now() + small.webhooks.settings.leaseMs;
    const events = await Promise.all(Array.from({ length: 20 }, () => account.event(id, leaseUntil)));
    const deliveries = events.map((event) => ({ eventId: event.id, endpointId: id }));
    small.webhooks.post(deliveries, events, account);
    await until(
      async () => {
        await small.webhooks.sweep(Date.now());
        return JSON.stringify(await statuses()) === '[{"status":"delivered","n":20}]';
      },
      { what: 'all of the burst to be delivered' },
    );
    expect(shop.at('/burst')).toHaveLength(20);
    expect(small.outcomes).toContain('left full');
  });
});

describe('endpoints that hang', () => {
  test('do not starve others, even in front of a backlog of hundreds', async () => {
    const small = { maxInFlight: 6, maxInFlightPerEndpoint: 2, maxWaiting: 400, maxWaitingPerEndpoint: 20 };
    const crowd = await testWebhooks(database, { queue: small });
    const hanging = await Promise.all(['/h1', '/h2'].map((path) => account.create(shop.url(path))));
    for (const path of ['/h1', '/h2']) shop.answer(path, () => {});
    const due = Date.now() - 1_000;
    for (let n = 0; n < 150; n += 1) await Promise.all(hanging.map(({ id }) => account.event(id, due)));
    const well = await account.create(shop.url('/well'));
    for (let n = 0; n < 10; n += 1) await account.event(well.id, due + 1);

    await crowd.webhooks.sweep(Date.now());
    await until(() => shop.at('/well').length === 10, { what: 'the healthy endpoint to be served' });
    expect(shop.at('/h1').length).toBe(2);
    await until(() => crowd.webhooks.held.inFlight === 4, { what: 'those that hang to be alone' });
    // One claim showed that they are full; what did not fit is due again, the rest of their backlog was not even touched.
    await until(async () => (await crowd.webhooks.overdue()).count === 300 - 4 - crowd.webhooks.held.waiting, {
      what: 'what did not fit to be due',
    });
    await crowd.webhooks.stop(0);
    expect(crowd.webhooks.held).toEqual({ waiting: 0, inFlight: 0 });
    expect(crowd.outcomes.filter((outcome) => outcome === 'left stopped')).toHaveLength(4);
    // What was broken off or never begun is as it was: it will be swept up.
    expect(await statuses()).toEqual([
      { status: 'delivered', n: 10 },
      { status: 'pending', n: 300 },
    ]);
    expect(await account.deliveries(hanging[0]!.id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ attempts: 0 })]),
    );
  });

  test('are left alone for longer the longer they have been failing', async () => {
    const crowd = await testWebhooks(database, { queue: { maxWaitingPerEndpoint: 20 } });
    const { id } = await account.create(shop.url('/h3'));
    shop.answer('/h3', () => {});
    await sql`update webhook_endpoint set failing_since = now() - interval '5 hours' where id = ${id}`.execute(
      database.db,
    );
    const due = Date.now() - 1_000;
    for (let n = 0; n < 250; n += 1) await account.event(id, due);
    await crowd.webhooks.sweep(Date.now());
    await crowd.webhooks.stop(0);
    const waits = (await account.deliveries(id)).map(({ due_in_ms }) => Math.round((due_in_ms ?? 0) / 60_000));
    expect(waits.filter((minutes) => minutes === 30)).toHaveLength(50);
    expect(waits.filter((minutes) => minutes <= 1)).toHaveLength(200); // leased
  });

  test('a row whose lease is too short for an answer is left to the sweep', async () => {
    const { id } = await account.create(shop.url('/short'));
    const event = await account.event(id, Date.now() + 250);
    const { accountId } = account;
    first.outcomes.length = 0;
    first.webhooks.enqueue([
      { accountId, eventId: event.id, endpointId: id, body: event.json, attempts: 0, leaseUntil: Date.now() + 15_000 },
    ]);
    await first.webhooks.idle();
    expect(first.outcomes).toEqual(['left lease']);
    expect(shop.at('/short')).toEqual([]);
    expect(await first.webhooks.overdue()).toMatchObject({ count: 0, oldestDueAt: null });
    await until(async () => (await first.webhooks.overdue()).count === 1, { what: 'the row to be due' });
  });
});
