// A process that starts with a shorter retention than others have deletes nothing that they keep.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { renewLease } from '../../../src/db/fleet/holder.ts';
import { sayRetention } from '../../../src/db/fleet/maintenance.ts';
import { readPartitions } from '../../../src/db/partitions/plan.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { dayMs } from '../../../src/time/wall-clock.ts';
import { ids } from '../../support/engine.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService();
const { db } = service.database;
const other = 'prc_00000000000000000000000000';
const names = async () => (await readPartitions(inside(db))).map(({ name }) => name);

/** Closed for longer than `closed_account_days`. */
async function closedAccount(): Promise<string> {
  const id = ids('acct_');
  await sql`insert into account (id, name, created_at, suspended_at, closed_at)
    values (${id}, 'Old', now() - interval '62 days', now() - interval '61 days', now() - interval '60 days')`.execute(
    db,
  );
  return id;
}
const gone = (accountId: string) => `"account_id":"${accountId}","msg":"everything of a closed account is deleted"`;

test('a start deletes nothing that a longer retention keeps, and deletes it once that is gone', async () => {
  const old = await ensurePartitions(service.database.plain, Date.now() - 60 * dayMs, 30);
  const closed = await closedAccount();
  expect(old.length).toBeGreaterThan(0);
  await renewLease(inside(db), other, 3_600_000);
  const longer = { retentionDays: 365, reportRetentionDays: 400, auditRetentionDays: 400, closedAccountDays: 365 };
  await sayRetention(inside(db), other, longer);

  const first = await service.startHere();
  await until(() => first.log().includes('the longest retention counts'), { what: 'housekeeping' });
  await first.app.close();
  expect(await names()).toEqual(expect.arrayContaining(old));
  expect(first.log()).not.toContain(gone(closed));

  await sql`delete from process where id = ${other}`.execute(db);
  const second = await service.startHere();
  await until(async () => !(await names()).some((name) => old.includes(name)), { what: 'the end of what is old' });
  await until(() => second.log().includes(gone(closed)), { what: 'the purge of the closed account' });

  service.configure({ service: { retention_days: 45 } });
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  await second.app.reload(loaded.config);
  const { rows } = await sql<{ days: number }>`select (retention -> 'retentionDays')::integer as days
    from process_retention order by process_id desc limit 1`.execute(db);
  expect(rows).toEqual([{ days: 45 }]);
});

test('a start says how long it keeps data before it goes on, so that no other deletes it meanwhile', async () => {
  await sql`delete from process`.execute(db);
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table bind_slot in access exclusive mode');
  const starting = service.startHere();
  const said = async () => (await sql`select from process_retention`.execute(db)).rows.length === 1;
  // Its loops, which say it as well, begin once it has its binds.
  await until(said, { what: 'its retention' }).finally(() => holder.end());
  await starting;
});
