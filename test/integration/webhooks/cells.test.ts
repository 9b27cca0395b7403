// Webhooks of an account whose sessions lie in several databases: each is stored, retried and held in the cell of its session, and callers see them
// as if they were in one.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { homeCell } from '../../../src/core/fleet/cells.ts';
import { lowestId, shardForAccount } from '../../../src/core/ids.ts';
import { resumeAccount, suspendAccount } from '../../../src/db/accounts/control.ts';
import { processHolder } from '../../../src/db/fleet/holder.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { accountEventBody } from '../../../src/engine/webhooks/account-events.ts';
import { mostReplayed } from '../../../src/engine/webhooks/replay.ts';
import { tester } from '../../support/actor.ts';
import { evenly } from '../../support/cells.ts';
import { testCells } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { type Account, ids, receiver, testAccount, testFleet, testWebhooks } from './support.ts';

const database = await testCells({ epochs: evenly([homeCell, 'b', 'c']) });
const { cells, map } = database;
const homeDb = withSchema(cells[0]!.database.db);
const shop = await receiver();
const one = await testWebhooks(database);
const { webhooks, manager } = one;

afterEach(async () => {
  await webhooks.idle();
  expect(one.errors.splice(0)).toEqual([]);
  one.ahead.ms = 0;
  shop.received.length = 0;
  await sql`truncate webhook_delivery, webhook_retry, webhook_holder`.execute(database.db);
  await webhooks.begin();
});

/** An account with an endpoint for the end of sessions, and an engine that gives its webhooks to `process`. */
async function newShop(path: string, process = one) {
  const account = await testAccount(database, manager);
  const { id } = await account.create(shop.url(path), ['session.canceled']);
  const { engine } = await testEngine(database, {
    sms: new ScriptedChannel(),
    processId: process.holder.slice(processHolder('').length),
    account: { endpoints: [{ id, eventTypes: ['session.canceled'] }] },
    outbox: process.webhooks,
  });
  /** Opens and cancels sessions until each cell has so many. Returns their ids. */
  async function cancelIn(each: number): Promise<string[]> {
    const sessions: string[] = [];
    const left = new Map(map.names.map((name) => [name, each]));
    while ([...left.values()].some((count) => count > 0)) {
      const sent = await engine.starter.sendSettled(sendRequest({ accountId: account.accountId }));
      if (sent.kind !== 'sent') throw new Error(sent.kind);
      const cell = map.ofId(sent.session.id);
      const wanted = left.get(cell) ?? 0;
      if (wanted === 0) continue;
      left.set(cell, wanted - 1);
      sessions.push(sent.session.id);
    }
    await engine.dispatcher.idle();
    await Promise.all(sessions.map((id) => engine.checker.cancel({ accountId: account.accountId, mode: 'live', id })));
    return sessions;
  }
  return { account, id, cancelIn };
}

/** Deliveries of the endpoint by cell: the sessions they are about, and how they stand. */
const stored = (endpointId: string) =>
  Promise.all(
    cells.map(async ({ name, database: { db } }) => {
      const { rows } = await sql<{ session_id: string; status: string; waits: boolean; held: boolean }>`
        select session_id, status, r.event_id is not null as waits, r.event_id is not null and r.next_at is null as held
        from webhook_delivery d left join webhook_retry r using (endpoint_id, event_id)
        where endpoint_id = ${endpointId}`.execute(db);
      return { name, rows };
    }),
  );

async function all(account: Account, endpointId: string, limit: number, status: string | null = null) {
  const pages: string[][] = [];
  let before: string | null = null;
  do {
    const page = await webhooks.deliveries.list(account, endpointId, { limit, before, status });
    pages.push((page?.items ?? []).map(({ eventId }) => eventId));
    before = page?.next ?? null;
  } while (before !== null);
  return pages;
}

test('each is stored and marked where its session is, posted once, and listed by id over all cells', async () => {
  const { account, id, cancelIn } = await newShop('/all');
  const sessions = await cancelIn(5);
  await until(() => shop.at('/all').length === 15, { what: 'the webhooks' });
  await webhooks.idle();
  const told = shop.at('/all').map(({ body }) => JSON.parse(body).data.session_id);
  expect(told.sort()).toEqual([...sessions].sort());
  for (const { name, rows } of await stored(id)) {
    expect(rows.map(({ session_id }) => map.ofId(session_id))).toEqual(Array.from({ length: 5 }, () => name));
    expect(rows.filter(({ status, waits }) => status !== 'delivered' || waits)).toEqual([]);
  }
  const posted = shop.at('/all').map(({ headers }) => headers['webhook-id'] as string);
  for (const limit of [1, 4, 15, 100])
    expect((await all(account, id, limit)).flat(), `${limit} a page`).toEqual(posted.toSorted().reverse());
  expect(await all(account, id, 100, 'failed')).toEqual([[]]);
});

