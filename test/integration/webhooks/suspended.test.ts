// Webhooks of a suspended account: held and not lost, whatever state they were in; they count against nobody and hold nobody up.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { resumeAccount, suspendAccount } from '../../../src/db/accounts/control.ts';
import { holdDeliveries } from '../../../src/db/webhooks/holds.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { leaseMs, receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const db = database.db as never;
const shop = await receiver();
// One post to an endpoint at a time: of two at once either may come first.
const options = { queue: { maxInFlightPerEndpoint: 1 } };
const [here, elsewhere] = [await testWebhooks(database, options), await testWebhooks(database, options)];
const { webhooks, manager, ahead } = here;
const hourMs = 3_600_000;

afterEach(async () => {
  await webhooks.idle();
  expect(here.errors.splice(0)).toEqual([]);
  here.outcomes.length = 0;
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
  shop.received.length = 0;
  ahead.ms = 0;
});

async function sweep(process = here, aheadMs = 0) {
  process.ahead.ms = aheadMs;
  await process.webhooks.sweep(Date.now() + aheadMs);
  await process.webhooks.idle();
}
/** As the loops do within a second. */
const heard = (...processes: (typeof here)[]) => {
  for (const process of processes) process.webhooks.clear();
};
const suspend = (id: string) => suspendAccount(db, { id, reason: null, now: new Date(), actor: tester });
const resume = (id: string, aheadMs = 0) =>
  resumeAccount(db, { id, now: new Date(Date.now() + aheadMs), actor: tester });
const isHeldBack = { status: 'pending', attempts: 0, waits: true, next_at: null };

test('what is due or committed meanwhile is held, and goes out once the account is resumed, oldest first', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/held'));
  const due = await account.event(endpoint.id);
  await suspend(account.accountId);
  const leased = await account.event(endpoint.id, Date.now() + leaseMs, here.holder);
  webhooks.post(
    { deliveries: [{ eventId: leased.id, endpointId: endpoint.id }], bodies: [leased], storedAt: Date.now() },
    account,
  );
  await sweep();
  expect(shop.at('/held')).toEqual([]);
  expect(await account.deliveries(endpoint.id)).toMatchObject([isHeldBack, isHeldBack]);
  expect(here.outcomes.filter((outcome) => outcome === 'held')).toHaveLength(2);
  await sweep(here, 300 * hourMs);
  expect(shop.at('/held')).toEqual([]);

  await resume(account.accountId);
  heard(here);
  await sweep(here, 1);
  expect(shop.at('/held').map(({ headers }) => headers['webhook-id'])).toEqual([due.id, leased.id]);
  const delivered = { status: 'delivered', attempts: 1 };
  expect(await account.deliveries(endpoint.id)).toMatchObject([delivered, delivered]);
});

test('a process that has not heard of the resumption gives the row back, and does not report it as held', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/late'));
  await suspend(account.accountId);
  await account.event(endpoint.id);
  await sweep();
  // The endpoint is held in memory as suspended; meanwhile another process makes due what was held, to the end.
  await resume(account.accountId);
  await sweep(elsewhere, 1);
  expect(shop.at('/late')).toHaveLength(1);
  const after = await account.event(endpoint.id);
  await sweep();
  expect((await account.deliveries(endpoint.id)).at(-1)).toMatchObject({ event_id: after.id, attempts: 0 });
  expect(here.outcomes).toEqual(['held', 'left resumed']);
  heard(here);
  const isPosted = async () => {
    await sweep(here, 1);
    return shop.at('/late').some(({ headers }) => headers['webhook-id'] === after.id);
  };
  await until(isPosted, { what: 'what was given back to be posted' });
});

