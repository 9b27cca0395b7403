// Budgets over several processes: what is granted and spent never exceeds a budget, nearly all of it can be used, and a warning is given once.
import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { BudgetLimits, KeyBudget } from '../../../src/core/limits/budget.ts';
import { addAmounts, isGreaterAmount } from '../../../src/core/money/money.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { deleteBudgets } from '../../../src/db/fleet/maintenance.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { AccountViews } from '../../../src/engine/accounts/views.ts';
import type { EngineEvents, EngineSettings, StoredWebhooks } from '../../../src/engine/context.ts';
import { type Bill, Budgets, type Held, type Reserved } from '../../../src/engine/limits/budgets.ts';
import { plainAccount } from '../../support/account.ts';
import { homeOf } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { windowsThatLast } from '../../support/windows.ts';

const database = await testDatabase();
const { db } = homeOf(database);
await ensurePartitions(database.db, Date.now(), 30);

let accountId = '';
beforeEach(async () => {
  accountId = ids('acct_');
  await windowsThatLast();
});

/** A process: its budgets, the statements it made, and the webhooks it is to post. */
function budgetsOf(now: () => number = Date.now) {
  const store = engineStore(database.connect().lanes);
  const seen = { statements: 0, underWay: 0, posted: [] as string[] };
  const takeCredit: typeof store.takeCredit = (...args) => {
    seen.statements += 1;
    seen.underWay += 1;
    return store.takeCredit(...args).finally(() => {
      seen.underWay -= 1;
    });
  };
  const webhooks = {
    post: ({ bodies }: StoredWebhooks) => void seen.posted.push(...bodies.map(({ json }) => json)),
    commitUnknown: () => {},
    erased: () => {},
  };
  const fleet = { processId: ids('prc_') } as never;
  const events = new EventEmitter<EngineEvents>();
  const budget = { spend_per_day: { EUR: '5' } };
  const accounts = new AccountViews({ load: async (id) => ({ ...plainAccount, id, budget }) });
  const settings = { budget: {} } as EngineSettings;
  const budgets = new Budgets({ now, ids, fleet, webhooks, events, accounts, settings }, { takeCredit });
  return Object.assign(budgets, { seen });
}

const payer = (limits: BudgetLimits, keys: readonly KeyBudget[] = []): Bill['payer'] => ({ accountId, limits, keys });
const send = (limits: BudgetLimits, amount?: string, enforced = true): Bill => ({
  payer: payer(limits),
  enforced,
  sends: 1,
  price: amount === undefined ? null : { amount, currency: 'DZD' },
});

const used = async (period: string, unit: string, keyId = ''): Promise<string | undefined> => {
  const { rows } = await sql<{ used: string }>`select trim_scale(used)::text as used from budget
    where account_id = ${accountId} and key_id = ${keyId} and period = ${period} and unit = ${unit}`.execute(db);
  return rows[0]?.used;
};

/** Buys until the budget refuses; what was bought. */
async function flood(budgets: Budgets, bill: () => Bill, atOnce: number): Promise<Held[]> {
  const bought: Held[] = [];
  const buyer = async () => {
    for (;;) {
      const reserved = await budgets.reserve(bill());
      if (reserved.kind === 'exhausted') return;
      bought.push(reserved.held);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, buyer));
  return bought;
}

const reasonOf = (reserved: Reserved) => (reserved.kind === 'exhausted' ? reserved.finding.reason : reserved.kind);

test('four processes send as often as the budget allows, and not once more', async () => {
  const processes = Array.from({ length: 4 }, () => budgetsOf());
  const bought = await Promise.all(processes.map((each) => flood(each, () => send({ sendsPerHour: 2_000 }), 8)));
  expect(bought.flat().length).toBeLessThanOrEqual(2_000);
  // What one of them took ahead and could not spend is the others' once it is back.
  await Promise.all(processes.map((each) => each.close()));
  const rest = await flood(budgetsOf(), () => send({ sendsPerHour: 2_000 }), 1);
  expect(bought.flat().length + rest.length).toBe(2_000);
  expect(bought.flat().length).toBeGreaterThanOrEqual(1_980);
  expect(await used('hour', 'sends')).toBe('2000');
});

