import { describe, expect, test } from 'vitest';
import { withSchema } from '../../../src/db/schema.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { leaseMs, receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const first = await testWebhooks(database);
const account = await testAccount(database, first.manager);

describe('a database that is away for a moment', () => {
  test('before the post: the row is given back as soon as it can be, and posted long before its lease ends', async () => {
    const broken: string[] = [];
    const query = (config: { name: string }) => {
      // Twice where the post goes: once for its host, once for the post itself.
      const times = { 'endpoint.load': 2, 'webhook.return': 1 }[config.name] ?? 0;
      if (broken.filter((name) => name === config.name).length >= times) return database.lanes.query(config as never);
      broken.push(config.name);
      return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    };
    const cut = await testWebhooks(database, { lanes: { query } as never });
    const { id } = await account.create(shop.url('/away'));
    await account.event(id);
    await cut.webhooks.sweep(Date.now());
    await until(() => broken.length === 3, { what: 'the row not to be given back' });
    expect(shop.at('/away')).toEqual([]);
    await until(
      async () => {
        await cut.webhooks.sweep(Date.now());
        return shop.at('/away').length === 1;
      },
      { what: 'the post' },
    );
    await cut.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(cut.errors).toHaveLength(1);
  });
});

describe('a database that is away after the post', () => {
  test('the outcome is kept until it is back: nothing is posted twice', async () => {
    let refused = 0;
    const query = (config: { name: string }) => {
      if (config.name !== 'webhook.mark' || refused >= 3) return database.lanes.query(config as never);
      refused += 1;
      return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    };
    const cut = await testWebhooks(database, { lanes: { query } as never });
    const { id } = await account.create(shop.url('/unmarked'));
    await account.event(id);
    await cut.webhooks.sweep(Date.now());
    await cut.webhooks.idle();
    expect(refused).toBe(3);
    expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(shop.at('/unmarked')).toHaveLength(1);
    expect(cut.errors).toEqual([]);
  });
});

