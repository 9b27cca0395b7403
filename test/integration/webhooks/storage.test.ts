// What a webhook costs the database, in counts: the mark of a delivery is an update on the page of its row, and the row has one index entry.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { saveText } from '../../../src/db/verify/save-text.ts';
import { markDeliveries } from '../../../src/db/webhooks/attempts.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { ids, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const { manager, holder } = await testWebhooks(database);
const batch = 16;
/** As long as the event of a receipt. */
const body = JSON.stringify({ data: 'x'.repeat(850) });

async function one<Row>(text: string): Promise<Row> {
  const { rows } = await sql.raw<Row>(text).execute(database.db);
  return rows[0] as Row;
}

test('of 1,600 webhooks, 16 a batch, four of five marks stay on their page', async () => {
  const account = await testAccount(database, manager);
  const endpoints = await Promise.all(['a', 'b', 'c'].map((path) => account.create(`https://192.0.2.1/${path}`)));
  const store = async () => {
    const rows = Array.from({ length: batch }, (_, n) => ({
      event_id: ids('evt_'),
      endpoint_id: endpoints[n % endpoints.length]?.id ?? '',
    }));
    await sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, session_id, type, body, status, holder, created_at)
      select ${account.accountId}, event_id, endpoint_id, 'live', ${ids('vrf_')}, 'receipt.updated', ${body}, 'pending', ${holder}, now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(event_id text, endpoint_id text)`.execute(
      database.db,
    );
    return rows;
  };
  const mark = (rows: Awaited<ReturnType<typeof store>>) =>
    markDeliveries(
      database.lanes,
      rows.map((row) => ({
        ...row,
        attempts: 0,
        attempted: true,
        status: 'delivered',
        next_at: null,
        last_status: 204,
        last_error: null,
        at: Date.now(),
      })),
    );
  // Events are marked while later ones are stored.
  const waiting: Awaited<ReturnType<typeof store>>[] = [];
  for (let n = 0; n < 100; n += 1) {
    waiting.push(await store());
    const oldest = waiting.length > 8 ? waiting.shift() : undefined;
    if (oldest) await mark(oldest);
  }
  for (const rows of waiting) await mark(rows);

  const counts = async () => {
    await database.lanes.query({ name: 'flush', text: 'select pg_stat_force_next_flush()', values: [] });
    return one<{
      updated: number;
      hot: number;
    }>(`select sum(n_tup_upd)::integer as updated, sum(n_tup_hot_upd)::integer as hot
      from pg_stat_user_tables where relname like 'webhook_delivery_p%'`);
  };
  const isCounted = async () => ((await counts()).updated === 100 * batch ? await counts() : undefined);
  const { updated, hot } = await until(isCounted, { what: 'all updates to be counted' });
  expect(hot / updated).toBeGreaterThanOrEqual(0.8);
});

test('no index holds what a mark changes, and a delivery is in one index', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select i.relname as name, array(select attname::text from pg_attribute a where a.attrelid = i.oid) as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = 'webhook_delivery'::regclass`.execute(
    database.db,
  );
  expect(rows).toEqual([{ name: 'webhook_delivery_pkey', columns: ['endpoint_id', 'event_id'] }]);
  // Where the columns that a save sets come first, an update is logged from the first that changes on.
  const { rows: columns } = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = 'webhook_delivery'::regclass and attnum > 0 order by attnum`.execute(
    database.db,
  );
  const changing = columns.slice(columns.findIndex(({ name }) => name === 'status')).map(({ name }) => name);
  expect(changing).toEqual(['status', 'attempts', 'last_status', 'last_error', 'delivered_at']);
  expect(saveText(new Set(['events']))).not.toContain('webhook_retry');
});
