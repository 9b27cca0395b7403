// What a report reads: of one account its own rows alone, however often it is asked for. From the sixth call of a connection on Postgres may keep
// a plan for any values.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { counters } from '../../../src/core/reports/rollup.ts';
import type { Queryable, Reads } from '../../../src/db/queryable.ts';
import { readReport } from '../../../src/db/reports/report.ts';
import { testDatabase } from '../../support/database.ts';
import { genericPlan } from '../../support/plan.ts';

const database = await testDatabase({ lists: 1 });
const dayMs = 86_400_000;
const counts = sql.raw(counters.join(', '));
const ones = sql.raw(counters.map(() => '1').join(', '));

/** An hour each of 200 accounts, for 200 hours. */
const filled = async () => {
  await sql`insert into rollup (at, seconds, account_id, mode, operator, channel, prefix, currency, ${counts}, cost, platform_cost)
    select date_trunc('hour', now()) - h * interval '1 hour', 3600, 'acct_' || a, 'live', 'atlas', 'sms', '+21355', 'DZD', ${ones}, 1, 0
    from generate_series(1, 200) h, generate_series(1, 200) a`.execute(database.db);
  await sql`analyze rollup`.execute(database.db);
};

test('a summary for an account is found by the account', async () => {
  await filled();
  const request = { since: Date.now() - 30 * dayMs, until: Date.now(), mode: 'live', by: ['day'] as const, limit: 100 };
  const accountId = 'acct_7';
  let text = '';
  const spy: Queryable = {
    query: async (statement) => {
      text = statement.text;
      return { rows: [], rowCount: 0 };
    },
  };
  await readReport([spy as Reads], { ...request, accountId });
  const client = await database.lists.connect();
  try {
    const plan = (await genericPlan(client, text)).join('\n');
    expect(plan).toMatch(/rollup_pkey.*\n +Index Cond: \(\(account_id = /);
  } finally {
    client.release();
  }
  const [own, all] = [
    await readReport([database.lists], { ...request, accountId }),
    await readReport([database.lists], request),
  ];
  const sent = (rows: typeof own) => rows.reduce((sum, { counts: { sent: n } }) => sum + n, 0);
  expect([sent(own), sent(all)]).toEqual([200, 40_000]);
});
