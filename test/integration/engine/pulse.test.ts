// The pulse: what one statement finds out, and when the next one comes.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engineStore } from '../../../src/db/engine-store.ts';
import type { PulseFound } from '../../../src/db/fleet/pulse.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { Pulse } from '../../../src/engine/fleet/pulse.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const store = engineStore(database.lanes);
const noSlots = { leased: () => [], renewed: () => {} };

/** A process whose clock stands still: what a statement takes does not count. */
function member({ leaseMs = 60_000, slots = noSlots as ConstructorParameters<typeof Pulse>[0]['slots'] } = {}) {
  const now = Date.now();
  const fleet = new Fleet({ db: store, processId: ids('prc_'), now: () => now, leaseMs });
  let loads: string | null = null;
  const stored: string[] = [];
  const pulse = new Pulse({
    db: store,
    fleet,
    slots,
    loads: { changed: () => loads, stored: (text) => stored.push(text) },
  });
  const found: PulseFound[] = [];
  pulse.events.on('found', (each) => found.push(each));
  const say = (text: string | null) => {
    loads = text;
  };
  return { fleet, pulse, found, stored, say };
}

test('it renews the lease and counts the living', async () => {
  const [one, two] = [member(), member()];
  await one.pulse.beat();
  const alone = one.fleet.alive;
  await two.pulse.beat();
  await one.pulse.beat();
  expect(one.fleet.alive).toBe(alone + 1);
  await sql`update process set lease_until = now() + interval '1 second' where id = ${two.fleet.processId}`.execute(
    database.db,
  );
  await two.pulse.beat();
  const { rows } = await sql<{ runs: boolean }>`
    select lease_until > now() + interval '30 seconds' as runs from process where id = ${two.fleet.processId}`.execute(
    database.db,
  );
  expect(rows).toEqual([{ runs: true }]);
  await Promise.all([one, two].map(({ fleet }) => fleet.leave()));
});

test('the next one is due after 800 ms, and as soon as the lease of a silent process ends', async () => {
  const [one, silent] = [member(), member({ leaseMs: 700 })];
  expect(await one.pulse.beat()).toBe(800);
  const gone: string[] = [];
  one.fleet.events.on('gone', (processIds) => gone.push(...processIds));
  const isSooner = async () => {
    await silent.pulse.beat();
    const dueMs = await one.pulse.beat();
    return dueMs > 0 && dueMs <= 710;
  };
  // Once more where the lease ended between the two.
  await until(isSooner, { what: 'the end of the silent lease to count' });
  await one.fleet.leave();
});

test('the one after a bind was lost or came up is due sooner: the others have news of theirs, too', async () => {
  await sql`delete from process`.execute(database.db); // Leases of the tests before end at times of their own.
  let bound = true;
  const slots = { leased: () => [{ operator: 'atlas', n: 0, bound }], renewed: () => {} };
  const { pulse, fleet } = member({ slots });
  expect([await pulse.beat(), await pulse.beat()]).toEqual([200, 800]);
  bound = false;
  expect([await pulse.beat(), await pulse.beat()]).toEqual([200, 800]);
  await fleet.leave();
});

test('loads of routes are stored where they have changed, and stay as they are otherwise', async () => {
  const one = member();
  const loadOf = async () => (await store.readRouteLoads()).get('sms/atlas');
  one.say('{"sms/atlas":{"waiting":7,"perSecond":10}}');
  await one.pulse.beat();
  expect(one.stored).toHaveLength(1);
  one.say(null);
  await one.pulse.beat();
  expect(await loadOf()).toEqual({ waiting: 7, perSecond: 10 });
  one.say('{}');
  await one.pulse.beat();
  expect(await loadOf()).toBeUndefined();
  await one.fleet.leave();
});

test('it sees changed accounts and links, and how long the youngest parked receipt has been there', async () => {
  const { pulse, found, fleet } = member();
  const beat = async () => {
    await pulse.beat();
    return found.at(-1);
  };
  const before = await beat();
  expect(before).toMatchObject({ parkedMs: null, linkDueAt: null });
  await sql`update change_counter set value = value + 3 where name = 'accounts'`.execute(database.db);
  await sql`update change_counter set value = value + 1 where name = 'waba'`.execute(database.db);
  await sql`insert into parked_receipt (id, operator, reason, raw, received_at)
    values ('prk_1', 'atlas', 'unmatched', '', now() - interval '1 hour'), ('prk_2', 'atlas', 'unmatched', '', now() - interval '5 seconds')
  `.execute(database.db);
  const after = await beat();
  expect(after?.changes).toEqual({
    operators: before?.changes.operators,
    keys: before?.changes.keys,
    accounts: (before?.changes.accounts ?? 0) + 3,
    waba: (before?.changes.waba ?? 0) + 1,
  });
  expect(after?.parkedMs).toBeGreaterThanOrEqual(5_000);
  expect(after?.parkedMs).toBeLessThan(60_000);
  await sql`delete from parked_receipt`.execute(database.db);
  expect(await beat()).toMatchObject({ parkedMs: null });
  await fleet.leave();
});
