// Several processes on one database, one of them killed; and endpoints that hang beside one that does not.
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { lowestId, timeOf } from '../../../src/core/ids.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { takeOverDeliveries } from '../../../src/db/webhooks/recovery.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { testDatabase } from '../../support/database.ts';
import { startScript } from '../../support/process.ts';
import { until } from '../../support/wait.ts';
import { ringJson } from './ring.ts';
import { ids, leaseMs, receiver, testAccount, testFleet, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const first = await testWebhooks(database);
const second = await testWebhooks(database.connect());
const account = await testAccount(database, first.manager);
const script = join(import.meta.dirname, 'deliverer.ts');
/** Leases of processes last for as long as a test may, unless it says otherwise: none ends because the machine is slow. */
const env = { DATABASE_URL: database.url, KEY_RING: ringJson, LEASE_MS: '60000' };

afterEach(async () => {
  expect([...first.errors, ...second.errors]).toEqual([]);
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db);
});

const statuses = async () =>
  (
    await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from webhook_delivery group by status order by status`.execute(database.db)
  ).rows;

/** Retries that are due. */
const overdue = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from webhook_retry where next_at <= now()`.execute(database.db))
    .rows[0]?.n ?? 0;

/** The lease of the one process started by a script, as the database has it. */
const leaseOf = async (processId: string) => {
  const found = await sql<{ until: Date }>`select lease_until as until from process where id = ${processId}`.execute(
    database.db,
  );
  return found.rows[0]?.until.getTime() ?? Number.NaN;
};

test('a process that has lost its lease takes up nothing: it would be taken away at once', async () => {
  const fleet = { ...testFleet(), keptSince: () => false, mayTakeOver: false };
  const lost = await testWebhooks(database.connect(), { fleet });
  const { id } = await account.create(shop.url('/lost'));
  await account.event(id);
  expect(await lost.webhooks.sweep(Date.now())).toBe(0);
  expect(shop.at('/lost')).toEqual([]);
  expect(await second.webhooks.sweep(Date.now())).toBe(1);
  await second.webhooks.idle();
  expect(shop.at('/lost')).toHaveLength(1);
});

/** A process that stores and claims what the test says, and dies. */
async function deadProcess({ closed = false } = {}) {
  const holder = ids('process/');
  const id = holder.slice('process/'.length);
  await sql`insert into process (id, started_at, lease_until)
    values (${id}, now(), now() - ${closed ? 30 : 0} * interval '1 second')`.execute(database.db);
  await sql`insert into webhook_holder (holder, settled_before)
    values (${holder}, ${lowestId('evt_', Date.now() - 60_000)})`.execute(database.db);
  const mark = async () =>
    (
      await sql<{ searched: boolean }>`select searched_at is not null as searched from webhook_holder
        where holder = ${holder}`.execute(database.db)
    ).rows[0];
  return {
    holder,
    mark,
    ends: () =>
      sql`update process set lease_until = now() - interval '30 seconds' where id = ${id}`.execute(database.db),
  };
}

test('what a dead process had leased is due since then: before what came later', async () => {
  const { id } = await account.create(shop.url('/order'));
  const { holder } = await deadProcess();
  const now = Date.now();
  await account.event(id, now + leaseMs - 5_000);
  await sql`update webhook_retry set holder = ${holder}`.execute(database.db);
  const taken = await takeOverDeliveries(database.lanes, {
    endpoints: [id],
    holders: [holder],
    now,
    leaseMs,
    limit: 10,
  });
  expect(taken).toEqual({ taken: 1, more: false });
  expect(await account.one(id)).toMatchObject({ due_in_ms: expect.toSatisfy((ms) => ms <= -5_000), leased_to: null });
});