test('money is never overspent, and less than the dearest message is left', async () => {
  const prices = ['3.50', '4.20', '2.75'];
  const limits = { spendPerHour: { DZD: '2500.00' }, spendPerDay: { DZD: '9000' } };
  const processes = Array.from({ length: 4 }, () => budgetsOf());
  let spent = '0';
  const price = () => prices[Math.floor(Math.random() * prices.length)] ?? '';
  const buy = async (budgets: Budgets) => {
    for (let refused = 0; refused < 20; ) {
      const bill = send(limits, price());
      const reserved = await budgets.reserve(bill);
      if (reserved.kind === 'exhausted') refused += 1;
      else spent = addAmounts(spent, bill.price?.amount ?? '');
    }
  };
  await Promise.all(processes.flatMap((each) => [buy(each), buy(each)]));
  expect(isGreaterAmount(spent, '2500')).toBe(false);
  await Promise.all(processes.map((each) => each.close()));
  await buy(budgetsOf());
  expect(isGreaterAmount(spent, '2500')).toBe(false);
  expect(isGreaterAmount(spent, '2495')).toBe(true);
});

test('what a process held when it was killed counts as spent: at most a hundredth of the budget', async () => {
  const limits = { sendsPerDay: 1_000 };
  const [killed, other] = [budgetsOf(), budgetsOf()];
  for (let sent = 0; sent < 300; sent += 1) await killed.reserve(send(limits));
  const bought = await flood(other, () => send(limits), 4);
  await other.close();
  expect(300 + bought.length).toBeLessThanOrEqual(1_000);
  expect(300 + bought.length).toBeGreaterThanOrEqual(990);
  expect(Number(await used('day', 'sends'))).toBeGreaterThanOrEqual(300 + bought.length);
});

test('a send costs a statement only where the slice is used up', async () => {
  const process = budgetsOf();
  const limits = { sendsPerHour: 100_000, sendsPerDay: 400_000, spendPerHour: { DZD: '100000' } };
  for (let sent = 0; sent < 2_000; sent += 1) await process.reserve(send(limits, '1.00'));
  // Slices are as large as what was spent within a second: they double until they are a hundredth.
  expect(process.seen.statements).toBeLessThanOrEqual(40);
});

test('credit that nobody spends any more is given back after a second', async () => {
  const clock = { now: 5_000_000 };
  const process = budgetsOf(() => clock.now);
  for (let sent = 0; sent < 50; sent += 1) await process.reserve(send({ sendsPerDay: 5_000 }));
  expect(Number(await used('day', 'sends'))).toBeGreaterThan(50);
  expect(await process.run()).toBe(1_000);
  clock.now += 1_000;
  // The last slice may be on its way still.
  await until(async () => (await process.run()) === null, { what: 'everything to be given back' });
  expect(await used('day', 'sends')).toBe('50');
});

test('a refusal takes nothing from other budgets, and names the one that is exhausted for longest', async () => {
  const process = budgetsOf();
  const limits = { sendsPerHour: 3, sendsPerDay: 2, spendPerDay: { DZD: '100' } };
  await process.reserve(send(limits, '1'));
  await process.reserve(send(limits, '1'));
  const third = await process.reserve(send(limits, '1'));
  expect(third).toMatchObject({ kind: 'exhausted', finding: { rule: 'budget', reason: 'sends_per_day' } });
  const { retryAfterMs = 0 } = third.kind === 'exhausted' ? third.finding : {};
  const untilMidnight = 86_400_000 - (Date.now() % 86_400_000);
  expect(Math.abs(retryAfterMs - untilMidnight)).toBeLessThan(60_000);
  await process.close();
  expect([await used('hour', 'sends'), await used('day', 'DZD')]).toEqual(['2', '2']);
});

test('a key has budgets of its own beside those of its account', async () => {
  const process = budgetsOf();
  const key = { keyId: 'key_1', limits: { sendsPerHour: 1 } };
  const bill = (...by: KeyBudget[]): Bill => ({ ...send({}), payer: payer({ sendsPerHour: 3 }, by) });
  expect(reasonOf(await process.reserve(bill(key)))).toBe('reserved');
  expect(reasonOf(await process.reserve(bill(key)))).toBe('sends_per_hour');
  expect(reasonOf(await process.reserve(bill()))).toBe('reserved');
  await process.close();
  expect([await used('hour', 'sends'), await used('hour', 'sends', 'key_1')]).toEqual(['2', '1']);
});

test('a window that is over counts no more; one that a clock has left comes not again', async () => {
  const limits = { sendsPerHour: 2 };
  const move = (by: number) =>
    sql`update budget set time_window = time_window + ${by} where account_id = ${accountId}`.execute(db);
  expect((await flood(budgetsOf(), () => send(limits), 1)).length).toBe(2);
  await move(-1);
  expect((await flood(budgetsOf(), () => send(limits), 1)).length).toBe(2);
  // The database's clock is set back by an hour.
  await move(1);
  expect((await flood(budgetsOf(), () => send(limits), 1)).length).toBe(0);
});