test('without word of a change, resumed accounts are looked for every ten seconds, whoever left them', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/unheard'));
  await account.event(endpoint.id);
  await suspend(account.accountId);
  await sweep();
  await sweep(elsewhere);
  await resume(account.accountId);
  const runs = async (aheadMs: number) => {
    elsewhere.ahead.ms = aheadMs;
    await elsewhere.webhooks.run(Date.now() + aheadMs);
    await elsewhere.webhooks.idle();
  };
  await runs(1_000);
  expect(await account.one(endpoint.id)).toMatchObject(isHeldBack);
  await runs(11_000);
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('what is held by a statement that came after the resumption is found and goes out', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/crossed'));
  const event = await account.event(endpoint.id, Date.now() + leaseMs, elsewhere.holder);
  // Home was asked before the account was resumed, the row is stored after it.
  expect(
    await holdDeliveries(database.lanes, elsewhere.holder, [
      { account_id: account.accountId, event_id: event.id, endpoint_id: endpoint.id, attempts: 0 },
    ]),
  ).toEqual([true]);
  expect(await account.one(endpoint.id)).toMatchObject(isHeldBack);
  await here.webhooks.run(Date.now() + 11_000);
  await webhooks.idle();
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('retries wait with their attempts, and the time does not count against a failing endpoint', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/failing'));
  let status = 500;
  shop.answer('/failing', (response) => response.writeHead(status).end());
  await account.event(endpoint.id);
  await sweep();
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'pending', attempts: 1 });
  await suspend(account.accountId);
  heard(here);
  await sweep(here, hourMs);
  expect(await account.one(endpoint.id)).toMatchObject({ ...isHeldBack, attempts: 1 });
  expect(shop.at('/failing')).toHaveLength(1);
  // Six days: more than an endpoint may fail for.
  const sixDays = 6 * 24 * hourMs;
  await resume(account.accountId, sixDays);
  heard(here);
  await sweep(here, sixDays + 1);
  expect(shop.at('/failing')).toHaveLength(2);
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'pending', attempts: 2 });
  expect(await manager.get(account, endpoint.id)).toMatchObject({ enabled: true });
  status = 204;
  await sweep(here, sixDays + hourMs);
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'delivered', attempts: 3 });
});

test('a suspended account’s backlog holds nobody up, nor is it walked over again', async () => {
  const [stopped, other] = [await testAccount(database, manager), await testAccount(database, manager)];
  const backlog = await stopped.create(shop.url('/backlog'));
  const endpoint = await other.create(shop.url('/other'));
  await sql`with stored as (
      insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at)
      select ${stopped.accountId}, ${(await stopped.event(backlog.id)).id} || n, ${backlog.id}, 'live', 'session.verified', '{}',
        'pending', now() from generate_series(1, 3000) n returning *
    )
    insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
    select endpoint_id, event_id, account_id, now() - interval '1 hour' from stored`.execute(database.db);
  await suspend(stopped.accountId);
  await other.event(endpoint.id);
  const isHeld = async () =>
    (await stopped.deliveries(backlog.id)).every(({ waits, next_at }) => waits && next_at === null);
  for (let round = 0; round < 10 && !(await isHeld()); round += 1) await sweep();
  expect(await isHeld()).toBe(true);
  expect(await other.one(endpoint.id)).toMatchObject({ status: 'delivered' });
  expect(await webhooks.sweep(Date.now())).toBe(0);
  expect(webhooks.overdue).toBe(0);
  expect(shop.at('/backlog')).toEqual([]);
});

test('a resumed account is found behind more suspended ones than a page has', async () => {
  const account = await testAccount(database, manager);
  const endpoint = await account.create(shop.url('/behind'));
  // Their ids are lower than those of all accounts that are made today.
  const others = sql`select 'acct_0' || lpad(n::text, 5, '0') as id from generate_series(1, 2000) n`;
  await sql`insert into account (id, name, created_at, suspended_at) select id, 'Spam', now(), now() from (${others}) a`.execute(
    database.db,
  );
  await sql`insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
    select 'whe_' || id, 'evt_' || id, id, null from (${others}) a`.execute(database.db);
  await suspend(account.accountId);
  await account.event(endpoint.id);
  heard(here);
  await sweep();
  expect(await account.one(endpoint.id)).toMatchObject(isHeldBack);
  await resume(account.accountId);
  heard(here);
  await sweep(here, 1);
  expect(await account.one(endpoint.id)).toMatchObject({ status: 'delivered', attempts: 1 });
});
