// Four servers under load by one account, of which one is killed with -9: all that is stored costs no more than the account's budget, and what a
// key and the key that it made have sent together no more than that key's. Nearly all of each budget can be used, and each warning is given once.
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Sends a day: the child is made by the parent, and the parent by the first key of the account. */
const budgets = { account: 400, parent: 200, child: 80 };
type Payer = keyof typeof budgets;
/** Calls under way at each server, by each key. */
const atOnce = 4;
const dayMs = 86_400_000;
const cascade = [{ channel: 'sms', timeout_seconds: 300 }];

interface Limits {
  budgets: { budget: string; api_key_id: string; limit: string; used: string; left: string }[];
}
interface MadeKey {
  id: string;
  key: string;
}

test('no more than each budget is sent, whoever dies', async () => {
  const startedOn = Math.floor(Date.now() / dayMs);
  const admin = serviceClient(left[0]?.http ?? '', adminToken);
  const made = await admin.call<{ account: { id: string }; live_key: MadeKey }>('POST', '/v1/accounts', {
    name: 'Spender',
  });
  const { account, live_key: first } = made.body;
  const limits = { sends_per_second: 100_000, unlimited_numbers: true };
  const budget = { sends_per_day: budgets.account, unlimited: ['sends_per_hour'] };
  const changed = await admin.call('PATCH', `/v1/admin/accounts/${account.id}/limits`, { ...limits, budget });
  expect(changed.status).toBe(200);
  const clientsOf = ({ key }: MadeKey) => servers.map(({ http }) => serviceClient(http, key));
  const accounts = clientsOf(first);
  const events = ['account.budget_warning'];
  const endpoint = { url: `${service.sandbox.webhookUrl}?budget`, event_types: events };
  expect((await accounts[1]?.call('POST', '/v1/webhook_endpoints', endpoint))?.status).toBe(200);
  const newKey = async (maker: ReturnType<typeof serviceClient> | undefined, name: Payer): Promise<MadeKey> => {
    const restrictions = { budget: { sends_per_day: budgets[name] } };
    const answer = await maker?.call<MadeKey>('POST', '/v1/api_keys', { name, restrictions });
    expect(answer?.status).toBe(200);
    return answer?.body as MadeKey;
  };
  const parent = await newKey(accounts[1], 'parent');
  const child = await newKey(clientsOf(parent)[2], 'child');
  // At once, at servers that have not heard of these keys yet.
  const clients = { account: accounts, parent: clientsOf(parent), child: clientsOf(child) };

  let number = 5_600_000;
  let ended: Promise<unknown> | null = null;
  const refusals: { status: number; code: string; retryAfter: number }[] = [];
  /** Until it is refused, or its server is gone. */
  const flood = async (client: (typeof accounts)[number], payer: Payer) => {
    for (;;) {
      number += 1;
      if (number === 5_600_000 + budgets.parent / 2) ended = killed.process.end('SIGKILL');
      const request = { to: `+21355${number}`, client_reference: payer, cascade };
      const answer = await client
        .call<{ error?: { code: string } }>('POST', '/v1/verify/send', request)
        .catch(() => null);
      if (!answer) return;
      if (answer.status === 200) continue;
      // A slow machine: nothing is stored in time, and no budget refuses it.
      if (answer.status === 503) {
        await sleep(100);
        continue;
      }
      const retryAfter = Number(answer.headers.get('retry-after'));
      refusals.push({ status: answer.status, code: String(answer.body.error?.code), retryAfter });
      return;
    }
  };
  const floods = (payer: Payer) =>
    clients[payer].flatMap((client) => Array.from({ length: atOnce }, () => flood(client, payer)));
  await Promise.all([...floods('child'), ...floods('parent')]);
  await Promise.all(floods('account'));
  await ended;

  // What the others took ahead and did not spend comes back within seconds, and can be spent by any of them.
  const limitsOf = async (payer: Payer, { id }: { id: string }) =>
    (await clients[payer][1]?.call<Limits>('GET', '/v1/account/limits'))?.body.budgets.find(
      (each) => each.budget === 'sends_per_day' && each.api_key_id === id,
    );
  const usedUp = (payer: Payer, owner: { id: string }) =>
    until(
      async () => {
        await inParallel(clients[payer].slice(1), 3, (client) => flood(client, payer));
        return (await limitsOf(payer, owner))?.left === '0';
      },
      { what: `the budget of the ${payer} to be used up`, everyMs: 1_500 },
    );
  await usedUp('child', child);
  await usedUp('parent', parent);
  await usedUp('account', { id: '' });
  const atTheEnd = {
    account: await limitsOf('account', { id: '' }),
    // The child sees what is left to it: its own budget, and that of the key that made it.
    child: await limitsOf('child', child),
    childOfParent: await limitsOf('child', parent),
  };
  // Another day has budgets of its own.
  const days = Math.floor(Date.now() / dayMs) - startedOn + 1;
  const counts = await stored();
  const sums: Record<Payer, number> = {
    child: counts.child,
    parent: counts.child + counts.parent,
    account: counts.child + counts.parent + counts.account,
  };
  for (const payer of ['child', 'parent', 'account'] as const) {
    // Lost are at most the slice that the killed one held, and the calls that it was about to store.
    expect(sums[payer], payer).toBeGreaterThanOrEqual(budgets[payer] * 0.99 - 2 * atOnce);
    expect(sums[payer], payer).toBeLessThanOrEqual(budgets[payer] * days);
  }
  const isByBudget = ({ status, code }: (typeof refusals)[number]) => status === 429 && code === 'budget_exhausted';
  expect(refusals.filter((refusal) => !isByBudget(refusal))).toEqual([]);
  expect(Math.max(...refusals.map(({ retryAfter }) => retryAfter))).toBeLessThanOrEqual(dayMs / 1000);
  if (days === 1)
    expect(atTheEnd).toMatchObject({
      account: { limit: String(budgets.account), left: '0' },
      child: { limit: String(budgets.child), left: '0' },
      childOfParent: { limit: String(budgets.parent), left: '0' },
    });

  const { rows } = await sql<{
    percent: number;
    key: string;
  }>`select (body::jsonb -> 'data' ->> 'percent')::integer as percent,
      body::jsonb -> 'data' ->> 'api_key_id' as key
    from webhook_delivery where account_id = ${account.id} and type = 'account.budget_warning' order by 1`.execute(
    database.db,
  );
  const warned = (id: string) => rows.filter(({ key }) => key === id).map(({ percent }) => percent);
  if (days === 1) for (const id of ['', parent.id, child.id]) expect(warned(id)).toEqual([50, 80, 100]);

  async function stored(): Promise<Record<Payer, number>> {
    const { rows } = await sql<{
      payer: Payer;
      count: number;
    }>`select client_reference as payer, count(*)::integer as count
      from verify_session where account_id = ${account.id} group by 1`.execute(database.db);
    return { account: 0, parent: 0, child: 0, ...Object.fromEntries(rows.map(({ payer, count }) => [payer, count])) };
  }
});
