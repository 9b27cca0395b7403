// What of an account's sends is read at a look, and that nothing is stopped, or missed, for what is not read. The rules are in test/unit/core/limits.
import { expect, test } from 'vitest';
import { noLists } from '../../../../src/core/limits/lists.ts';
import type { RecentSend, Verification } from '../../../../src/core/limits/sequential-numbers.ts';
import type { Reads } from '../../../../src/db/queryable.ts';
import { Crowds } from '../../../../src/engine/limits/crowds.ts';
import { type Looked, Suspects, type SuspectsOptions } from '../../../../src/engine/limits/suspects.ts';

const accountId = 'acct_1';

/** `stored`: the sends of one account, the oldest first. */
function watch() {
  const clock = { now: 1_900_000_000_000 };
  const stored: RecentSend[] = [];
  const read: number[] = [];
  const query = async ({ values }: { values: unknown[] }) => {
    const [, , since, limit] = values as [string[], string, Date, number];
    const rows = stored.filter(({ at }) => at >= since.getTime()).slice(-limit);
    read.push(rows.length);
    return { rows: rows.reverse().map((row) => ({ ...row, accountId })) };
  };
  const suspects = new Suspects(
    {
      now: () => clock.now,
      cells: [{ query } as unknown as Reads],
      accounts: { platformLists: async () => noLists },
      guard: { isAllowed: () => false },
    } as unknown as SuspectsOptions,
    new Crowds(),
  );
  const look = () => suspects.sequential([{ account: { id: accountId }, before: () => [] } as unknown as Looked]);
  const send = (numbers: readonly string[], verified: Verification, at = clock.now) =>
    stored.push(...numbers.map((number) => ({ number, at, verified })));
  return { clock, stored, read, look, send, suspects };
}

const scattered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `+2135${String(((from + n) * 7_919_993) % 100_000_000).padStart(8, '0')}`);
const adjacent = (count: number, from = 550_000_000) => Array.from({ length: count }, (_, n) => `+213${from + n}`);

test('a busy account is read once a second, and what is newer at the looks between', async () => {
  const { clock, read, look, send } = watch();
  send(scattered(3_000), 'checked', clock.now - 60_000);
  for (let tenths = 0; tenths < 20; tenths += 1) {
    send(scattered(20, 3_000 + tenths * 20), 'checked');
    expect([...(await look())]).toEqual([]);
    clock.now += 100;
  }
  const whole = read.filter((rows) => rows === 2_000);
  expect(whole).toHaveLength(2);
  // 20 in a tenth of a second, of half a second more than has passed.
  expect(Math.max(...read.filter((rows) => rows < 2_000))).toBeLessThanOrEqual(20 * 15);
  expect(read).toHaveLength(20);
});

test('an attack that begins between two such reads is found at the next look', async () => {
  const { clock, look, send } = watch();
  send(scattered(2_000), 'checked', clock.now - 60_000);
  await look();
  clock.now += 300;
  send(adjacent(30), 'no');
  expect([...(await look()).values()]).toMatchObject([{ rule: 'sequential_numbers', sent: 30, verified: 0 }]);
});

test('one that had begun before goes on in the same count', async () => {
  const { clock, look, send } = watch();
  send(scattered(2_000), 'checked', clock.now - 60_000);
  send(adjacent(15), 'no', clock.now - 30_000);
  expect([...(await look())]).toEqual([]);
  clock.now += 300;
  send(adjacent(15, 550_000_015), 'no');
  expect([...(await look()).values()]).toMatchObject([{ sent: 30 }]);
});

test('nothing is stopped for sends that were verified since they were read', async () => {
  const { clock, stored, read, look, send } = watch();
  send(scattered(1_900), 'checked', clock.now - 60_000);
  send(adjacent(15), 'no', clock.now - 30_000);
  expect([...(await look())]).toEqual([]);
  for (const each of stored) each.verified = 'checked';
  clock.now += 300;
  send(adjacent(10, 550_000_015), 'no');
  expect([...(await look())]).toEqual([]);
  expect(read).toEqual([1_915, 10, 1_925]);
});

test.each([
  ['a moment', 400, 1],
  ['long', 5_000, 0],
])('what is committed %s after it was made is found within a second', async (_, lateMs, atOnce) => {
  const { clock, look, send } = watch();
  send(scattered(2_000), 'checked', clock.now - 60_000);
  await look();
  send(adjacent(30), 'no', clock.now - lateMs);
  clock.now += 300;
  expect(await look()).toHaveProperty('size', atOnce);
  clock.now += 700;
  expect([...(await look()).values()]).toMatchObject([{ sent: 30 }]);
});

test('a clock that was set back makes the next read a whole one', async () => {
  const { clock, read, look, send } = watch();
  send(scattered(2_000), 'checked', clock.now - 3_600_000 - 60_000);
  clock.now -= 3_600_000;
  await look();
  clock.now -= 60_000;
  await look();
  expect(read).toEqual([2_000, 2_000]);
});

test('sends are kept for a second, whether or not the account sends on', async () => {
  const { clock, look, send, suspects } = watch();
  expect(suspects.forget()).toBeNull();
  send(scattered(2_000), 'checked', clock.now - 60_000);
  await look();
  clock.now += 300;
  expect(suspects.forget()).toBe(700);
  clock.now += 700;
  expect(suspects.forget()).toBeNull();
});
