// What verifications write: updates that stay on their page (HOT), as the database counts them, which the load of a machine does not change.
import { sql } from 'kysely';
import type { Database } from '../../../../src/db/client.ts';
import { carrierReceipt, type ReadyChannel, sendRequest, type TestEngine } from '../../../support/engine.ts';
import { until } from '../../../support/wait.ts';

/**
 * Of a table's updates while `work` runs the share, in percent, that changed no index and found room on their page. By table, with all partitions
 * of one as one; those without updates are left out. The counters of other connections come with a delay.
 */
export async function hotSharesOf(
  { db }: Pick<Database<unknown>, 'db'>,
  work: () => Promise<void>,
): Promise<Record<string, number>> {
  const before = await look(db);
  await work();
  let after = await look(db);
  // A backend that ends hands its counters over, a moment after its client has gone.
  await until(
    async () => {
      const last = after.count;
      after = await look(db);
      return last > before.count && after.count === last;
    },
    { what: 'the counters to stand still' },
  );
  const hot: Record<string, number> = {};
  for (const [table, { updated, stayed }] of after.updates) {
    const earlier = before.updates.get(table) ?? { updated: 0, stayed: 0 };
    if (updated > earlier.updated)
      hot[table] = Math.round((1000 * (stayed - earlier.stayed)) / (updated - earlier.updated)) / 10;
  }
  return hot;
}

async function look(db: Database<unknown>['db']) {
  const { rows } = await sql<{ table: string; updated: number; stayed: number }>`
    select coalesce(p.relname, c.relname) as table, sum(pg_stat_get_tuples_updated(c.oid)) as updated,
      sum(pg_stat_get_tuples_hot_updated(c.oid)) as stayed
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`.execute(db);
  const updates = rows.map(({ table, updated, stayed }) => [
    table,
    { updated: Number(updated), stayed: Number(stayed) },
  ]);
  const count = rows.reduce((sum, { updated }) => sum + Number(updated), 0);
  return {
    count,
    updates: new Map(updates as [string, { updated: number; stayed: number }][]),
  };
}

/** Sends, answers, receipts and checks of so many numbers at once, each step as one batch. */
export async function verifyTogether({ engine }: TestEngine, sms: ReadyChannel, count: number, accountId: string) {
  sms.sent.length = 0;
  const all = Array.from({ length: count });
  const results = await Promise.all(all.map(() => engine.starter.sendSettled(sendRequest({ accountId }))));
  await engine.dispatcher.idle();
  const sent = [...sms.sent];
  await Promise.all(sent.map((message) => engine.receipts.take(carrierReceipt(message, 'DELIVRD'))));
  const checked = await Promise.all(
    sent.map(({ sessionId: id, code }) =>
      engine.check({ accountId, mode: 'live', target: { id }, code, idempotency: null }),
    ),
  );
  const right = checked.filter((result) => result.kind === 'checked' && result.checked.valid);
  if (right.length !== count) throw new Error(`${right.length} of ${count} verified: ${JSON.stringify(results[0])}`);
}