describe('first attempts', () => {
  test('of a dead process are looked for twice: once its lease has ended, and when nothing of it can be committed any more', async () => {
    const { id } = await account.create(shop.url('/first-attempts'));
    const dead = await deadProcess();
    const events = [await account.event(id, 0, dead.holder), await account.event(id, 0, dead.holder)];
    const alive = await account.event(id, 0, first.holder);
    expect(await second.webhooks.sweep(Date.now())).toBe(2);
    expect(await dead.mark()).toEqual({ searched: true });
    const late = await account.event(id, 0, dead.holder);
    expect(await second.webhooks.sweep(Date.now())).toBe(0);
    await dead.ends();
    expect(await second.webhooks.sweep(Date.now())).toBe(1);
    expect(await dead.mark()).toBeUndefined();
    await second.webhooks.idle();
    const posted = shop.at('/first-attempts').map(({ headers }) => headers['webhook-id']);
    expect(posted.toSorted()).toEqual([...events, late].map((event) => event.id).toSorted());
    expect((await account.deliveries(id)).find(({ event_id }) => event_id === alive.id)).toMatchObject({
      status: 'pending',
      waits: false,
    });
  });

  test('are taken over by one process alone, however many see that it is dead', async () => {
    const { id } = await account.create(shop.url('/one-heir'));
    const dead = await deadProcess({ closed: true });
    for (let n = 0; n < 20; n += 1) await account.event(id, 0, dead.holder);
    const all = [first, second].map(({ webhooks }) => webhooks);
    await until(
      async () => {
        await Promise.all(all.map((each) => each.sweep(Date.now())));
        await Promise.all(all.map((each) => each.idle()));
        return JSON.stringify(await statuses()) === '[{"status":"delivered","n":20}]';
      },
      { what: 'all to be delivered' },
    );
    expect(shop.at('/one-heir')).toHaveLength(20);
  });

  test('a mark leaves out nothing that waits in memory', async () => {
    const { id } = await account.create(shop.url('/waits-long'));
    const busy = await testWebhooks(database.connect(), { queue: { maxInFlightPerEndpoint: 1 } });
    let release = () => {};
    shop.answer('/waits-long', (response) => {
      release = () => response.writeHead(204).end();
    });
    const storedAt = Date.now() - 30_000;
    const event = await account.event(id, 0, busy.holder);
    const deliveries = [{ eventId: event.id, endpointId: id }];
    await busy.webhooks.sweep(Date.now());
    // Posted with so late a lease that it is not given back.
    busy.ahead.ms = -30_000;
    busy.webhooks.post({ deliveries, bodies: [event], storedAt }, account);
    await until(() => shop.at('/waits-long').length === 1, { what: 'the post' });
    busy.ahead.ms = 0;
    const settled = async () =>
      (
        await sql<{
          at: string;
        }>`select settled_before as at from webhook_holder where holder = ${busy.holder}`.execute(database.db)
      ).rows[0]?.at ?? '';
    await busy.webhooks.sweep(Date.now() + 60_000);
    expect(timeOf(await settled())).toBeLessThanOrEqual(storedAt);
    release();
    await busy.webhooks.idle();
    busy.webhooks.post({ deliveries: [], bodies: [], storedAt: Date.now() }, account);
    await busy.webhooks.sweep(Date.now() + 60_000);
    expect(timeOf(await settled())).toBeGreaterThan(storedAt);
  });
});

test('a quiet process that passed for dead once leaves its first attempts to another at once when it dies', async () => {
  const { id } = await account.create(shop.url('/frozen-once'));
  const frozen = await testWebhooks(database.connect());
  const processId = frozen.holder.slice('process/'.length);
  const lease = (seconds: number) =>
    sql`update process set lease_until = now() + ${seconds} * interval '1 second' where id = ${processId}`.execute(
      database.db,
    );
  const sweep = () => frozen.webhooks.sweep(Date.now());
  await frozen.webhooks.begin();
  await sweep();
  await lease(0);
  expect(await second.webhooks.sweep(Date.now())).toBe(0);
  await lease(86_400);
  await sweep();
  await sweep(); // At once, as its loop does.
  await account.event(id, 0, frozen.holder);
  await lease(0);
  expect(await second.webhooks.sweep(Date.now())).toBe(1);
  await second.webhooks.idle();
  expect(await account.one(id)).toMatchObject({ status: 'delivered' });
});

