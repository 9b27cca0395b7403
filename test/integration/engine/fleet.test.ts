// A process's own lease, and what it may conclude from it.
import { expect, test } from 'vitest';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();

function member() {
  const clock = { now: 1_000_000 };
  const fleet = new Fleet({ db: database.lanes, processId: ids('prc_'), now: () => clock.now });
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
