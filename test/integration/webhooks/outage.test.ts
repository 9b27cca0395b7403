import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const first = await testWebhooks(database);
const account = await testAccount(database, first.manager);

describe('a database that is away for a moment', () => {
  test('before the post: the row is given back as soon as it can be, and posted long before its lease ends', async () => {
    const broken: string[] = [];
    const query = (config: { name: string }) => {
      const first = ['endpoint.load', 'webhook.return'].includes(config.name) && !broken.includes(config.name);
      if (!first) return database.lanes.query(config as never);
      broken.push(config.name);
      return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    };
    const cut = await testWebhooks(database, { db: { query } as never });
    const { id } = await account.create(shop.url('/away'));
    await account.event(id);
    await cut.webhooks.sweep(Date.now());
    await until(() => broken.length === 2, { what: 'the row not to be given back' });
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
    const cut = await testWebhooks(database, { db: { query } as never });
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