describe('first attempts that are stored after the clock of a process was set back', () => {
  /** A process that begins with its clock an hour ahead, which is then set right. */
  async function setBack() {
    const clock = { aheadMs: 3_600_000 };
    const now = () => Date.now() + clock.aheadMs;
    const process = await testWebhooks(database.connect(), { now });
    await process.webhooks.begin();
    await process.webhooks.sweep(now());
    clock.aheadMs = 0;
    return { ...process, clock, now };
  }

  test('are found by another when the process dies before its clock is where it was', async () => {
    const { id } = await account.create(shop.url('/set-back'));
    const dying = await setBack();
    await dying.webhooks.sweep(dying.now());
    await account.event(id, 0, dying.holder);
    const processId = dying.holder.slice('process/'.length);
    await sql`update process set lease_until = now() - interval '30 seconds' where id = ${processId}`.execute(
      database.db,
    );
    expect(await second.webhooks.sweep(Date.now())).toBe(1);
    await second.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'delivered' });
  });

  test('are found by the process itself where it never heard of their commit', async () => {
    const { id } = await account.create(shop.url('/set-back-unknown'));
    const living = await setBack();
    await account.event(id, 0, living.holder);
    living.webhooks.commitUnknown();
    living.clock.aheadMs = 3_000; // A younger row may be on its way from its commit.
    await until(
      async () => {
        await living.webhooks.sweep(living.now());
        await living.webhooks.idle();
        return (await account.one(id)).status === 'delivered';
      },
      { what: 'the delivery' },
    );
  });
});

describe('a process that dies', () => {
  const started = async (more: Record<string, string> = {}) => {
    const dying = startScript(script, { env: { ...env, ...more } });
    const [, processId = ''] = await dying.waitFor(/renews (\w+)/);
    return { dying, processId };
  };
  /** As the loop of a living process does, until `done`. */
  const sweepUntil = (done: () => boolean, what: string) =>
    until(
      async () => {
        await second.webhooks.sweep(Date.now());
        return done();
      },
      { what },
    );

  test('leaves its webhooks to the next sweep of another once its own lease ends, on the wire and waiting, ids unchanged', async () => {
    shop.answer('/dies', (response) => {
      if (shop.at('/dies').length > 4) response.writeHead(200).end(); // The first four, all that go at once, hang.
    });
    const { id } = await account.create(shop.url('/dies'));
    const events = await Promise.all(Array.from({ length: 10 }, () => account.event(id)));
    const { dying, processId } = await started();
    await until(() => shop.at('/dies').length === 4, { what: 'the first posts' });
    await dying.end('SIGKILL');

    expect(await second.webhooks.sweep(Date.now())).toBe(0); // It might live.
    await sql`update process set lease_until = now() where id = ${processId}`.execute(database.db);
    expect(await second.webhooks.sweep(Date.now())).toBe(10); // A living process sweeps once a second.
    await second.webhooks.idle();
    const taken = shop.at('/dies').slice(4);
    expect(taken.map((post) => post.headers['webhook-id']).sort()).toEqual(events.map((event) => event.id).sort());
    expect(await statuses()).toEqual([{ status: 'delivered', n: 10 }]);
  });

  test('takes nothing back when it was only asleep: what waited in it is posted once', async () => {
    let hold = () => {};
    shop.answer('/sleeps', (response) => {
      if (shop.at('/sleeps').length > 4) response.writeHead(200).end();
      else if (shop.at('/sleeps').length === 4) hold = () => response.writeHead(200).end();
    });
    const { id } = await account.create(shop.url('/sleeps'));
    const events = await Promise.all(Array.from({ length: 30 }, () => account.event(id)));
    // It has to see for itself that its lease has ended.
    const { dying, processId } = await started({ SWEEP_MS: '100', LEASE_MS: '1500' });
    await until(() => shop.at('/sleeps').length === 4, { what: 'the first posts' });
    dying.signal('SIGSTOP');
    await sweepUntil(() => shop.at('/sleeps').length === 34, 'the heir to post all thirty');
    await second.webhooks.idle();
    dying.signal('SIGCONT');
    hold(); // One of its places is free: it looks at what waits.
    await until(async () => (await leaseOf(processId)) > Date.now(), { what: 'the sleeper to be back' });
    const late = await account.event(id);
    await until(() => shop.at('/sleeps').some((post) => post.headers['webhook-id'] === late.id), {
      what: 'the sleeper to deliver again',
    });
    await dying.end('SIGKILL');
    const twice = shop.at('/sleeps').map((post) => post.headers['webhook-id']);
    expect(twice).toHaveLength(4 + 30 + 1);
    expect(new Set(twice.slice(4))).toEqual(new Set([...events, late].map((event) => event.id)));
  });

  test('or leaves: the same, at once', async () => {
    shop.answer('/leaves', () => {});
    const { id } = await account.create(shop.url('/leaves'));
    await account.event(id);
    const fleet = new Fleet({
      db: engineStore(database.lanes),
      processId: ids('prc_'),
      now: Date.now,
      leaseMs: 60_000,
    });
    await fleet.renew();
    const leaving = await testWebhooks(database, { fleet });
    await leaving.webhooks.sweep(Date.now());
    await until(() => shop.at('/leaves').length === 1, { what: 'the post' });
    await leaving.webhooks.stop(0);
    shop.answer('/leaves', (response) => response.writeHead(200).end());
    await second.webhooks.sweep(Date.now());
    expect(second.webhooks.held.inFlight).toBe(0);
    await fleet.leave();
    await second.webhooks.sweep(Date.now());
    await second.webhooks.idle();
    expect(await account.one(id)).toMatchObject({ status: 'delivered' });
    expect(fleet.keptSince(Date.now())).toBe(false);
  });
});

