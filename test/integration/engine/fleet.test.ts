// A process's own lease, and what it may conclude from it.
import { expect, onTestFinished, test } from 'vitest';
import { engineStore } from '../../../src/db/engine-store.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();

function member() {
  const clock = { now: 1_000_000 };
  const fleet = new Fleet({ db: engineStore(database.lanes), processId: ids('prc_'), now: () => clock.now });
  // The next test counts who lives: no lease of this one ends while it does.
  onTestFinished(() => fleet.leave());
  return { clock, fleet };
}

test('a lease is kept while it is renewed in time, and not beyond its end', async () => {
  const { clock, fleet } = member();
  expect(fleet.keptSince(clock.now)).toBe(false); // It has none yet.
  await fleet.renew();
  const began = clock.now;
  clock.now += 2_000;
  await fleet.renew();
  clock.now += 2_999;
  expect(fleet.keptSince(began)).toBe(true);
  expect(fleet.keptSince(began - 1)).toBe(false);
  clock.now += 1;
  expect(fleet.keptSince(clock.now)).toBe(false);
  await fleet.renew();
  expect([fleet.keptSince(began), fleet.keptSince(clock.now)]).toEqual([false, true]);
});

test('whoever has just come, or come back, takes nobody for dead before they had time to renew', async () => {
  const { clock, fleet } = member();
  await fleet.renew();
  expect(fleet.mayTakeOver).toBe(false);
  clock.now += 749;
  expect(fleet.mayTakeOver).toBe(false);
  clock.now += 1;
  expect(fleet.mayTakeOver).toBe(true);
  clock.now += 3_000; // As when the database was away.
  await fleet.renew();
  expect(fleet.mayTakeOver).toBe(false);
});

/** A process beside another one, and what its renewals have found out about that one since the last call. */
async function beside() {
  const [one, other] = [member(), member()];
  const found: unknown[] = [];
  const ofOther = (ids: string[]) => ids.filter((id) => id === other.fleet.processId);
  for (const kind of ['joined', 'gone'] as const) {
    one.fleet.events.on(kind, (ids) => found.push(...ofOther(ids).map(() => kind)));
  }
  one.fleet.events.on('back', () => found.push('back'));
  await one.fleet.renew();
  one.clock.now += 750;
  await one.fleet.renew();
  const renewed = async () => {
    one.clock.now += 1_000;
    await one.fleet.renew();
    return found.splice(0);
  };
  return { ...one, other: other.fleet, found, renewed };
}

test('a process that comes, goes and comes back is named once each time', async () => {
  const { other, fleet, renewed } = await beside();
  await renewed();
  await other.renew();
  const alive = fleet.alive;
  expect(await renewed()).toEqual(['joined']);
  expect(fleet.alive).toBe(alive + 1);
  expect(await renewed()).toEqual([]);
  await other.leave();
  expect(await renewed()).toEqual(['gone']);
  expect(fleet.alive).toBe(alive);
  expect(await renewed()).toEqual([]);
  await other.renew();
  expect(await renewed()).toEqual(['joined']);
  await other.leave();
  expect(await renewed()).toEqual(['gone']);
});

test('a process that came and went between two renewals is gone all the same', async () => {
  const { other, renewed } = await beside();
  await renewed();
  await other.renew();
  await other.leave();
  expect(await renewed()).toEqual(['gone']);
  expect(await renewed()).toEqual([]);
});

test('a process that was away looks at everything once it may take over, and hears of nobody before', async () => {
  const { clock, other, found, fleet, renewed } = await beside();
  expect(found.splice(0)).toEqual(['back']);
  await other.renew();
  expect(await renewed()).toEqual(['joined']);
  clock.now += 3_000; // As when the database was away.
  await other.leave();
  await fleet.renew();
  expect(found).toEqual([]);
  expect(await renewed()).toEqual(['back']);
  expect(await renewed()).toEqual([]);
});

test("until then a dead process's messages stay where they are", async () => {
  const stuck = new ScriptedChannel();
  stuck.reserve = () => new Promise(() => {});
  const dead = await testEngine(database, { sms: stuck });
  await dead.engine.starter.sendSettled(sendRequest());
  await dead.fleet.leave();
  let settled = false;
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms, mayTakeOver: () => settled });
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(0);
  settled = true;
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(1);
});
