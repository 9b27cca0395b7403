// A host's clock may be set back by hours: nothing waits until it is where it was.
import { expect, test } from 'vitest';
import type { EngineStore } from '../../../../src/db/engine-store.ts';
import type { OtherProcess } from '../../../../src/db/fleet/holder.ts';
import { Fleet } from '../../../../src/engine/fleet/members.ts';
import { Pulse } from '../../../../src/engine/fleet/pulse.ts';
import { Slots } from '../../../../src/engine/fleet/slots.ts';
import { UncertainSessions, UnknownCommits } from '../../../../src/engine/fleet/unknown-commits.ts';

const hourMs = 3_600_000;
const key = { accountId: 'acc_1', id: 'vrf_1' };
const found = { renewed: 0, free: [], bound: [], changes: { accounts: 0, waba: 0 }, parkedMs: null, linkDueAt: null };

function member() {
  const clock = { now: 10 * hourMs };
  const fleet = new Fleet({ db: {} as EngineStore, processId: 'prc_1', now: () => clock.now });
  const events: unknown[] = [];
  fleet.events.on('back', () => events.push('back')).on('gone', (ids) => events.push(...ids));
  /** Renewals a second apart, from now on. */
  const renewed = (others: OtherProcess[], times: number) => {
    for (let time = 0; time < times; time += 1) {
      clock.now += 1_000;
      fleet.renewed(clock.now, others);
    }
    return events.splice(0);
  };
  return { clock, fleet, renewed };
}

const other = (leftMs: number) => ({ id: 'prc_2', leftMs });

test('a process whose clock was set back takes over from one that dies then', () => {
  const { clock, fleet, renewed } = member();
  expect(renewed([other(3_000)], 2)).toEqual(['back']);
  clock.now -= hourMs;
  expect(renewed([other(3_000)], 3)).toEqual(['back']);
  expect(fleet.mayTakeOver).toBe(true);
  expect(renewed([other(-1)], 1)).toEqual(['prc_2']);
});

test('a clock that was set back makes no lease longer', () => {
  const { clock, fleet, renewed } = member();
  renewed([], 10);
  expect(fleet.keptSince(clock.now)).toBe(true);
  clock.now -= 5_000;
  expect(fleet.keptSince(clock.now)).toBe(false);
});

test('the next pulse does not wait for a clock that was set back during the last', async () => {
  const { clock, fleet } = member();
  const db = {
    pulse: async () => {
      clock.now -= hourMs;
      return { ...found, others: [] };
    },
  };
  const slots = { leased: () => [], renewed: () => {} };
  const loads = { changed: () => null, stored: () => {} };
  const pulse = new Pulse({ db: db as unknown as EngineStore, fleet, slots, loads });
  expect(await pulse.beat()).toBeLessThanOrEqual(800);
});

test('binds are closed before their lease ends by a clock that was set back, too', async () => {
  const { clock, fleet } = member();
  const slot = { operator: 'op', n: 0, renewing: false };
  const db = { configureSlots: async () => {}, balanceSlots: async () => [slot] };
  let held: readonly number[] = [];
  const binds = {
    isBound: () => true,
    setSlots: async (_: string, slots: readonly number[]) => {
      held = slots;
    },
  };
  const slots = new Slots({ db: db as unknown as EngineStore, fleet, now: () => clock.now, binds });
  await slots.configure(new Map([['op', 1]]));
  await slots.balance();
  clock.now -= hourMs;
  await slots.expire(); // The database is away from here on.
  expect(held).toEqual([0]);
  clock.now += 2_600;
  await slots.expire();
  expect(held).toEqual([]);
});

test('uncertain sessions are looked at once a second, and until none of their statements can be committed', () => {
  const clock = { now: 10 * hourMs };
  const uncertain = new UncertainSessions({ now: () => clock.now });
  uncertain.add([key]);
  expect(uncertain.take().sessions).toEqual([key]);
  clock.now -= hourMs;
  expect(uncertain.take().sessions).toEqual([key]);
  clock.now += 20_000;
  expect(uncertain.take().sessions).toEqual([key]); // For the last time.
  clock.now += 1_000;
  expect(uncertain.take().sessions).toEqual([]);
});

test('unknown commits are searched for once a second, and for as long as they may be committed', async () => {
  const clock = { now: 10 * hourMs };
  const commits = new UnknownCommits({ now: () => clock.now });
  let searches = 0;
  const search = () =>
    commits.search(async () => {
      searches += 1;
    });
  commits.add();
  await search();
  clock.now -= hourMs;
  await search();
  expect([searches, commits.isOpen]).toEqual([2, true]);
  clock.now += 20_001;
  await search();
  expect([searches, commits.isOpen]).toEqual([3, false]);
});
