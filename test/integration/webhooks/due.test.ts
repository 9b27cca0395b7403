// When a process asks the database about webhooks: at the time of a retry that it knows of, when another process is gone, and else every
// ten seconds, in one statement.
import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { Wakeup } from '../../../src/time/on-demand.ts';
import { testDatabase } from '../../support/database.ts';
import { receiver, testAccount, testFleet, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const sent: string[] = [];
const query = (config: { name: string }) => {
  sent.push(config.name);
  return database.lanes.query(config as never);
};
let now = Date.now();
const counted = { lanes: { query } as never, now: () => now };
const one = await testWebhooks(database, counted);
const account = await testAccount(database, one.manager);

afterEach(async () => {
  expect(one.errors).toEqual([]);
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
  sent.length = 0;
});

/** Of its only cell. */
const dueOf = ({ cells: [home] }: (typeof one)['webhooks']) => home?.due ?? new Wakeup();

/** What the loop of a process does until `until`, with a clock that goes from one due time to the next. */
async function live({ webhooks }: typeof one, until: number): Promise<void> {
  for (;;) {
    dueOf(webhooks).clear();
    const waitMs = await webhooks.run(now);
    await webhooks.idle();
    const at = now + Math.max(100, dueOf(webhooks).isSet ? 0 : waitMs); // The loop's distance.
    if (at > until) break;
    now = at;
  }
  now = until;
}

test('an idle process sends one statement every ten seconds', async () => {
  await live(one, now + 100_000);
  expect(new Set(sent)).toEqual(new Set(['webhook.look']));
  expect(sent.length).toBeLessThanOrEqual(11);
});

test('what is posted at the first try costs its mark, and no look at the table of retries', async () => {
  const { id } = await account.create(shop.url('/first'));
  await live(one, now + 1_000); // A change is looked after.
  sent.length = 0;
  const event = await account.event(id, 0, one.holder);
  one.webhooks.post({ deliveries: [{ eventId: event.id, endpointId: id }], bodies: [event], storedAt: now }, account);
  await one.webhooks.idle();
  await live(one, now + 5_000);
  expect(sent).toEqual(['endpoint.load', 'webhook.mark']);
  expect(await account.one(id)).toMatchObject({ status: 'delivered', waits: false });
});

test('what goes well says nothing of the endpoint for a minute; a failure does, and the success after it', async () => {
  let status = 204;
  shop.answer('/health', (response) => response.writeHead(status).end());
  const { id } = await account.create(shop.url('/health'));
  await live(one, now + 1_000);
  const attempt = async () => {
    const event = await account.event(id, 0, one.holder);
    sent.length = 0;
    one.webhooks.post({ deliveries: [{ eventId: event.id, endpointId: id }], bodies: [event], storedAt: now }, account);
    await one.webhooks.idle();
    const { rows } = await sql<{
      at: Date | null;
    }>`select failing_since as at from webhook_endpoint where id = ${id}`.execute(database.db);
    return { asked: sent.filter((name) => name === 'endpoint.health').length, isFailing: rows[0]?.at !== null };
  };
  expect(await attempt()).toEqual({ asked: 0, isFailing: false });
  now += 59_000;
  expect(await attempt()).toEqual({ asked: 0, isFailing: false });
  // Another process has seen a failure meanwhile: a success a minute after the last report takes it back.
  await sql`update webhook_endpoint set failing_since = now() where id = ${id}`.execute(database.db);
  now += 2_000;
  expect(await attempt()).toEqual({ asked: 1, isFailing: false });
  expect(await attempt()).toEqual({ asked: 0, isFailing: false });
  status = 500;
  expect(await attempt()).toEqual({ asked: 1, isFailing: true });
  status = 204;
  expect(await attempt()).toEqual({ asked: 1, isFailing: false });
  expect(await attempt()).toEqual({ asked: 0, isFailing: false });
  // A clock that was set back counts as time that has passed.
  await sql`update webhook_endpoint set failing_since = now() where id = ${id}`.execute(database.db);
  now -= 3_600_000;
  expect(await attempt()).toEqual({ asked: 1, isFailing: false });
  now += 3_600_000;
});

test('the success of a retry is news, also by a process for which the endpoint has worked a moment ago', async () => {
  let status = 204;
  shop.answer('/handed-on', (response) => response.writeHead(status).end());
  const two = await testWebhooks(database, { ...counted, fleet: { ...testFleet(), alive: 2 } });
  const { id } = await account.create(shop.url('/handed-on'));
  for (const each of [one, two]) await live(each, now + 1_000);
  const attempt = async ({ webhooks, holder }: typeof one) => {
    const event = await account.event(id, 0, holder);
    webhooks.post({ deliveries: [{ eventId: event.id, endpointId: id }], bodies: [event], storedAt: now }, account);
    await webhooks.idle();
  };
  const failingSince = async () =>
    (
      await sql<{ at: Date | null }>`select failing_since as at from webhook_endpoint where id = ${id}`.execute(
        database.db,
      )
    ).rows[0]?.at;
  await attempt(two);
  status = 500;
  await attempt(one);
  expect(await failingSince()).not.toBeNull();
  // The process that made the attempt ends; its retry is late, and claimed by the other one.
  status = 204;
  await live(two, now + 20_000);
  expect(await account.deliveries(id)).toMatchObject([{ status: 'delivered' }, { status: 'delivered', attempts: 2 }]);
  expect(await failingSince()).toBeNull();
});

test('a failed attempt is tried again at its time by the process that made it', async () => {
  let answers = 0;
  shop.answer('/flaky', (response) => {
    answers += 1;
    response.writeHead(answers < 3 ? 500 : 204).end();
  });
  const { id } = await account.create(shop.url('/flaky'));
  const event = await account.event(id, 0, one.holder);
  one.webhooks.post({ deliveries: [{ eventId: event.id, endpointId: id }], bodies: [event], storedAt: now }, account);
  await one.webhooks.idle();
  for (const tries of [1, 2]) {
    expect(shop.at('/flaky')).toHaveLength(tries);
    const dueAt = (await account.one(id)).next_at?.getTime() ?? 0;
    await live(one, dueAt - 1);
    expect(shop.at('/flaky')).toHaveLength(tries);
    await live(one, dueAt + 100);
    expect(shop.at('/flaky')).toHaveLength(tries + 1);
  }
  expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 3, waits: false });
});

