// The gauges of what a process has in memory, while the database does not answer what is counted there.
import { sql } from 'kysely';
import pg from 'pg';
import { onTestFinished, test, vi } from 'vitest';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ errorsExpected: true });

test('receipts that can not be counted leave no other gauge as it was', async () => {
  const { live, metrics } = await service.startHere();
  const gauge = async (name: string) => {
    const text = await (await fetch(`${metrics}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const { query } = pg.Client.prototype;
  const unanswered: (() => void)[] = [];
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const ask = () => (query as (...args: unknown[]) => unknown).apply(this, args) as never;
    if ((args[0] as { name?: string }).name !== 'parked.count') return ask();
    unanswered.push(ask);
    return undefined as never;
  });
  const answer = () => {
    spy.mockRestore();
    for (const ask of unanswered.splice(0)) ask();
  };
  onTestFinished(answer);
  await sql`insert into parked_receipt (id, operator, reason, raw, received_at)
    values ('rcp_1', 'atlas', 'unreadable', '', now()), ('rcp_2', 'atlas', 'unreadable', '', now() - interval '2 days')`.execute(
    service.database.db,
  );
  await until(() => unanswered.length > 0, { what: 'receipts to be counted' });
  const held = await gauge('ramz_sessions_held');
  await live.send('+213551340001');
  await until(async () => (await gauge('ramz_sessions_held')) > held, { what: 'the session to be in the gauge' });
  answer();
  await until(async () => (await gauge('ramz_parked_receipts')) === 1, {
    what: 'the receipt of now, and not the old one, to be in the gauge',
  });
});