test('what is given back after the window is of no use to the next one', async () => {
  const process = budgetsOf();
  const limits = { sendsPerHour: 10 };
  const reserved = await process.reserve(send(limits));
  if (reserved.kind === 'exhausted') throw new Error('refused');
  process.giveBack({ charges: reserved.held.charges.map((each) => ({ ...each, window: each.window - 1 })) });
  await process.close();
  expect(await used('hour', 'sends')).toBe('1');
  process.giveBack(reserved.held);
  await process.close();
  expect(await used('hour', 'sends')).toBe('0');
});

test('the edge of an hour: credit of the hour before is not spent in the next, and nobody waits for ever', async () => {
  const hourMs = 3_600_000;
  const clock = { now: Date.now() };
  const process = budgetsOf(() => clock.now);
  const limits = { sendsPerHour: 1_000 };
  for (let sent = 0; sent < 40; sent += 1) await process.reserve(send(limits));
  clock.now += hourMs;
  await sql`update budget set time_window = time_window - 1 where account_id = ${accountId}`.execute(db);
  const bought = await Promise.all(Array.from({ length: 20 }, () => process.reserve(send(limits))));
  expect(bought.map(reasonOf)).toEqual(Array(20).fill('reserved'));
  await process.close();
  expect(await used('hour', 'sends')).toBe('20');
});

test('monitor counts, says so, and lets everything pass', async () => {
  const process = budgetsOf();
  const results: Reserved[] = [];
  for (let sent = 0; sent < 4; sent += 1)
    results.push(await process.reserve(send({ sendsPerHour: 2 }, undefined, false)));
  expect(results.map((each) => each.kind === 'reserved' && each.monitored?.reason)).toEqual([
    undefined,
    undefined,
    'sends_per_hour',
    'sends_per_hour',
  ]);
  await process.close();
  expect(await used('hour', 'sends')).toBe('4');
});

test('a limit that is changed holds for the next send', async () => {
  const process = budgetsOf();
  expect((await flood(process, () => send({ sendsPerHour: 2 }), 1)).length).toBe(2);
  expect((await flood(process, () => send({ sendsPerHour: 5 }), 1)).length).toBe(3);
  expect(reasonOf(await process.reserve(send({ sendsPerHour: 1 })))).toBe('sends_per_hour');
});

test('corrections and credit that is given back leave a limit as it was changed meanwhile, and warn of no older one', async () => {
  const clock = { now: Date.now() };
  const [first, other] = [budgetsOf(() => clock.now), budgetsOf()];
  const limits = { sendsPerDay: 5_000, spendPerDay: { DZD: '100' } };
  const reserved = await first.reserve(send(limits, '40'));
  if (reserved.kind === 'exhausted') throw new Error('refused');
  for (let sent = 1; sent < 90; sent += 1) await first.reserve(send(limits, '0.5'));
  // By the time that a query is answered the last slices have been asked for.
  const isHere = async () => (await rowsLeft()).length === 2 && first.seen.underWay === 0;
  await until(isHere, { what: 'the last slices to be here' });
  expect(Number(await used('day', 'sends'))).toBeGreaterThan(90);
  await other.reserve(send({ sendsPerDay: 10_000, spendPerDay: { DZD: '200' } }, '1'));
  await other.close();
  const { hour = 0 } = reserved.held.reserve ?? {};
  first.correct({ accountId, keys: [], currency: 'DZD', hour, by: -1_000_000_000_000n });
  clock.now += 1_000;
  await until(async () => (await first.run()) === null, { what: 'everything to be given back' });
  expect([await used('day', 'sends'), await used('day', 'DZD')]).toEqual(['91', '84.5']);
  const { rows } =
    await sql`select unit, most::integer, warned from budget where account_id = ${accountId} order by unit`.execute(db);
  expect(rows).toEqual([
    { unit: 'DZD', most: 200, warned: 0 },
    { unit: 'sends', most: 10_000, warned: 0 },
  ]);
});

test('what messages cost in the end takes the place of what was kept for them', async () => {
  const process = budgetsOf();
  const limits = { spendPerHour: { DZD: '10' }, spendPerDay: { DZD: '10' } };
  const reserved = await process.reserve(send(limits, '4'));
  if (reserved.kind === 'exhausted') throw new Error('refused');
  const { hour = 0 } = reserved.held.reserve ?? {};
  const corrected = (by: bigint, at: number) => process.correct({ accountId, keys: [], currency: 'DZD', hour: at, by });
  corrected(-1_000_000_000_000n, hour);
  await process.close();
  expect([await used('hour', 'DZD'), await used('day', 'DZD')]).toEqual(['3', '3']);
  // Of an hour ago: the day may be the same, the hour is not.
  corrected(-1_000_000_000_000n, hour - 24);
  await process.close();
  expect([await used('hour', 'DZD'), await used('day', 'DZD')]).toEqual(['3', '3']);
  corrected(6_000_000_000_000n, hour - 24);
  await process.close();
  expect([await used('hour', 'DZD'), await used('day', 'DZD')]).toEqual(['9', '9']);
  process.correct({ accountId, keys: [], currency: 'USD', hour, by: 1n });
  await process.close();
  expect(await used('hour', 'USD')).toBeUndefined();
});

