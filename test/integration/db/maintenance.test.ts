// Housekeeping where much has come together: after an outage of it, a busy day, or a retention that was shortened.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { counters } from '../../../src/core/reports/rollup.ts';
import type { UntypedDb } from '../../../src/db/schema.ts';
import { runMaintenance } from '../../../src/engine/fleet/maintenance.ts';
import { countingRows } from '../../support/affected-rows.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const db: UntypedDb = database.db;

const many = 25_000;
const retention = { retentionDays: 30, reportRetentionDays: 90, auditRetentionDays: 400 };
const counts = sql.raw(counters.join(', '));
const ones = sql.raw(counters.map(() => '1').join(', '));

/** `many` rows of each table that are old enough to go, and one that is not. */
async function fill(): Promise<void> {
  const old = sql`(select now() - interval '100 days' as at, n from generate_series(1, ${many}::integer) n union all select now(), 0) g`;
  await sql`insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
    select 'acct_1', 'live', 'send', n::text, '', '{}', at from ${old}`.execute(db);
  await sql`insert into idempotency_claim (account_id, mode, route, key, request_hash, shard, created_at)
    select 'acct_1', 'live', 'send', n::text, '', 1, at from ${old}`.execute(db);
  await sql`insert into rate_bucket (key, tokens, updated_at) select 'number:acct_1:live:' || n, 1, at from ${old}`.execute(
    db,
  );
  await sql`insert into number_failure (account_id, mode, number, failures, window_ends_at)
    select 'acct_1', 'live', n::text, 1, at + interval '1 hour' from ${old}`.execute(db);
  await sql`insert into parked_receipt (id, operator, reason, raw, received_at)
    select 'prk_' || n, 'atlas', 'unmatched', '', at from ${old}`.execute(db);
  await sql`insert into rollup (at, seconds, account_id, mode, operator, channel, prefix, currency, ${counts}, cost, platform_cost)
    select date_trunc('hour', at), 3600, 'acct_' || n, 'live', 'atlas', 'sms', '+21355', 'DZD', ${ones}, 1, 0 from ${old}`.execute(
    db,
  );
}

const tables = ['idempotency', 'idempotency_claim', 'rate_bucket', 'number_failure', 'parked_receipt', 'rollup'];

async function left(): Promise<Record<string, number>> {
  const found = tables.map(async (name) => {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(name)}`.execute(db);
    return [name, rows[0]?.n ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const each = (n: number) => Object.fromEntries(tables.map((name) => [name, n]));

test('however much is to be deleted, no statement deletes more than it has the time for', async () => {
  await fill();
  expect(await left()).toEqual(each(many + 1));
  const { counted, counts: deleted } = countingRows(db);
  await runMaintenance(counted, Date.now(), retention);
  expect(await left()).toEqual(each(1));
  expect(deleted.filter((rows) => rows > 20_000n)).toEqual([]);
});

test('minutes of many hours are folded hour by hour, whole hours alone', async () => {
  await sql`delete from rollup`.execute(db);
  const hours = 50;
  await sql`insert into rollup (at, seconds, account_id, mode, operator, channel, prefix, currency, ${counts}, cost, platform_cost)
    select date_trunc('hour', now()) - h * interval '1 hour' + m * interval '20 minutes', 60, 'acct_1', 'live', 'atlas', 'sms', '+21355', 'DZD', ${ones}, 0.5, 0
    from generate_series(1, ${hours}::integer) h, generate_series(0, 2) m where h <> 40`.execute(db);
  await runMaintenance(db, Date.now(), retention);
  const { rows } = await sql<{
    seconds: number;
    rows: number;
    sent: number;
    cost: string;
  }>`select seconds, count(*)::integer as rows,
    sum(sent)::integer as sent, sum(cost)::text as cost from rollup group by seconds order by seconds`.execute(db);
  expect(rows).toEqual([
    { seconds: 60, rows: 26 * 3, sent: 26 * 3, cost: '39.0' },
    { seconds: 3600, rows: hours - 27, sent: (hours - 27) * 3, cost: '34.5' },
  ]);
});