test('a failed one is retried in its cell, and one that is asked for is sent again from there', async () => {
  const { account, id, cancelIn } = await newShop('/again');
  shop.answer('/again', (response) => response.writeHead(500).end());
  await cancelIn(2);
  await until(() => shop.at('/again').length === 6, { what: 'the first attempts' });
  await webhooks.idle();
  for (const { rows } of await stored(id))
    expect(rows).toMatchObject([1, 2].map(() => ({ status: 'pending', waits: true })));
  shop.answer('/again', (response) => response.writeHead(204).end());
  one.ahead.ms = 6_000;
  await webhooks.run(Date.now() + one.ahead.ms);
  await webhooks.idle();
  expect(shop.at('/again')).toHaveLength(12);
  const [[event = '', ...others] = []] = await all(account, id, 100, 'delivered');
  expect(others).toHaveLength(5);
  for (const each of [event, ...others])
    expect(await webhooks.deliveries.redeliver(account, id, each)).toMatchObject({ kind: 'queued' });
  await webhooks.idle();
  expect(shop.at('/again')).toHaveLength(18);
  const unknown = await webhooks.deliveries.redeliver(account, id, ids('evt_'));
  expect(unknown).toEqual({ kind: 'delivery_not_found' });
});

test('a replay takes up what lies in every cell', async () => {
  const { account, id, cancelIn } = await newShop('/replay');
  await cancelIn(2);
  await until(() => shop.at('/replay').length === 6, { what: 'the first attempts' });
  await webhooks.idle();
  const now = Date.now();
  const span = { since: now - 3_600_000, until: now + 1_000, startedAt: now + 1 };
  const asked = { ...span, endpointId: id, eventTypes: [], status: null, after: null };
  expect(await webhooks.deliveries.replay(account, asked)).toEqual({ kind: 'queued', count: 6, next: null });
  await webhooks.run(Date.now());
  await until(() => shop.at('/replay').length === 12, { what: 'each once more' });
  const ids = shop.at('/replay').map(({ headers }) => headers['webhook-id'] as string);
  expect(ids.slice(6).sort()).toEqual(ids.slice(0, 6).sort());
});

test('a replay of several calls takes up each delivery once, also where one cell was further than another', async () => {
  const account = await testAccount(database, manager);
  const { id } = await account.create(shop.url('/far'), ['session.canceled']);
  const now = Date.now();
  const prefix = lowestId('evt_', now - 1_800_000).slice(0, 18);
  const fill = (cell: number, first: number, last: number) =>
    sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, attempts, created_at)
      select ${account.accountId}, ${prefix} || lpad(n::text, 12, '0'), ${id}, 'live', 'session.canceled', '{}', 'failed', 10,
      ${new Date(now - 1_800_000)} from generate_series(${first}::integer, ${last}::integer) n`.execute(
      cells[cell]!.database.db,
    );
  await fill(1, 1, mostReplayed + 1);
  await fill(2, mostReplayed + 2, mostReplayed + 2);
  const asked = { since: now - 3_600_000, until: now + 1_000, startedAt: now + 1, endpointId: id, eventTypes: [] };
  const counts: number[] = [];
  let after: string | null = null;
  do {
    const outcome = await webhooks.deliveries.replay(account, { ...asked, status: null, after });
    if (outcome.kind !== 'queued') throw new Error(outcome.kind);
    counts.push(outcome.count);
    after = outcome.next;
    // Each was at its last attempt, and fails again.
    for (const { database: of } of cells) {
      await sql`delete from webhook_retry where endpoint_id = ${id}`.execute(of.db);
      await sql`update webhook_delivery set status = 'failed' where endpoint_id = ${id}`.execute(of.db);
    }
  } while (after !== null && counts.length < 5);
  expect(counts).toEqual([mostReplayed, 2]);
});

test('an event about the account is stored at home, whatever its shard, and found there', async () => {
  const account = await testAccount(database, manager);
  const { id } = await account.create(shop.url('/account'));
  // Ids of accounts are random: one of those whose shard lies elsewhere.
  const eventId = ids('evt_', 1_023);
  expect(map.ofId(eventId)).toBe('c');
  expect(shardForAccount(account.accountId)).toBeLessThan(1_024);
  const body = accountEventBody(eventId, { ...account, type: 'waba.connected', at: Date.now(), data: {} });
  await sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at)
    values (${account.accountId}, ${eventId}, ${id}, 'live', 'waba.connected', ${body}, 'failed', now())`.execute(
    homeDb,
  );
  expect(await webhooks.deliveries.redeliver(account, id, eventId)).toMatchObject({ kind: 'queued' });
  await webhooks.idle();
  expect(shop.at('/account').map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
  expect(await all(account, id, 10, 'delivered')).toEqual([[eventId]]);
});

