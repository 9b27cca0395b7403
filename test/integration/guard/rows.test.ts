// What verifications in batches of 16 write: most updates stay on their page and touch no index (HOT). An index on a column that a save
// changes, or partitions without room on their pages, show here.
// How many bytes of the write-ahead log a verification takes is measured by `npm run bench -- rows`.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { ids, ReadyChannel, testEngine } from '../../support/engine.ts';
import { hotSharesOf, verifyTogether } from './rows/writing.ts';

const database = await testDatabase();
const atOnce = 16;
const rounds = 40;

/** An account with an endpoint, so that each verification has a webhook. */
async function shop(): Promise<string> {
  const id = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${id}, 'Shop', now())`.execute(database.db);
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
    values (${ids('whe_')}, ${id}, 'live', 'https://shop.example', '', '{receipt.updated}', '', now(), now())`.execute(
    database.db,
  );
  return id;
}

test('updates stay on their page', async () => {
  const accountId = await shop();
  const hot = await hotSharesOf(database, async () => {
    const own = database.connect();
    const sms = new ReadyChannel();
    const engine = await testEngine(own, { sms });
    // An old row makes room only once no snapshot may see it, and a statistics run holds one for as long as it lasts.
    await sql`do $$ declare leaf regclass; begin
      for leaf in select relid from pg_partition_tree('verify_session') where isleaf loop
        execute format('alter table %s set (autovacuum_enabled = off)', leaf);
      end loop; end $$`.execute(own.db);
    for (let round = 0; round < rounds; round += 1) await verifyTogether(engine, sms, atOnce, accountId);
    await own.close(); // Its backends hand their counters over.
  });
  expect(hot.verify_session).toBeGreaterThanOrEqual(80);
});
