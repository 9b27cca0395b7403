// What of accounts' sends is read at a look, and that nothing is stopped, or missed, for what is not read. The rules are in test/unit/core/limits.
import { expect, test } from 'vitest';
import { timeOf } from '../../../../src/core/ids.ts';
import { noLists } from '../../../../src/core/limits/lists.ts';
import type { RecentSend, Verification } from '../../../../src/core/limits/sequential-numbers.ts';
import type { Reads } from '../../../../src/db/queryable.ts';
import { Crowds } from '../../../../src/engine/limits/crowds.ts';
import { type Looked, Suspects, type SuspectsOptions } from '../../../../src/engine/limits/suspects.ts';

interface Sent {
  /** When its id was made: by another clock, maybe. */
  madeAt?: number;
  /** When it was stored. */
  at?: number;
  accountId?: string;
}

/** Over several databases, in which sends lie in turn. */
function watch({ cells = 1 } = {}) {
  const clock = { now: 1_900_000_000_000 };
  const stored: (RecentSend & { accountId: string; madeAt: number; cell: number })[] = [];
  /** Rows of each statement. */
  const read: number[] = [];
  const cellOf = (nth: number) => {
    const query = async ({ values }: { values: unknown[] }) => {
      const [accountIds, lowest, since, limit] = values as [string[], string, Date, number];
      const rows = accountIds.flatMap((id) =>
        stored
          .filter(({ accountId, cell }) => accountId === id && cell === nth)
          .filter(({ at, madeAt }) => at >= since.getTime() && madeAt >= timeOf(lowest))
          .sort((one, other) => other.madeAt - one.madeAt)
          .slice(0, limit),
      );
      read.push(rows.length);
      return { rows: rows.map(({ accountId, number, at, verified }) => ({ accountId, number, at, verified })) };
    };
    return { query } as unknown as Reads;
  };
  const suspects = new Suspects(
    {
      now: () => clock.now,
      cells: Array.from({ length: cells }, (_, nth) => cellOf(nth)),
      accounts: { platformLists: async () => noLists },
      guard: { isAllowed: () => false },
    } as unknown as SuspectsOptions,
    new Crowds(),
  );
  const look = (accountIds = ['acct_1'], crowded: string | null = '+213550000000') =>
    suspects.sequential(accountIds.map((id) => ({ account: { id }, crowded, before: () => [] }) as unknown as Looked));
  const send = (numbers: readonly string[], verified: Verification, sent: Sent = {}) => {
    const { at = clock.now, madeAt = at, accountId = 'acct_1' } = sent;
    stored.push(...numbers.map((number, nth) => ({ number, at, madeAt, accountId, verified, cell: nth % cells })));
  };
  /** So many scattered ones of a minute ago: enough for an account to be kept. */
  const busy = (count = 2_000, accountId = 'acct_1') =>
    send(scattered(count), 'checked', { at: clock.now - 60_000, accountId });
  return { clock, stored, read, look, send, busy, suspects };
}

const scattered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `+2135${String(((from + n) * 7_919_993) % 100_000_000).padStart(8, '0')}`);
const adjacent = (count: number, from = 550_000_000) => Array.from({ length: count }, (_, n) => `+213${from + n}`);

test('a busy account is read once a second, and what is newer at the looks between', async () => {
  const { clock, read, look, send, busy } = watch();
  busy(3_000);
  for (let tenths = 0; tenths < 20; tenths += 1) {
    send(scattered(20, 3_000 + tenths * 20), 'checked');
    expect(await look()).toHaveProperty('size', 0);
    clock.now += 100;
  }
  expect(read.filter((rows) => rows === 2_000)).toHaveLength(2);
  // 20 in a tenth of a second, of half a second more than has passed.
  expect(Math.max(...read.filter((rows) => rows < 2_000))).toBeLessThanOrEqual(20 * 15);
  expect(read).toHaveLength(20);
});

