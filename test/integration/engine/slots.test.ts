// Bind slots over several processes: never more binds than allowed, fair shares, nobody waits for the dead.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engineStore } from '../../../src/db/engine-store.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { Pulse } from '../../../src/engine/fleet/pulse.ts';
import { Slots } from '../../../src/engine/fleet/slots.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const allowed = new Map([
  ['atlas', 4],
  ['sahara', 1],
]);

async function member(db = engineStore(database.lanes)) {
  const fleet = new Fleet({ db: engineStore(database.lanes), processId: ids('prc_'), now: Date.now, leaseMs: 60_000 });
  await fleet.renew();
  const open = new Map<string, number[]>();
  const closing: (() => void)[] = [];
  let slowClose = false;
  const slots = new Slots({
    db,
    fleet,
    now: Date.now,
    binds: {
      isBound: () => true,
      async setSlots(operator, slots) {
        const fewer = slots.length < (open.get(operator) ?? []).length;
        if (fewer && slowClose) await new Promise<void>((resolve) => closing.push(resolve));
        open.set(operator, [...slots]);
      },
    },
  });
  await slots.configure(allowed);
  const pulse = new Pulse({
    db: engineStore(database.lanes),
    fleet,
    slots,
    loads: { changed: () => null, stored: () => {} },
  });
  /** A pulse, and what the loops do after it. */
  const beat = async () => {
    await pulse.beat();
    if (!slots.unbalanced.isSet) return 'even';
    slots.unbalanced.clear();
    await slots.balance();
    return 'balanced';
  };
  const closeSlowly = (slowly: boolean) => {
    slowClose = slowly;
  };
  return { fleet, slots, open, closing, closeSlowly, pulse, beat };
}

test('one process holds all; a second one gets its share, and only once the first has closed its binds', async () => {
  const one = await member();
  await one.slots.balance();
  expect(Object.fromEntries(one.open)).toEqual({ atlas: [0, 1, 2, 3], sahara: [0] });
  expect(await one.slots.anyBound()).toBe(false);
  await one.slots.balance();
  expect(await one.slots.anyBound()).toBe(true);

  const two = await member();
  await two.slots.balance();
  expect(two.open.get('atlas')).toBeUndefined();

  one.closeSlowly(true);
  const balancing = one.beat();
  await until(() => one.closing.length > 0, { what: 'the first to begin closing' });
  await two.slots.balance();
  expect(two.open.get('atlas')).toBeUndefined();
  one.closing[0]?.();
  await balancing;
  await two.slots.balance();
  expect(one.open.get('atlas')).toEqual([0, 1]);
  expect(two.open.get('atlas')).toEqual([2, 3]);

  one.closeSlowly(false);
  await one.slots.release();
  await one.fleet.leave();
  expect(await two.beat()).toBe('balanced');
  expect(two.open.get('atlas')).toEqual([0, 1, 2, 3]);
  expect(two.open.get('sahara')).toEqual([0]);
  const { rows } = await sql<{ fence: number }>`select fence from bind_slot where operator = 'sahara'`.execute(
    database.db,
  );
  expect(rows).toEqual([{ fence: 2 }]);
  await two.slots.release();
  await two.fleet.leave();
});

test('a pulse renews what is held, and slots are shared out only where that changes something', async () => {
  const one = await member();
  expect(await one.beat()).toBe('balanced');
  expect(await one.beat()).toBe('even');
  await sql`update bind_slot set lease_until = now() - interval '1 second'`.execute(database.db);
  expect(await one.beat()).toBe('even'); // Still its own: nobody has taken them.
  const { rows: renewed } = await sql<{ held: boolean; bound: boolean }>`
    select bool_and(lease_until > now() + interval '30 seconds') as held, bool_and(bound) as bound from bind_slot`.execute(
    database.db,
  );
  expect(renewed).toEqual([{ held: true, bound: true }]);

  await sql`update bind_slot set owner = 'prc_other' where operator = 'atlas' and n = 3`.execute(database.db);
  expect(await one.beat()).toBe('balanced'); // One is lost.
  expect(one.open.get('atlas')).toEqual([0, 1, 2]);
  expect(await one.beat()).toBe('even');
  await sql`update bind_slot set owner = null where operator = 'atlas' and n = 3`.execute(database.db);
  expect(await one.beat()).toBe('balanced'); // One is free.
  expect(one.open.get('atlas')).toEqual([0, 1, 2, 3]);

  const two = await member();
  expect(await one.beat()).toBe('balanced'); // A process has come.
  expect(one.open.get('atlas')).toEqual([0, 1]);
  await two.fleet.leave();
  expect(await one.beat()).toBe('balanced');
  expect(one.open.get('atlas')).toEqual([0, 1, 2, 3]);
  await one.slots.release();
  await one.fleet.leave();
});

test('a process that does not know an operator takes no slot of it away, and one that knows of fewer binds does', async () => {
  const one = await member();
  await one.slots.balance();
  const store = engineStore(database.lanes);
  await store.configureSlots(new Map());
  await store.configureSlots(new Map([['sahara', 1]]));
  expect(await one.beat()).toBe('even');
  expect(Object.fromEntries(one.open)).toEqual({ atlas: [0, 1, 2, 3], sahara: [0] });
  await store.configureSlots(new Map([['atlas', 2]]));
  expect(await one.beat()).toBe('balanced');
  expect(Object.fromEntries(one.open)).toEqual({ atlas: [0, 1], sahara: [0] });
  await one.slots.release();
  await one.fleet.leave();
});

