// One host, many accounts: it gets so much and no more, from all processes; what is over it waits, in order, and holds up nobody.
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { ActingOwner } from '../../../src/engine/webhooks/endpoints.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { receiver, testAccount, testFleet, testWebhooks } from './support.ts';

const database = await testDatabase();
const wide = { deliveriesPerHost: 4, deliveriesPerHostPerSecond: 1_000_000, endpointsPerHost: 1_000 };
const limits = { ...wide };
let processes = 1;
const options = () => ({
  settings: limits,
  fleet: Object.defineProperty(testFleet(), 'alive', { get: () => processes }),
  queue: { maxInFlightPerEndpoint: 50 },
});
const first = await testWebhooks(database, options());
const second = await testWebhooks(database.connect(), options());
const few = { settings: { ...wide, endpointsPerHost: 3 }, allowPrivate: false };
const { manager } = await testWebhooks(database, few);
const accounts = await Promise.all([0, 1, 2].map(() => testAccount(database, first.manager)));
const [one, two, three] = accounts as [(typeof accounts)[0], (typeof accounts)[0], (typeof accounts)[0]];

afterEach(async () => {
  await Promise.all([first, second].map(({ webhooks }) => webhooks.idle()));
  expect([...first.errors, ...second.errors]).toEqual([]);
  Object.assign(limits, wide);
  processes = 1;
});

/** Answers when told to; knows how many requests it held at once. */
async function slowReceiver() {
  const shop = await receiver();
  const held: ServerResponse[] = [];
  let most = 0;
  return {
    ...shop,
    held,
    most: () => most,
    hold(path: string) {
      shop.answer(path, (response) => {
        held.push(response);
        most = Math.max(most, held.length);
      });
    },
    release: () => held.splice(0).forEach((response) => void response.writeHead(204).end()),
  };
}

