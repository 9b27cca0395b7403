// How long data is kept where processes have different configurations: for as long as the longest of them says, and for an hour after it has gone.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { FleetRetention } from '../../../src/app/housekeeper.ts';
import { endLease, renewLease } from '../../../src/db/fleet/holder.ts';
import type { Retention } from '../../../src/db/fleet/maintenance.ts';
import { inside } from '../../../src/db/queryable.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';

const database = await testDatabase();
const db = inside(database.db);
const usual: Retention = {
  retentionDays: 30,
  reportRetentionDays: 400,
  auditRetentionDays: 400,
  closedAccountDays: 30,
};

async function process(change: Partial<Retention> = {}) {
  const processId = ids('prc_');
  await renewLease(db, processId, 60_000);
  const own = { ...usual, ...change };
  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  // As the settings of a service, which are more than these.
  const settings = () => ({ ...own, brand: 'Ramz' });
  return { processId, own, warned, retention: new FleetRetention({ db, processId, own: settings, log }) };
}

test('of each kind the longest counts, for an hour after its process has ended; the difference is logged once', async () => {
  const older = await process({ retentionDays: 365, closedAccountDays: 7 });
  const other = await process({ closedAccountDays: 90 });
  expect(await other.retention.longest()).toEqual({ ...usual, closedAccountDays: 90 });
  expect(other.warned).toEqual([]);
  await older.retention.say();
  const longest = { ...usual, retentionDays: 365, closedAccountDays: 90 };
  for (const { retention } of [other, older, other]) expect(await retention.longest()).toEqual(longest);
  expect(other.warned).toEqual([{ days: { retentionDays: { own: 30, longest: 365 } }, processes: [older.processId] }]);

  await endLease(db, older.processId);
  expect(await other.retention.longest()).toEqual(longest);
  const anHourAgo = sql`update process set lease_until = now() - interval '61 minutes' where id = ${older.processId}`;
  await anHourAgo.execute(database.db);
  expect(await other.retention.longest()).toEqual(other.own);
  expect(other.warned).toHaveLength(1);
});

test('a process that is reloaded says its new retention, and nothing of an older release shortens it', async () => {
  await sql`delete from process`.execute(database.db);
  const [one, two] = [await process(), await process()];
  await sql`insert into process_retention values (${two.processId}, '{"retentionDays": 3}')`.execute(database.db);
  expect(await one.retention.longest()).toMatchObject(usual);
  one.own.retentionDays = 60;
  await one.retention.say();
  expect(await two.retention.longest()).toMatchObject({ retentionDays: 60 });
});
