// A deployment that stood still for longer than it keeps sessions: the partitions of what was pending are dropped, and nothing of it is left
// that would reserve a number or wait for a route.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { runMaintenance } from '../../../src/engine/fleet/maintenance.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const dayMs = 86_400_000;
const database = await testDatabase();

const left = async () =>
  (
    await sql<{ session_id: string }>`select session_id from pending_number union all select session_id from unsettled
      union all select session_id from route_queue`.execute(database.db)
  ).rows.map(({ session_id }) => session_id);

test('what was pending in a dropped partition reserves its number no longer', async () => {
  const now = Date.now();
  // Its sessions are old by every clock.
  const clock = { now: now - 40 * dayMs };
  await ensurePartitions(database.db, clock.now, 30);
  const { engine } = await testEngine(database, { sms: new ScriptedChannel(), now: () => clock.now });
  const request = sendRequest();
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };

  await runMaintenance(database.db, now, { retentionDays: 365, reportRetentionDays: 400, auditRetentionDays: 400 });
  expect(await left()).toContain(key.id);

  await sql`insert into unsettled (shard, session_id, account_id) values (1, ${key.id}, ${key.accountId})`.execute(
    database.db,
  );
  await sql`insert into route_queue (route, session_id, account_id) values ('atlas', ${key.id}, ${key.accountId})`.execute(
    database.db,
  );
  await runMaintenance(database.db, now, { retentionDays: 7, reportRetentionDays: 400, auditRetentionDays: 400 });
  expect(await left()).toEqual([]);
  clock.now = now;
  expect(await engine.starter.sendSettled(request)).toMatchObject({ kind: 'sent', session: { sends: 1 } });
});