test('slots that the database could not be given at a reload are there after the next balance', async () => {
  let isAway = false;
  const store = engineStore(database.lanes);
  const configureSlots: typeof store.configureSlots = async (binds) => {
    if (isAway) throw new Error('away');
    await store.configureSlots(binds);
  };
  const one = await member({ ...store, configureSlots });
  await one.slots.balance();
  one.slots.unbalanced.clear();
  isAway = true;
  const more = new Map([...allowed, ['sahara', 2]] as const);
  await expect(one.slots.configure(more)).rejects.toThrow('away');
  isAway = false;
  expect(await one.beat()).toBe('balanced');
  expect(one.open.get('sahara')).toEqual([0, 1]);
  await one.slots.configure(allowed);
  await one.slots.release();
  await one.fleet.leave();
});

test('binds whose slots a pulse is renewing at that very moment stay up, and count', async () => {
  const one = await member();
  await one.slots.balance();
  const binds = () => one.open.get('atlas')?.length;
  /** Beside a pulse whose commit takes long: until it is done, or binds are closed. */
  const balanced = async () => {
    let balancing = Promise.resolve();
    const before = binds();
    await database.db.transaction().execute(async (tx) => {
      await sql`update bind_slot set lease_until = now() + interval '60 seconds'
        where owner = ${one.fleet.processId}`.execute(tx);
      balancing = one.slots.balance();
      await Promise.race([balancing, until(() => binds() !== before, { what: 'other binds' })]);
    });
    const left = binds();
    await balancing;
    return left;
  };
  expect(await balanced()).toBe(4);
  const two = await member();
  await one.fleet.renew();
  expect(await balanced()).toBe(2);
  expect(one.open.get('atlas')).toEqual([0, 1]);
  for (const each of [one, two]) {
    await each.slots.release();
    await each.fleet.leave();
  }
});

test("while a bind is being closed its slot is renewed, and is nobody else's", async () => {
  const one = await member();
  await one.beat();
  const two = await member();
  one.closeSlowly(true);
  const balancing = one.beat();
  await until(() => one.closing.length > 0, { what: 'the first to begin closing' });
  await sql`update bind_slot set lease_until = now() + interval '1 second'`.execute(database.db);
  await one.pulse.beat();
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from bind_slot where lease_until > now() + interval '30 seconds'`.execute(
    database.db,
  );
  expect(rows).toEqual([{ n: 5 }]);
  await two.beat();
  expect(two.open.get('atlas')).toBeUndefined();
  one.closing[0]?.();
  await balancing;
  await two.beat();
  expect(two.open.get('atlas')).toEqual([2, 3]);
  one.closeSlowly(false);
  await Promise.all([one, two].map(({ slots }) => slots.release()));
  await Promise.all([one, two].map(({ fleet }) => fleet.leave()));
});

test('so it is while all binds of a process that stops are being closed', async () => {
  const one = await member();
  await one.beat();
  const two = await member();
  one.closeSlowly(true);
  const released = one.slots.release();
  await until(() => one.closing.length === 2, { what: 'the binds of both operators to be closing' });
  await sql`update bind_slot set lease_until = now() - interval '1 second'`.execute(database.db);
  await one.pulse.beat();
  await two.beat();
  expect(two.open.size).toBe(0);
  for (const close of one.closing) close();
  await released;
  await one.fleet.leave();
  await two.beat();
  expect(two.open.get('atlas')).toEqual([0, 1, 2, 3]);
  await two.slots.release();
  await two.fleet.leave();
});

test('of a process that stops and loses the database, binds that are being closed end sooner', async () => {
  let now = Date.now();
  const fleet = new Fleet({ db: engineStore(database.lanes), processId: ids('prc_'), now: () => now, leaseMs: 3_000 });
  await fleet.renew();
  const asked: [string, number, number | undefined][] = [];
  const slots = new Slots({
    db: engineStore(database.lanes),
    fleet,
    now: () => now,
    binds: {
      isBound: () => true,
      async setSlots(operator, slots, graceMs) {
        asked.push([operator, slots.length, graceMs]);
        if (slots.length === 0) await new Promise(() => {}); // Its operator does not answer.
      },
    },
  });
  await slots.configure(allowed);
  await slots.balance();
  asked.length = 0;
  void slots.release();
  expect(asked).toEqual([
    ['atlas', 0, undefined],
    ['sahara', 0, undefined],
  ]);
  now += 2_600;
  void slots.expire();
  expect(asked.slice(2)).toEqual([
    ['atlas', 0, 250],
    ['sahara', 0, 250],
  ]);
  await sql`update bind_slot set owner = null`.execute(database.db);
  await fleet.leave();
});

test('a process whose lease could not be renewed closes its binds by itself', async () => {
  let now = Date.now();
  const fleet = new Fleet({ db: engineStore(database.lanes), processId: ids('prc_'), now: () => now, leaseMs: 3_000 });
  await fleet.renew();
  let held: number[] = [];
  const hasty: string[] = [];
  const slots = new Slots({
    db: engineStore(database.lanes),
    fleet,
    now: () => now,
    binds: {
      isBound: () => true,
      async setSlots(operator, slots, graceMs) {
        if (operator === 'atlas') held = [...slots];
        // Never closed: what is under way on it waits for the database.
        if (graceMs !== undefined && graceMs < 500) hasty.push(operator);
        if (hasty.length > 0) await new Promise(() => {});
      },
    },
  });
  await slots.configure(allowed);
  await slots.balance();
  expect(held).toEqual([0, 1, 2, 3]);
  now += 2_000;
  await slots.expire();
  expect(held).toEqual([0, 1, 2, 3]);
  now += 600; // Before the lease ends: when it does, they must be closed.
  void slots.expire();
  expect(held).toEqual([]);
  expect(hasty).toEqual(['atlas', 'sahara']);
});