test('an endpoint gets no more at once than it would from one cell', async () => {
  const { cancelIn } = await newShop('/busy');
  let most = 0;
  const waiting: (() => void)[] = [];
  shop.answer('/busy', (response) => {
    waiting.push(() => response.writeHead(204).end());
    most = Math.max(most, waiting.length);
  });
  await cancelIn(6);
  let answered = 0;
  const isDone = () => {
    // A few at a time, so that all cells go on.
    for (const answer of waiting.splice(0, 2)) {
      answered += 1;
      answer();
    }
    return answered === 18;
  };
  await until(() => waiting.length === 4, { what: 'as many as an endpoint gets at once' });
  await until(isDone, { what: 'all of them', everyMs: 5 });
  expect(most).toBe(4);
});

test('what a dead process leaves in each cell is taken over there', async () => {
  const dead = await testWebhooks(database, { fleet: testFleet() });
  await dead.webhooks.begin();
  shop.answer('/left', () => {}); // It dies while it waits for these answers.
  const { id, cancelIn } = await newShop('/left', dead);
  await cancelIn(3);
  await until(() => shop.at('/left').length >= 4, { what: 'first attempts on the wire' });
  await dead.webhooks.stop(0);
  dead.errors.length = 0;
  shop.answer('/left', (response) => response.writeHead(204).end());
  await sql`update process set lease_until = now() - interval '1 second'
    where id = ${dead.holder.slice(processHolder('').length)}`.execute(database.db);
  const isTaken = async () => {
    await webhooks.sweep(Date.now());
    await webhooks.idle();
    return (await stored(id)).every(
      ({ rows }) => rows.length === 3 && rows.every(({ status }) => status === 'delivered'),
    );
  };
  await until(isTaken, { what: 'all to be delivered' });
});

test('while the account is suspended they are held in each cell, and go out when it is resumed', async () => {
  const { account, id, cancelIn } = await newShop('/held');
  await suspendAccount(homeDb, { id: account.accountId, reason: null, now: new Date(), actor: tester });
  await cancelIn(2);
  await webhooks.idle();
  expect(shop.at('/held')).toEqual([]);
  for (const { rows } of await stored(id)) expect(rows).toMatchObject([{ held: true }, { held: true }]);
  await resumeAccount(homeDb, { id: account.accountId, now: new Date(), actor: tester });
  webhooks.clear();
  one.ahead.ms = 1;
  await webhooks.run(Date.now() + 1);
  await webhooks.idle();
  expect(shop.at('/held')).toHaveLength(6);
  for (const { rows } of await stored(id)) expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
});

test('a cell that is down keeps those of the others waiting for nothing', async () => {
  let isDown = false;
  const away = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const fleet = testFleet();
  const each = cells.map(({ name, database: { lanes, lists } }) => {
    const query: Queryable['query'] = (statement) =>
      isDown && name === 'b' ? Promise.reject(away) : (lanes as Queryable).query(statement);
    return { name, lanes: { query }, reads: lists, lists, fleet };
  });
  const process = await testWebhooks(database, { fleet, cells: { map, each } });
  await process.webhooks.begin();
  const { id, cancelIn } = await newShop('/down', process);
  shop.answer('/down', (response) => response.writeHead(500).end());
  await cancelIn(1);
  await until(() => shop.at('/down').length === 3, { what: 'the first attempts' });
  await process.webhooks.idle();
  shop.answer('/down', (response) => response.writeHead(204).end());
  isDown = true;
  process.ahead.ms = 6_000;
  const runs = await Promise.allSettled(process.webhooks.cells.map((cell) => cell.run(Date.now() + 6_000)));
  expect(runs.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await process.webhooks.idle();
  expect(shop.at('/down')).toHaveLength(5);
  isDown = false;
  await process.webhooks.run(Date.now() + 6_000);
  await process.webhooks.idle();
  expect(shop.at('/down')).toHaveLength(6);
  for (const { rows } of await stored(id)) expect(rows).toMatchObject([{ status: 'delivered' }]);
});
