// Four servers under load by one account, of which one is killed with -9: all that is stored costs no more than the account's budget, nearly all
// of the budget can be used, and each warning is given once.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ServerProcess, testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';

// A server that is killed, and those that lose it, say so.
const service = await testService({ errorsExpected: true });
const { database, adminToken } = service;
const servers: ServerProcess[] = await Promise.all([1, 2, 3, 4].map(() => service.startProcess()));
const [killed, ...left] = servers as [ServerProcess, ...ServerProcess[]];

const budget = 400;
/** Calls under way at each server. */
const atOnce = 4;
const dayMs = 86_400_000;
const cascade = [{ channel: 'sms', timeout_seconds: 300 }];

interface Limits {
  budgets: { budget: string; limit: string; used: string; left: string; window_ends_at: string }[];
}

test('no more than the budget is sent, whoever dies', { timeout: 240_000 }, async () => {
  const startedOn = Math.floor(Date.now() / dayMs);
  const admin = serviceClient(left[0]?.http ?? '', adminToken);
  const made = await admin.call<{ account: { id: string }; live_key: { key: string } }>('POST', '/v1/accounts', {
    name: 'Spender',
  });
  const { account, live_key: key } = made.body;
  const limits = JSON.stringify({
    sends_per_second: 100_000,
    unlimited_numbers: true,
    budget: { sends_per_day: budget, sends_per_hour: null },
  });
  await sql`update account set limits = ${limits}::jsonb where id = ${account.id}`.execute(database.db);
  const clients = servers.map(({ http }) => serviceClient(http, key.key));
  const events = ['account.budget_warning'];
  const endpoint = { url: `${service.sandbox.webhookUrl}?budget`, event_types: events };
  expect((await clients[1]?.call('POST', '/v1/webhook_endpoints', endpoint))?.status).toBe(200);

  let number = 5_600_000;
  let ended: Promise<unknown> | null = null;
  const refusals: { status: number; code: string; retryAfter: number }[] = [];
  /** Until it is refused, or its server is gone. */
  const flood = async (client: (typeof clients)[number]) => {
    for (;;) {
      number += 1;
      if (number === 5_600_000 + budget / 2) ended = killed.process.end('SIGKILL');
      const request = { to: `+21355${number}`, cascade };
      const answer = await client
        .call<{ error?: { code: string } }>('POST', '/v1/verify/send', request)
        .catch(() => null);
      if (!answer) return;
      if (answer.status === 200) continue;
      const retryAfter = Number(answer.headers.get('retry-after'));
      refusals.push({ status: answer.status, code: String(answer.body.error?.code), retryAfter });
      return;
    }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: atOnce }, () => flood(client))));
  await ended;

  // What the others took ahead and did not spend comes back within seconds, and can be spent by any of them.
  const limitsOf = async () =>
    (await clients[1]?.call<Limits>('GET', '/v1/account/limits'))?.body.budgets.find(
      (each) => each.budget === 'sends_per_day',
    );
  await until(
    async () => {
      await inParallel(clients.slice(1), 3, flood);
      const state = await limitsOf();
      return state?.left === '0';
    },
    { what: 'the budget to be used up', timeoutMs: 60_000, everyMs: 1_500 },
  );
  // Lost are at most the slice that the killed one held, and the calls that it was about to store.
  expect(await stored()).toBeGreaterThanOrEqual(budget * 0.99 - atOnce);
  const days = Math.floor(Date.now() / dayMs) - startedOn + 1;
  expect(await stored()).toBeLessThanOrEqual(budget * days);
  expect(refusals.every(({ status, code }) => status === 429 && code === 'budget_exhausted')).toBe(true);
  expect(Math.max(...refusals.map(({ retryAfter }) => retryAfter))).toBeLessThanOrEqual(dayMs / 1000);
  expect(await limitsOf()).toMatchObject({ budget: 'sends_per_day', limit: String(budget), left: '0' });

  const { rows } = await sql<{ percent: number }>`select (body::jsonb -> 'data' ->> 'percent')::integer as percent
    from webhook_delivery where account_id = ${account.id} and type = 'account.budget_warning' order by 1`.execute(
    database.db,
  );
  if (days === 1) expect(rows.map(({ percent }) => percent)).toEqual([50, 80, 100]);

  async function stored(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from verify_session
      where account_id = ${account.id}`.execute(database.db);
    return rows[0]?.count ?? 0;
  }
});