test('a cost that nobody expected counts, also where it is the first of its currency', async () => {
  const process = budgetsOf();
  const hour = Math.floor(Date.now() / 3_600_000);
  process.correct({ accountId, keys: [], currency: 'EUR', hour, by: 5_000_000_000_000n });
  await process.close();
  expect([await used('hour', 'EUR'), await used('day', 'EUR')]).toEqual([undefined, '5']);
  const bill = { ...send({ spendPerDay: { EUR: '5' } }), price: { amount: '0.01', currency: 'EUR' } };
  expect((await process.reserve(bill)).kind).toBe('exhausted');
});

test('four processes spend no more of a key than it has, with the keys that descend from it', async () => {
  const [parent, child] = [
    { keyId: 'key_1', limits: { sendsPerDay: 150, spendPerDay: { DZD: '120' } } },
    { keyId: 'key_2', limits: { sendsPerDay: 60, spendPerDay: { DZD: '120' } } },
  ] as const;
  const bill = (...by: KeyBudget[]): Bill => ({ ...send({}, '1'), payer: payer({ sendsPerDay: 10_000 }, by) });
  const processes = Array.from({ length: 4 }, () => budgetsOf());
  const bought = await Promise.all(
    processes.flatMap((each) => [
      flood(each, () => bill(child, parent), 4).then(({ length }) => ({ by: 'child', length })),
      flood(each, () => bill(parent), 4).then(({ length }) => ({ by: 'parent', length })),
    ]),
  );
  const sum = (by?: string) =>
    bought.reduce((total, each) => total + (by === undefined || each.by === by ? each.length : 0), 0);
  await Promise.all(processes.map((each) => each.close()));
  expect(sum('child')).toBeLessThanOrEqual(60);
  expect(sum()).toBeLessThanOrEqual(120);
  expect(await used('day', 'DZD', 'key_1')).toBe(String(sum()));
  expect([await used('day', 'sends'), await used('day', 'sends', 'key_1')]).toEqual([String(sum()), String(sum())]);
  expect(await used('day', 'sends', 'key_2')).toBe(String(sum('child')));
  // What was held elsewhere has come back: the last of it can be spent.
  expect(sum() + (await flood(budgetsOf(), () => bill(parent), 1)).length).toBe(120);
});

test('a cost that nobody expected counts for the keys that paid with their account, and for no other currency', async () => {
  const process = budgetsOf();
  const hour = Math.floor(Date.now() / 3_600_000);
  const keys = [
    { keyId: 'key_1', limits: { spendPerDay: { EUR: '5' } } },
    { keyId: 'key_0', limits: { spendPerHour: { EUR: '9', DZD: '1' } } },
  ];
  process.correct({ accountId, keys, currency: 'EUR', hour, by: 2_000_000_000_000n });
  await process.close();
  expect([await used('day', 'EUR', 'key_1'), await used('hour', 'EUR', 'key_1')]).toEqual(['2', undefined]);
  expect([await used('hour', 'EUR', 'key_0'), await used('hour', 'DZD', 'key_0')]).toEqual(['2', undefined]);
  const bill: Bill = { ...send({}), payer: payer({}, keys), price: { amount: '3.01', currency: 'EUR' } };
  expect(reasonOf(await process.reserve(bill))).toBe('spend_per_day');
});