test('a process that ends leaves what waits in it to others at once, and has what is on the wire answered', async () => {
  let answer = () => {};
  shop.answer('/ends', (response) => {
    const done = () => response.writeHead(204).end();
    if (shop.at('/ends').length === 1) answer = done;
    else done();
  });
  const { id } = await account.create(shop.url('/ends'));
  for (let n = 0; n < 5; n += 1) await account.event(id);
  const ending = await testWebhooks(database, { queue: { maxInFlightPerEndpoint: 1 } });
  await ending.webhooks.sweep(Date.now());
  await until(() => shop.at('/ends').length === 1, { what: 'the first post' });
  const stopping = ending.webhooks.stop(60_000);
  await until(
    async () => {
      await second.webhooks.sweep(Date.now());
      return shop.at('/ends').length === 5;
    },
    { what: 'another to post the others' },
  );
  answer();
  await stopping;
  await second.webhooks.idle();
  expect(new Set(shop.at('/ends').map((post) => post.headers['webhook-id'])).size).toBe(5);
  expect((await account.deliveries(id)).map(({ status }) => status)).toEqual(Array(5).fill('delivered'));
});

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
    await until(() => shop.at('/killed').length === 1, { what: 'the first post' });
    await killed.end('SIGKILL');

    await first.webhooks.sweep(Date.now());
    await first.webhooks.idle();
    expect(shop.at('/killed')).toHaveLength(1); // The lease of the dead still holds.
    first.ahead.ms = leaseMs + 1_000;
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
      { what: 'all rows to be delivered' },
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
    second.ahead.ms = leaseMs + 1_000; // To the second process the first one's lease is over.
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
    second.ahead.ms = leaseMs + 1_000;
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
    const { holder } = small;
    const leaseUntil = Date.now() + leaseMs;
    const events = await Promise.all(Array.from({ length: 20 }, () => account.event(id, leaseUntil, holder)));
    const deliveries = events.map((event) => ({ eventId: event.id, endpointId: id }));
    small.webhooks.post({ deliveries: deliveries, bodies: events, storedAt: Date.now() }, account);
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