test('a retry that another process stored is claimed a second late, and without a look for it in between', async () => {
  const two = await testWebhooks(database, { ...counted, fleet: { ...testFleet(), alive: 2 } });
  const { id } = await account.create(shop.url('/others'));
  const dueAt = now + 25_000;
  await account.event(id, dueAt);
  await live(two, dueAt + 900);
  expect(shop.at('/others')).toEqual([]);
  await live(two, dueAt + 1_100);
  expect(shop.at('/others')).toHaveLength(1);
});

test('when a process is gone, or this one is back, everything is looked at in the next run; of the latter, also its own', async () => {
  const fleet = { ...testFleet(), events: new EventEmitter() as ReturnType<typeof testFleet>['events'] };
  const heir = await testWebhooks(database, { ...counted, fleet });
  for (const name of ['gone', 'back'] as const) {
    await live(heir, now + 1_000);
    sent.length = 0;
    await live(heir, now + 1_000);
    expect(sent).toEqual([]);
    dueOf(heir.webhooks).clear();
    if (name === 'gone') fleet.events.emit('gone', ['prc_1']);
    else fleet.events.emit('back');
    expect(dueOf(heir.webhooks).isSet).toBe(true);
    await live(heir, now + 1_000);
    const own = name === 'gone' ? [] : ['endpoint.ids', 'webhook.own'];
    expect(sent).toEqual([...own, 'webhook.look']);
  }
});

test('a process that another took for dead stores its mark again at once', async () => {
  const back = await testWebhooks(database, counted);
  const marks = async () =>
    (await sql`select from webhook_holder where holder = ${back.holder} and searched_at is null`.execute(database.db))
      .rows.length;
  await live(back, now + 25_000);
  expect(await marks()).toBe(1);
  for (const takeOver of [
    sql`delete from webhook_holder where holder = ${back.holder}`,
    sql`update webhook_holder set searched_at = now() where holder = ${back.holder}`,
  ]) {
    await takeOver.execute(database.db);
    expect(await marks()).toBe(0);
    back.webhooks.clear();
    await live(back, now + 300);
    expect(await marks()).toBe(1);
  }
});

test('a process without a lease asks nothing and waits for a second, however much is due', async () => {
  const lease = { runs: false };
  const lost = await testWebhooks(database, { ...counted, fleet: { ...testFleet(), keptSince: () => lease.runs } });
  lost.webhooks.commitUnknown();
  sent.length = 0;
  expect(await lost.webhooks.run(now)).toBe(1_000);
  expect(sent).toEqual([]);
  lease.runs = true;
  await lost.webhooks.run(now);
  expect(sent).toContain('webhook.look');
});