test('each warning is given once a window, by one of four processes, and posted by that one', async () => {
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(db);
  const endpoint = ids('whe_');
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
    values (${endpoint}, ${accountId}, 'live', 'https://shop.example', '', '{account.budget_warning}', '', now(), now())`.execute(
    db,
  );
  const processes = Array.from({ length: 4 }, () => budgetsOf());
  await Promise.all(processes.map((each) => flood(each, () => send({ sendsPerDay: 100 }), 5)));
  const bodies = processes.flatMap(({ seen }) => seen.posted).map((json) => JSON.parse(json));
  bodies.sort((one, other) => one.data.percent - other.data.percent);
  expect(bodies.map(({ data }) => data.percent)).toEqual([50, 80, 100]);
  expect(bodies[0]).toMatchObject({
    type: 'account.budget_warning',
    account_id: accountId,
    test: false,
    session_sequence: 0,
    data: { budget: 'sends_per_day', currency: '', api_key_id: '', limit: '100' },
  });
  expect(Number(bodies[0].data.used)).toBeGreaterThanOrEqual(50);
  expect(Date.parse(bodies[0].data.window_ends_at) % 86_400_000).toBe(0);
  const { rows } = await sql<{ body: string }>`select body from webhook_delivery
    where account_id = ${accountId} and type = 'account.budget_warning' and endpoint_id = ${endpoint}`.execute(db);
  expect(rows.map(({ body }) => JSON.parse(body).data.percent).sort((a, b) => a - b)).toEqual([50, 80, 100]);
});

/** A row of a budget whose window ended so many hours ago, by the database's clock; 0: it is the one under way. */
const insertRow = (keyId: string, period: 'hour' | 'day', hoursAgo: number) =>
  sql`insert into budget (account_id, key_id, period, unit, time_window, used, most, warned)
    select ${accountId}, ${keyId}, ${period}, 'sends', floor((extract(epoch from now()) / 3600 - ${hoursAgo}) / ${period === 'hour' ? 1 : 24}), 7, 40, 0`.execute(
    db,
  );

const rowsLeft = async (): Promise<string[]> => {
  const { rows } = await sql<{ key_id: string }>`select key_id from budget where account_id = ${accountId}`.execute(db);
  return rows.map(({ key_id }) => key_id).toSorted();
};

test('housekeeping deletes what counted in windows that ended a week ago, and leaves what counts', async () => {
  const week = 7 * 24;
  await insertRow('hour', 'hour', 0);
  await insertRow('day', 'day', 0);
  await insertRow('hour of this week', 'hour', week - 1);
  await insertRow('day of this week', 'day', week);
  await insertRow('old hour', 'hour', week + 2);
  await insertRow('old day', 'day', week + 25);
  await sql`insert into budget (account_id, key_id, period, unit, time_window, used, most, warned)
    select ${accountId}, 'key_' || n, 'day', 'DZD', 20000, 1, 1, 0 from generate_series(1, 2500) n`.execute(db);
  await deleteBudgets(db);
  expect(await rowsLeft()).toEqual(['day', 'day of this week', 'hour', 'hour of this week']);
  expect([await used('hour', 'sends', 'hour'), await used('day', 'sends', 'day')]).toEqual(['7', '7']);
});

test('a row that housekeeping deletes while four processes ask for credit is made again, and nothing is granted twice', async () => {
  const processes = Array.from({ length: 4 }, () => budgetsOf());
  const last = budgetsOf();
  for (let round = 0; round < 20; round += 1) {
    accountId = ids('acct_');
    await insertRow('', 'hour', 400);
    const [bought] = await Promise.all([
      Promise.all(processes.map((each) => flood(each, () => send({ sendsPerHour: 40 }), 2))),
      ...Array.from({ length: 4 }, () => deleteBudgets(db)),
    ]);
    await Promise.all(processes.map((each) => each.close()));
    const rest = await flood(last, () => send({ sendsPerHour: 40 }), 1);
    expect(bought.flat().length + rest.length).toBe(40);
    expect(await used('hour', 'sends')).toBe('40');
  }
});

test('credit that comes back to a row that is gone makes no room, and a cost that comes late makes another', async () => {
  const [late, other] = [budgetsOf(), budgetsOf()];
  const limits = { sendsPerDay: 5_000, spendPerDay: { EUR: '5' } };
  for (let sent = 0; sent < 50; sent += 1) await late.reserve(send(limits));
  // By the time that a query is answered the last slice has been asked for.
  const isHere = async () => (await rowsLeft()).length === 1 && late.seen.underWay === 0;
  await until(isHere, { what: 'the last slice to be here' });
  await sql`update budget set time_window = time_window - 30 where account_id = ${accountId}`.execute(db);
  await deleteBudgets(db);
  expect(await rowsLeft()).toEqual([]);
  await late.close();
  expect(await used('day', 'sends')).toBeUndefined();
  expect((await flood(other, () => send({ sendsPerDay: 40 }), 2)).length).toBe(40);

  const hour = Math.floor(Date.now() / 3_600_000);
  const keys = [{ keyId: 'key_1', limits: { spendPerDay: { EUR: '5' } } }];
  late.correct({ accountId, keys, currency: 'EUR', hour, by: 2_000_000_000_000n });
  await late.close();
  expect([await used('day', 'EUR'), await used('day', 'EUR', 'key_1')]).toEqual(['2', '2']);
});