test('what waits in the table is taken while new ones fill the line, and posted before them', async () => {
  const small = await testWebhooks(database, { queue: { maxWaitingPerEndpoint: 2, maxInFlightPerEndpoint: 1 } });
  const { id } = await account.create(shop.url('/backlog'));
  let release = () => {};
  shop.answer('/backlog', (response) => {
    release = () => response.writeHead(204).end();
  });
  const { holder } = small;
  const leaseUntil = Date.now() + leaseMs;
  const old = [await account.event(id), await account.event(id)];
  const fresh = [];
  for (let n = 0; n < 3; n += 1) fresh.push(await account.event(id, leaseUntil, holder));
  fresh.sort((a, b) => (a.id < b.id ? -1 : 1)); // Made in one millisecond, they may come in any order.
  const [first, ...rest] = fresh.map((event) => ({ eventId: event.id, endpointId: id }));
  small.webhooks.post({ deliveries: [first!], bodies: fresh, storedAt: Date.now() }, account);
  await until(() => shop.at('/backlog').length === 1, { what: 'the first post' });
  small.webhooks.post({ deliveries: rest, bodies: fresh, storedAt: Date.now() }, account);
  await small.webhooks.sweep(Date.now());
  expect(small.outcomes).not.toContain('left full');

  shop.answer('/backlog', (response) => response.writeHead(204).end());
  release();
  await small.webhooks.idle();
  const posted = shop.at('/backlog').map(({ headers }) => headers['webhook-id']);
  const waited = [...old, ...fresh.slice(1)].map((event) => event.id);
  expect(posted).toEqual([fresh[0]?.id, ...waited.toSorted()]);
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
    await until(async () => (await overdue()) === 300 - 4 - crowd.webhooks.held.waiting, {
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
    // What one claim did not take; and of what it took and had no room for, as much as was given back by then.
    const putOff = waits.filter((minutes) => minutes === 30).length;
    expect(putOff).toBeGreaterThanOrEqual(50);
    expect(putOff).toBeLessThanOrEqual(250 - 20);
    expect(waits.filter((minutes) => minutes <= 1)).toHaveLength(250 - putOff); // leased, or due
  });

  test('but only for seconds when they have failed just now', async () => {
    const crowd = await testWebhooks(database, { queue: { maxWaitingPerEndpoint: 20 } });
    const { id } = await account.create(shop.url('/h4'));
    shop.answer('/h4', () => {});
    await sql`update webhook_endpoint set failing_since = now() where id = ${id}`.execute(database.db);
    const due = Date.now() - 1_000;
    for (let n = 0; n < 250; n += 1) await account.event(id, due);
    await crowd.webhooks.sweep(Date.now());
    const leased = async () => {
      const waits = (await account.deliveries(id)).map(({ due_in_ms }) => due_in_ms ?? 0);
      return waits.filter((ms) => ms > 5_000).length;
    };
    // What did not fit is given back in a statement of its own.
    await until(async () => (await leased()) <= 20 + 4, { what: 'only what this process has room for to be leased' });
    await crowd.webhooks.stop(0);
  });

  test('a row whose lease is too short for an answer is left to the sweep, and due at once', async () => {
    const { id } = await account.create(shop.url('/short'));
    const brief = await testWebhooks(database, { leaseMs: 15_000 });
    const event = await account.event(id, Date.now() + leaseMs, brief.holder);
    brief.webhooks.post(
      { deliveries: [{ eventId: event.id, endpointId: id }], bodies: [event], storedAt: Date.now() },
      account,
    );
    await brief.webhooks.idle();
    expect(brief.outcomes).toEqual(['left lease']);
    expect(shop.at('/short')).toEqual([]);
    await until(async () => (await overdue()) === 1, { what: 'the row to be due' });
  });
});