describe('a statement that leased rows to this process and was not answered', () => {
  test('a claim: the rows are posted long before their lease ends', async () => {
    let broken = 0;
    const query = async (config: { name: string }) => {
      const result = await database.lanes.query(config as never);
      if (config.name !== 'webhook.claim' || broken > 0) return result;
      broken += 1;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    const cut = await testWebhooks(database, { lanes: { query } as never });
    const { id } = await account.create(shop.url('/claimed'));
    await account.event(id);
    await expect(cut.webhooks.sweep(Date.now())).rejects.toThrow('ECONNRESET');
    expect((await account.one(id)).due_in_ms).toBeGreaterThan(20_000);
    cut.ahead.ms = 3_000;
    await until(
      async () => {
        await cut.webhooks.sweep(Date.now() + cut.ahead.ms);
        return shop.at('/claimed').length === 1;
      },
      { what: 'the post' },
    );
    await cut.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('a save: what it stored is posted, what is on the wire is not posted again, and nobody else’s is touched', async () => {
    const saver = await testWebhooks(database);
    const { holder } = saver;
    const leaseUntil = Date.now() + leaseMs;
    let release = () => {};
    shop.answer('/on-the-wire', (response) => {
      release = () => response.writeHead(204).end();
    });
    const [wire, unknown, others] = await Promise.all(
      ['/on-the-wire', '/unknown', '/others'].map((path) => account.create(shop.url(path))),
    );
    if (!wire || !unknown || !others) throw new Error('three endpoints');
    const event = await account.event(wire.id, leaseUntil, holder);
    saver.webhooks.post(
      { deliveries: [{ eventId: event.id, endpointId: wire.id }], bodies: [event], storedAt: Date.now() },
      account,
    );
    await until(() => shop.at('/on-the-wire').length === 1, { what: 'the first post' });
    await account.event(unknown.id, leaseUntil, holder);
    await account.event(others.id, leaseUntil, 'process/another');

    await saver.webhooks.sweep(Date.now());
    saver.ahead.ms = 3_000;
    await saver.webhooks.sweep(Date.now() + saver.ahead.ms);
    expect(shop.at('/unknown')).toEqual([]); // Nothing was lost, as far as it knows.
    saver.webhooks.commitUnknown();
    await until(
      async () => {
        await saver.webhooks.sweep(Date.now() + saver.ahead.ms);
        return shop.at('/unknown').length === 1;
      },
      { what: 'the lost one to be posted' },
    );
    release();
    await saver.webhooks.idle();
    expect([await account.one(wire.id), await account.one(unknown.id)]).toMatchObject([
      { status: 'delivered', attempts: 1 },
      { status: 'delivered', attempts: 1 },
    ]);
    expect(shop.at('/on-the-wire')).toHaveLength(1);
    expect(await account.one(others.id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('a switching off: the event `endpoint.disabled` is posted all the same', async () => {
    let broken = 0;
    const db = withSchema(database.db);
    const transaction = () => ({
      execute: async (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
        const result = await db.transaction().execute(work);
        const isSwitchOff = typeof result === 'object' && result !== null && 'endpointIds' in result;
        if (!isSwitchOff || broken > 0) return result;
        broken += 1;
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      },
    });
    const breaking = new Proxy(db, {
      get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
    });
    const cut = await testWebhooks(database, { db: breaking });
    const owner = await testAccount(database, cut.manager);
    const gone = await owner.create(shop.url('/gone'));
    const other = await owner.create(shop.url('/told'), ['endpoint.disabled']);
    shop.answer('/gone', (response) => response.writeHead(410).end());
    await owner.event(gone.id);
    await cut.webhooks.sweep(Date.now());
    await cut.webhooks.idle();
    expect(broken).toBe(1);
    expect(await owner.one(other.id)).toMatchObject({ type: 'endpoint.disabled', status: 'pending', attempts: 0 });
    cut.ahead.ms = 3_000;
    await until(
      async () => {
        await cut.webhooks.sweep(Date.now() + cut.ahead.ms);
        return shop.at('/told').length === 1;
      },
      { what: 'the event to be posted' },
    );
    await cut.webhooks.idle();
    expect(await owner.one(other.id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('a save of a moment ago may be on its way here: it is left alone', async () => {
    const at = Date.now(); // Its clock stands still: the save stays young.
    const saver = await testWebhooks(database, { now: () => at });
    const { id } = await account.create(shop.url('/young'));
    await account.event(id, at + leaseMs, saver.holder);
    saver.webhooks.commitUnknown();
    await saver.webhooks.sweep(at);
    await saver.webhooks.sweep(at);
    await saver.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'pending', attempts: 0, waits: false });
  });
});

test('a stop waits for what is being given back: nothing of this process writes to the table after it', async () => {
  let release = () => {};
  let returns = 0;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const query = async (config: { name: string }) => {
    if (config.name === 'webhook.return') {
      returns += 1;
      await held;
    }
    return database.lanes.query(config as never);
  };
  const full = await testWebhooks(database, { lanes: { query } as never, queue: { maxWaitingPerEndpoint: 1 } });
  const { id } = await account.create(shop.url('/stops'));
  for (let n = 0; n < 8; n += 1) await account.event(id);
  shop.answer('/stops', () => {});
  await full.webhooks.sweep(Date.now());
  await until(() => returns > 0 && shop.at('/stops').length > 0, { what: 'a post, and rows to be given back' });
  let stopped = false;
  const stopping = full.webhooks.stop(0).then(() => {
    stopped = true;
  });
  await until(() => full.outcomes.includes('left stopped'), { what: 'the posts to be broken off' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release();
  await stopping;
  shop.answer('/stops', (response) => response.writeHead(204).end()); // The next test's process takes up what was left.
});

describe('a row that waited here until too little of its lease was left', () => {
  test('is due again at once', async () => {
    const slow = await testWebhooks(database, { queue: { maxInFlightPerEndpoint: 1 } });
    const { id } = await account.create(shop.url('/slow'));
    let release = () => {};
    shop.answer('/slow', (response) => {
      release = () => response.writeHead(204).end();
    });
    const events = [await account.event(id), await account.event(id)];
    await slow.webhooks.sweep(Date.now());
    await until(() => shop.at('/slow').length === 1, { what: 'the first post' });
    slow.ahead.ms = leaseMs - 15_000;
    shop.answer('/slow', (response) => response.writeHead(204).end());
    release();
    const isDue = ({ due_in_ms }: { due_in_ms: number | null }) => due_in_ms !== null && due_in_ms <= slow.ahead.ms;
    await until(async () => (await account.deliveries(id)).some(isDue), { what: 'the second to be due by that clock' });
    expect(slow.outcomes).toContain('left lease');
    await slow.webhooks.sweep(Date.now() + slow.ahead.ms);
    await slow.webhooks.idle();
    expect(await account.deliveries(id)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    const posted = shop.at('/slow').map(({ headers }) => headers['webhook-id']);
    expect(posted.toSorted()).toEqual(events.map((event) => event.id).toSorted());
  });
});