test.each<[string, number, string | null]>([
  ['with few sends', 100, '+213550000000'],
  ['without a crowd', 2_000, null],
])('an account %s is read as a whole at each look', async (_, count, crowded) => {
  const { clock, read, look, busy } = watch();
  busy(count);
  await look(['acct_1'], crowded);
  clock.now += 100;
  await look(['acct_1'], crowded);
  expect(read).toEqual([count, count]);
});

test.each([1, 2])(
  'an attack that begins between two such reads is found at the next look: %i databases',
  async (cells) => {
    const { clock, look, send, busy } = watch({ cells });
    busy();
    await look();
    clock.now += 300;
    send(adjacent(30), 'no');
    expect([...(await look()).values()]).toMatchObject([{ rule: 'sequential_numbers', sent: 30, verified: 0 }]);
  },
);

test('accounts that were read at different times each have all of their sends', async () => {
  const { clock, look, send, busy } = watch();
  const both = ['acct_1', 'acct_2'];
  for (const id of both) busy(2_000, id);
  await look(['acct_1']);
  clock.now += 100;
  send(adjacent(15), 'no');
  clock.now += 800;
  await look(['acct_2']);
  send(adjacent(15, 550_000_015), 'no');
  expect([...(await look(both))]).toMatchObject([['acct_1', { sent: 30 }]]);
});

test('one that had begun before goes on in the same count', async () => {
  const { clock, look, send, busy } = watch();
  busy();
  send(adjacent(15), 'no', { at: clock.now - 30_000 });
  expect(await look()).toHaveProperty('size', 0);
  clock.now += 300;
  send(adjacent(15, 550_000_015), 'no');
  expect([...(await look()).values()]).toMatchObject([{ sent: 30 }]);
});

test('nothing is stopped for sends that were verified since they were read', async () => {
  const { clock, stored, read, look, send, busy } = watch();
  busy(1_900);
  send(adjacent(15), 'no', { at: clock.now - 30_000 });
  expect(await look()).toHaveProperty('size', 0);
  for (const each of stored) each.verified = 'checked';
  clock.now += 300;
  send(adjacent(10, 550_000_015), 'no');
  expect(await look()).toHaveProperty('size', 0);
  expect(read).toEqual([1_915, 10, 1_925]);
});

test.each([
  ['a moment', 400, 1],
  ['long', 5_000, 0],
])('what is committed %s after it was made is found within a second', async (_, lateMs, atOnce) => {
  const { clock, look, send, busy } = watch();
  busy();
  await look();
  send(adjacent(30), 'no', { at: clock.now - lateMs });
  clock.now += 300;
  expect(await look()).toHaveProperty('size', atOnce);
  clock.now += 700;
  expect([...(await look()).values()]).toMatchObject([{ sent: 30 }]);
});

test('an id of a clock that is a second behind the session’s hides nothing', async () => {
  const { clock, look, send, busy } = watch();
  busy();
  const at = clock.now - 300;
  send(adjacent(15), 'no', { at, madeAt: at - 1_000 });
  expect(await look()).toHaveProperty('size', 0);
  clock.now += 100;
  send(adjacent(15, 550_000_015), 'no', { madeAt: clock.now - 1_000 });
  expect([...(await look()).values()]).toMatchObject([{ sent: 30 }]);
});

test('a clock that was set back makes the next read a whole one', async () => {
  const { clock, read, look, busy } = watch();
  busy();
  await look();
  clock.now -= 30_000;
  await look();
  expect(read).toEqual([2_000, 2_000]);
});

test('sends are kept for a second, whether or not the account sends on', async () => {
  const { clock, look, busy, suspects } = watch();
  expect(suspects.forget()).toBeNull();
  busy();
  await look();
  clock.now += 300;
  expect(suspects.forget()).toBe(700);
  clock.now += 700;
  expect(suspects.forget()).toBeNull();
  clock.now -= 500;
  expect(suspects.forget()).toBeNull();
});
