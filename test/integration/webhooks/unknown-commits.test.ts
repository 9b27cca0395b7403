// Deliveries that a process stored without hearing of it, after a longer outage: they name it as their holder, so nobody else looks for them.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { receiver, testAccount, testFleet, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const { manager } = await testWebhooks(database);
const account = await testAccount(database, manager);

afterEach(async () => {
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
});

/** A process whose mark is stored, with a lease that the test ends and begins. */
async function process({ lanes = database.lanes } = {}) {
  const lease = { runs: true };
  const fleet = { ...testFleet(), keptSince: () => lease.runs };
  const made = await testWebhooks(database, { fleet, lanes });
  await made.webhooks.begin();
  const mark = async () =>
    (
      await sql<{ at: string }>`select settled_before as at from webhook_holder where holder = ${fleet.holder}`.execute(
        database.db,
      )
    ).rows[0]?.at ?? '';
  const sweep = () => made.webhooks.sweep(Date.now() + made.ahead.ms);
  const posted = (path: string) =>
    until(
      async () => {
        await sweep();
        await made.webhooks.idle();
        return shop.at(path).length === 1;
      },
      { what: 'the post' },
    );
  return { ...made, lease, fleet, mark, sweep, posted };
}

test('a process without a lease for two minutes posts them when it is back, and its mark does not pass them before', async () => {
  const { webhooks, ahead, holder, lease, mark, sweep, posted } = await process();
  const { id } = await account.create(shop.url('/outlasted'));
  const event = await account.event(id, 0, holder);
  webhooks.commitUnknown();
  lease.runs = false;
  for (ahead.ms of [25_000, 120_000]) await sweep();
  lease.runs = true;
  await sweep();
  expect((await mark()) < event.id).toBe(true);
  await posted('/outlasted');
  expect(await account.one(id)).toMatchObject({ status: 'delivered', attempts: 1 });
  ahead.ms = 800_000; // An idle process moves its mark every ten minutes.
  await sweep();
  expect((await mark()) > event.id).toBe(true);
});

test('a process that is back looks for them once more: a server that stood still may have committed since', async () => {
  const { ahead, holder, fleet, sweep, posted } = await process();
  const { id } = await account.create(shop.url('/late-commit'));
  await account.event(id, 0, holder);
  ahead.ms = 3_000; // A younger row may be on its way from its commit.
  await sweep();
  expect(shop.at('/late-commit')).toEqual([]);
  fleet.events.emit('back');
  await posted('/late-commit');
});

test('of more than one search finds, none is left', async () => {
  // Nothing is claimed: the test is about what is found.
  const query = async (config: { name: string }) =>
    config.name === 'webhook.claim' ? { rows: [] } : database.lanes.query(config as never);
  const { webhooks, ahead, holder, lease, sweep } = await process({ lanes: { query } as never });
  const { id } = await account.create(shop.url('/many'));
  const { id: eventId } = await account.event(id, 0, holder);
  await sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at, holder)
    select account_id, event_id || n, endpoint_id, mode, type, body, status, created_at, holder
    from webhook_delivery, generate_series(1, 5100) n where event_id = ${eventId}`.execute(database.db);
  const found = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from webhook_retry`.execute(database.db)).rows[0]?.n;
  webhooks.commitUnknown();
  lease.runs = false;
  ahead.ms = 25_000;
  await sweep();
  lease.runs = true;
  await until(
    async () => {
      await sweep();
      await webhooks.idle();
      ahead.ms += 3_000; // Between two searches.
      return (await found()) === 5_101;
    },
    { what: 'all to be found' },
  );
});