describe('one host over all accounts', () => {
  test('gets so many posts at once; other hosts get theirs meanwhile; nothing is lost or held against it', async () => {
    const victim = await slowReceiver();
    const paths = ['/a', '/b', '/c'];
    for (const path of paths) victim.hold(path);
    // The same host under other spellings and ports is the same host.
    const elsewhere = await slowReceiver();
    elsewhere.hold('/d');
    const endpoints = await Promise.all([
      one.create(victim.url('/a')),
      two.create(victim.url('/b')),
      three.create(`http://2130706433:${victim.port}/c`),
      three.create(elsewhere.url('/d')),
    ]);
    const other = await one.create(`http://localhost:${victim.port}/other`);
    const owners = [one, two, three, three];
    for (let n = 0; n < 10; n += 1) {
      for (const [at, { id }] of endpoints.entries()) await owners[at]?.event(id);
      await one.event(other.id);
    }
    await first.webhooks.sweep(Date.now());
    await until(() => victim.at('/other').length === 10, { what: 'the other host to have all of its own' });
    const underWay = () => victim.held.length + elsewhere.held.length;
    await until(() => underWay() === 4, { what: 'as many as the host may get' });
    await until(() => first.webhooks.held.inFlight === 4, { what: 'what was answered to be marked' });
    expect(first.webhooks.held.waiting).toBe(36);
    const posts = () => victim.received.length - 10 + elsewhere.received.length;
    let most = 0;
    await until(
      () => {
        most = Math.max(most, underWay());
        victim.release();
        elsewhere.release();
        return posts() === 40 && underWay() === 0;
      },
      { what: 'all of them' },
    );
    expect(most).toBe(4);
    await first.webhooks.idle();
    for (const [at, { id }] of endpoints.entries()) {
      const rows = (await owners[at]?.deliveries(id)) ?? [];
      expect(rows.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(10).fill('delivered 1'));
    }
    // Each endpoint's events came in the order of their age, but for those that were under way at once.
    for (const path of paths) {
      const order = victim.at(path).map(({ headers }) => headers['webhook-id']);
      const byAge = [...order].sort();
      for (const [at, id] of order.entries()) expect(Math.abs(byAge.indexOf(id) - at)).toBeLessThan(4);
    }
  });

  test('gets one at a time where that is the limit, and each endpoint its events in the order of their age', async () => {
    Object.assign(limits, { deliveriesPerHost: 1 });
    const shop = await receiver();
    const endpoints = [await one.create(shop.url('/first')), await two.create(shop.url('/second'))];
    for (let n = 0; n < 10; n += 1) for (const [at, { id }] of endpoints.entries()) await [one, two][at]?.event(id);
    await first.webhooks.sweep(Date.now());
    await until(() => shop.received.length === 20, { what: 'all of them' });
    for (const path of ['/first', '/second']) {
      const order = shop.at(path).map(({ headers }) => headers['webhook-id']);
      expect(order).toEqual([...order].sort());
    }
  });

  test('gets so many a second', async () => {
    Object.assign(limits, { deliveriesPerHost: 20, deliveriesPerHostPerSecond: 25 });
    const shop = await receiver();
    const { id } = await two.create(shop.url('/rate'));
    await Promise.all(Array.from({ length: 40 }, () => two.event(id)));
    const startedAt = Date.now();
    await first.webhooks.sweep(Date.now());
    await until(() => shop.at('/rate').length === 40, { what: 'all of them' });
    const seconds = (Date.now() - startedAt) / 1000;
    expect(seconds).toBeGreaterThan((40 - 25 / 5 - 1) / 25);
  });

  test('is shared by the processes alive', async () => {
    processes = 2;
    const victim = await slowReceiver();
    victim.hold('/shared');
    const { id } = await one.create(victim.url('/shared'));
    const events = Array.from({ length: 10 }, () => one.event(id));
    await Promise.all(events);
    await Promise.all([first, second].map(({ webhooks }) => webhooks.sweep(Date.now())));
    await until(() => victim.held.length >= 2, { what: 'posts' });
    await until(
      () => {
        victim.release();
        return victim.received.length === 10 && victim.held.length === 0;
      },
      { what: 'all of them' },
    );
    expect(victim.most()).toBeLessThanOrEqual(4);
  });

  test('an address that is changed takes no place that its old host had', async () => {
    const [old, next] = [await slowReceiver(), await slowReceiver()];
    old.hold('/old');
    next.hold('/next');
    limits.deliveriesPerHost = 1;
    const { id } = await three.create(`http://localhost:${old.port}/old`);
    const held = await three.create(next.url('/next'));
    await three.event(held.id);
    await first.webhooks.sweep(Date.now());
    await until(() => next.held.length === 1, { what: 'the post that fills the host' });
    await first.manager.update(three, id, { url: next.url('/next') });
    await three.event(id);
    await first.webhooks.sweep(Date.now());
    await until(() => first.webhooks.held.waiting === 1, { what: 'the second one to wait' });
    expect(next.received).toHaveLength(1);
    expect(old.received).toHaveLength(0);
    next.release();
    await until(() => next.received.length === 2, { what: 'the second one' });
    next.release();
  });

  test('test events count, too', async () => {
    limits.deliveriesPerHost = 1;
    const shop = await slowReceiver();
    shop.hold('/test');
    const { id } = await one.create(shop.url('/test'));
    const { id: another } = await two.create(shop.url('/test'));
    const { deliveries } = first.webhooks;
    const test = deliveries.sendTest(one, id, { type: 'x', data: {} });
    await until(() => shop.held.length === 1, { what: 'the test' });
    expect(await deliveries.sendTest(two, another, { type: 'x', data: {} })).toEqual({ kind: 'busy' });
    shop.release();
    expect(await test).toMatchObject({ kind: 'tested', delivered: true });
  });

  test('what waits for a host that test events fill goes on when they end', async () => {
    limits.deliveriesPerHost = 1;
    const shop = await slowReceiver();
    shop.hold('/test');
    const { id } = await one.create(shop.url('/test'));
    const { id: another } = await two.create(shop.url('/event'));
    const { deliveries } = first.webhooks;
    const test = deliveries.sendTest(one, id, { type: 'x', data: {} });
    await until(() => shop.held.length === 1, { what: 'the test' });
    await two.event(another);
    await first.webhooks.sweep(Date.now());
    await first.webhooks.idle();
    expect([first.webhooks.held.waiting, shop.at('/event').length]).toEqual([1, 0]);
    shop.release();
    expect(await test).toMatchObject({ kind: 'tested', delivered: true });
    await until(() => shop.at('/event').length === 1, { what: 'the event' });
  });
});

