// What the looks of a process cost where many accounts send, and which of them come first. What they find is in test/integration/engine/pumping.test.ts.
import { expect, test } from 'vitest';
import { noLists } from '../../../../src/core/limits/lists.ts';
import { type GuardRule, guardRules, type RuleMode } from '../../../../src/core/limits/verdict.ts';
import type { Session } from '../../../../src/core/verify/session.ts';
import type { Reads } from '../../../../src/db/queryable.ts';
import type { AccountView } from '../../../../src/engine/accounts/views.ts';
import { Pumping, type PumpingOptions } from '../../../../src/engine/limits/pumping.ts';

const ruleModes = Object.fromEntries(guardRules.map((rule) => [rule, 'enforce'])) as Record<GuardRule, RuleMode>;

/** `readMs`: what a statement takes. */
function newProcess({ missing = '', readMs = 0, rows = [] as object[] } = {}) {
  const clock = { now: 1_000_000_000 };
  const statements: { name: string; accountIds: readonly string[] }[] = [];
  const database = { isDown: false };
  const query = async ({ name, values }: { name: string; values: unknown[] }) => {
    if (database.isDown) throw new Error('the database is down');
    statements.push({ name, accountIds: values[0] as string[] });
    clock.now += readMs;
    return { rows: name === 'guard.recent' ? rows : [] };
  };
  const view = async (id: string) => {
    if (id === missing) throw new Error(`account ${id} does not exist`);
    return { id, ruleModes: {}, stops: [], lists: noLists } as unknown as AccountView;
  };
  const pumping = new Pumping({
    cells: [{ query } as unknown as Reads],
    accounts: { view, platformLists: async () => noLists, clear: () => {} },
    guard: { isAllowed: () => false },
    ...{ settings: { ruleModes }, fleet: { alive: 4 }, now: () => clock.now },
  } as unknown as PumpingOptions);
  const send = (accountId: string, to: string) =>
    pumping.committed({ before: null, session: { mode: 'live', accountId, to } as Session });
  /** Does all that is due. */
  const run = async () => {
    for (let turns = 0; turns < 2_000 && (await pumping.run()) === 0; turns += 1);
  };
  return { clock, database, statements, send, run, pumping };
}

const scattered = (nth: number) => `+2135${String((nth * 7_919_993) % 100_000_000).padStart(8, '0')}`;

test('of 1,000 accounts that send, 25 are read with each statement', async () => {
  const { clock, statements, send, run } = newProcess();
  for (let turn = 0; turn < 3; turn += 1) {
    statements.length = 0;
    for (let nth = 0; nth < 12_000; nth += 1) send(`acct_${nth % 1_000}`, scattered(nth + turn * 12_000));
    await run();
    expect(statements.map(({ name }) => name).sort()).toEqual([
      ...Array(40).fill('guard.cohorts'),
      ...Array(40).fill('guard.recent'),
    ]);
    expect(new Set(statements.flatMap(({ accountIds }) => accountIds)).size).toBe(1_000);
    clock.now += 5_000;
  }
});

test('a crowd is looked at first, however many accounts are due', async () => {
  const { statements, send, pumping } = newProcess();
  for (let nth = 0; nth < 12_000; nth += 1) send(`acct_${nth % 1_000}`, scattered(nth));
  for (let nth = 0; nth < 30; nth += 1) send('acct_pumped', `+21355512${String(nth).padStart(4, '0')}`);
  await pumping.run();
  expect(statements[0]?.accountIds[0]).toBe('acct_pumped');
});

test('where there are more crowds than a process can look at, each has its turn, and an account without one, too', async () => {
  const { statements, send, pumping } = newProcess({ readMs: 100 });
  for (let turn = 0; turn < 300; turn += 1) {
    for (let nth = 0; nth < 60; nth += 1) {
      for (let more = 0; more < 12; more += 1)
        send(`acct_${nth}`, `+21355512${String(turn * 12 + more).padStart(4, '0')}`);
    }
    send('acct_calm', scattered(turn));
    await pumping.run();
  }
  const looks = Map.groupBy(
    statements.flatMap(({ name, accountIds }) => (name === 'guard.recent' ? accountIds : [])),
    (id) => id,
  );
  expect(looks.size).toBe(61);
  const { acct_calm: calm = [], ...crowds } = Object.fromEntries(looks);
  // 25 at a time, 300 times.
  for (const each of Object.values(crowds)) expect(each.length).toBeGreaterThan(90);
  expect(calm.length).toBeGreaterThan(0);
});

/** The times of the looks within `forMs`, from the first send on, by the loop that runs when it is woken or when the time has come that its last run named. */
async function looksOver(forMs: number, everyMs: number, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const { clock, statements, send, pumping } = newProcess();
  const from = clock.now;
  const looks: number[] = [];
  let nextAt = Number.POSITIVE_INFINITY;
  for (let nth = 0; clock.now - from <= forMs; nth += 1) {
    if (nth < most) send('acct_1', scattered(nth));
    if (pumping.due.isSet || clock.now >= nextAt) {
      pumping.due.clear();
      statements.length = 0;
      const nextMs = await pumping.run();
      nextAt = nextMs === null ? Number.POSITIVE_INFINITY : clock.now + nextMs;
      if (statements.length > 0) looks.push(clock.now - from);
    }
    clock.now += everyMs;
  }
  return looks;
}

test('an account that sends a lot is looked at every five seconds, without a crowd, too', async () => {
  const looks = await looksOver(60_000, 100);
  // With its tenth send, which is less than a second after the first one.
  expect(looks[0]).toBe(900);
  expect(looks.slice(1).map((at, nth) => at - (looks[nth] ?? 0))).toEqual(Array(11).fill(5_000));
});

test('an account that sends fewer than ten is looked at once a minute', async () => {
  expect(await looksOver(200_000, 100, 9)).toEqual([55_000]);
  expect(await looksOver(200_000, 10_000)).toEqual([60_000, 120_000, 180_000]);
});

test('an account that is gone keeps nobody from looking at the others', async () => {
  const { statements, send, run } = newProcess({ missing: 'acct_1' });
  for (let nth = 0; nth < 30; nth += 1) send(`acct_${nth % 3}`, scattered(nth));
  await run();
  expect(statements[0]?.accountIds).toEqual(['acct_0', 'acct_2']);
});

/** A process that has looked at a crowd of a busy account, and has kept its sends. */
async function keptProcess() {
  const accountId = 'acct_busy';
  const row = (nth: number) => ({ accountId, number: scattered(nth), at: 0, verified: 'checked' });
  const process = newProcess({ rows: Array.from({ length: 500 }, (_, nth) => row(nth)) });
  const crowd = () => {
    for (let nth = 0; nth < 30; nth += 1) process.send(accountId, `+21355512${String(nth).padStart(4, '0')}`);
  };
  crowd();
  expect(await process.pumping.run()).toBe(1_000);
  return { ...process, crowd };
}

test('a process that has kept sends looks after them when nothing is sent any more', async () => {
  const { clock, pumping } = await keptProcess();
  clock.now += 1_000;
  expect(await pumping.run()).toBeNull();
});

test('sends that were kept for a second are forgotten, too, where the look that is due then fails', async () => {
  const { clock, database, pumping, crowd } = await keptProcess();
  clock.now += 1_000;
  crowd();
  database.isDown = true;
  await expect(pumping.run()).rejects.toThrow('the database is down');
  // By the clock of before they would be kept still.
  clock.now -= 500;
  expect(await pumping.run()).toBeNull();
});