describe('endpoints of one account at one host', () => {
  const create = (owner: ActingOwner, url: string) => manager.create(owner, { url, description: '', eventTypes: [] });

  test('are so few, both modes together, however their address is spelt and however many are made at once', async () => {
    const account = await testAccount(database, manager);
    const modes = (['live', 'test'] as const).map((mode) => ({ ...account, mode }));
    const spellings = ['https://shop.example/a', 'https://SHOP.example:8443/b', 'https://shop.example./c'];
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => create(modes[n % 2] ?? account, spellings[n % 3] as string)),
    );
    expect(made.filter(({ kind }) => kind === 'created')).toHaveLength(3);
    expect(made.filter(({ kind }) => kind !== 'created')).toEqual(
      Array(9).fill({ kind: 'host_full', host: 'shop.example', most: 3 }),
    );
    expect((await create(account, 'https://other.example/')).kind).toBe('created');
  });

  test('can not be moved there either; one that is there may change its path', async () => {
    const account = await testAccount(database, manager);
    const made = [];
    for (const path of ['a', 'b', 'c']) made.push(await create(account, `https://shop.example/${path}`));
    const other = await create(account, 'https://other.example/');
    const idOf = (each: Awaited<ReturnType<typeof create>> | undefined) =>
      each?.kind === 'created' ? each.endpoint.id : '';
    expect(await manager.update(account, idOf(other), { url: 'https://shop.example:8443/d' })).toEqual({
      kind: 'host_full',
      host: 'shop.example',
      most: 3,
    });
    expect((await manager.get(account, idOf(other)))?.url).toBe('https://other.example/');
    expect((await manager.update(account, idOf(made[0]), { url: 'https://shop.example/z' })).kind).toBe('updated');
    expect((await manager.update(account, idOf(made[0]), { url: 'https://third.example/' })).kind).toBe('updated');
    expect((await manager.update(account, idOf(other), { url: 'https://shop.example/d' })).kind).toBe('updated');
  });
});

test('an account whose receivers all answer late leaves places to the others', async () => {
  const { webhooks } = await testWebhooks(database.connect(), { queue: { maxInFlight: 8, maxInFlightPerEndpoint: 2 } });
  const late = await slowReceiver();
  const shop = await receiver();
  const paths = Array.from({ length: 10 }, (_, n) => `/late-${n}`);
  for (const path of paths) late.hold(path);
  const endpoints = await Promise.all(paths.map((path) => one.create(late.url(path))));
  for (const { id } of [...endpoints, ...endpoints]) await one.event(id);
  await webhooks.sweep(Date.now());
  await until(() => late.held.length === 6, { what: 'three quarters of the places to be taken' });
  const other = await two.create(shop.url('/other'));
  for (let n = 0; n < 20; n += 1) await two.event(other.id);
  await webhooks.sweep(Date.now());
  await until(() => shop.at('/other').length === 20, { what: "all of the other account's" });
  expect(late.most()).toBe(6);
  await until(
    () => {
      late.release();
      return webhooks.held.waiting + webhooks.held.inFlight === 0;
    },
    { what: 'the rest' },
  );
  expect(late.received).toHaveLength(20);
});
