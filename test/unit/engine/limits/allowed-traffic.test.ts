// What the looks at conversion read of sessions, where an allow list names numbers of a prefix that looks pumped. What the rollups and the statement
// itself say is in test/integration/engine/pumping.test.ts.
import { expect, test } from 'vitest';
import { lowestId } from '../../../../src/core/ids.ts';
import { noLists } from '../../../../src/core/limits/lists.ts';
import type { Reads } from '../../../../src/db/queryable.ts';
import type { AccountView } from '../../../../src/engine/accounts/views.ts';
import { AllowedTraffic } from '../../../../src/engine/limits/allowed-traffic.ts';
import { Crowds } from '../../../../src/engine/limits/crowds.ts';
import { type Suspect, Suspects } from '../../../../src/engine/limits/suspects.ts';

const hour = 3_600_000;
const startedAt = 1_800_000_000_000;
const minuteOf = (at: number) => Math.floor(at / 60_000) * 60_000;

interface Sent {
  id: string;
  number: string;
  at: number;
}

/** An account that sends to numbers which nobody verifies, and is looked at after each send, every five seconds. */
function newShop() {
  const clock = { now: startedAt };
  const sessions: Sent[] = [];
  const reads = { rows: 0, statements: 0, failing: false };
  let prefixes = ['+21357122'];
  const grouped = (of: readonly Sent[], keyOf: (sent: Sent) => string, at: (sent: Sent) => number) =>
    [...Map.groupBy(of, (sent) => `${keyOf(sent)} ${at(sent)}`).values()].map((each) => ({
      accountId: 'acct_1',
      key: keyOf(each[0] as Sent),
      at: at(each[0] as Sent),
      counted: each.length,
      verified: 0,
    }));
  /** The rollups, by minute, and older ones by ten minutes. */
  const cohorts = (since: number, fine: number) =>
    grouped(
      sessions.filter(({ at }) => minuteOf(at) >= since),
      ({ number }) => number.slice(0, 7),
      ({ at }) => (minuteOf(at) >= fine ? minuteOf(at) : Math.floor(at / 600_000) * 600_000),
    ).map(({ key: prefix, ...row }) => ({ ...row, prefix }));
  const byNumber = (from: string, prefix: string, since: number) => {
    const walked = sessions.filter(({ id }) => id >= from);
    reads.rows += walked.length;
    reads.statements += 1;
    if (reads.failing) throw new Error('the database is down');
    return grouped(
      walked.filter(({ number, at }) => number.startsWith(prefix) && minuteOf(at) >= since),
      ({ number }) => number,
      ({ at }) => minuteOf(at),
    ).map(({ key: number, ...row }) => ({ ...row, number }));
  };
  const query = async ({ name, values }: { name: string; values: unknown[] }) => {
    const [, second, third, fourth] = values as [unknown, never, never, Date];
    if (name === 'guard.cohorts') return { rows: cohorts((second as Date).getTime(), (third as Date).getTime()) };
    return { rows: byNumber(second, third, fourth.getTime()) };
  };
  const suspects = new Suspects(
    {
      cells: [{ query } as unknown as Reads],
      now: () => clock.now,
      settings: { config: { verify: { ttlSeconds: { max: 600 } } } },
      accounts: { platformLists: async () => noLists },
      guard: { isAllowed: (number, account) => account.lists.allow.prefixes.some((each) => number.startsWith(each)) },
    },
    new Crowds(),
  );
  const look = async () => {
    // As it is read anew, whatever has changed.
    const lists = { ...noLists, allow: { prefixes: [...prefixes], numbers: new Map() } };
    const account = { id: 'acct_1', lists } as unknown as AccountView;
    const looked = { accountId: 'acct_1', crowded: null, checksConversion: true, account, before: () => [] };
    return (await suspects.conversion([looked])).get('acct_1') ?? null;
  };
  const run = async (ms: number, numberOf: (nth: number) => string) => {
    const found: unknown[] = [];
    for (const end = clock.now + ms; clock.now < end; clock.now += 5_000) {
      sessions.push({ id: lowestId('vrf_', clock.now), number: numberOf(sessions.length), at: clock.now });
      found.push(await look());
    }
    return found.filter((each) => each !== null);
  };
  const allowOnly = (...those: string[]) => {
    prefixes = those;
  };
  return { clock, look, run, reads, sessions, allowOnly };
}

const staff = (nth: number) => `+21357122${String(nth % 400).padStart(4, '0')}`;
const attacked = (nth: number) => `+21357190${String(nth % 10_000).padStart(4, '0')}`;

test('a session is read a few times, and not at each look for two hours', async () => {
  const { run, reads, sessions } = newShop();
  expect(await run(3 * hour, staff)).toEqual([]);
  expect(sessions).toHaveLength(2_160);
  // Once a minute until it is settled; at each look it would be 1,440 times.
  expect(reads.rows / sessions.length).toBeLessThan(25);
  expect(reads.statements).toBeLessThanOrEqual(180);
});

test('numbers that nobody verifies are stopped beside allowed ones of the same prefix', async () => {
  const { run } = newShop();
  expect(await run(hour / 2, staff)).toEqual([]);
  const found = await run(hour, (nth) => (nth % 2 === 0 ? attacked(nth) : staff(nth)));
  expect(found[0]).toMatchObject({ rule: 'prefix_conversion', prefix: '+213571' });
  // Those of the list are not among them.
  expect((found[0] as Suspect).sent).toBeLessThan(200);
});

test('a change of the list holds at once: a number that is taken off counts, and one that is put on does not', async () => {
  const { run, look, allowOnly } = newShop();
  expect(await run(hour, staff)).toEqual([]);
  allowOnly('+21357190');
  expect(await look()).toMatchObject({ prefix: '+213571' });
  allowOnly('+21357190', '+21357122');
  expect(await look()).toBeNull();
});

test('what was read by a clock that was ahead is forgotten once it is set back', async () => {
  const { clock, look, run } = newShop();
  expect(await run(hour, staff)).toEqual([]);
  clock.now += hour;
  await look();
  clock.now -= hour;
  expect(await run(hour, staff)).toEqual([]);
});

test('a minute is read again for as long as a session of it may be verified', async () => {
  const at = minuteOf(startedAt);
  let verified = 0;
  const query = async ({ values }: { values: unknown[] }) => {
    const row = { number: '+213571220001', at, counted: 1, verified };
    return { rows: [row].filter((each) => each.at >= (values[3] as Date).getTime()) };
  };
  const allowedTraffic = new AllowedTraffic();
  const cell = { query } as unknown as Reads;
  const asked = { accountId: 'acct_1', prefixes: ['+213571'], lists: [], isAllowed: () => true, longestMs: hour };
  const shown = async (minutes: number) =>
    (await allowedTraffic.read(cell, { ...asked, at: at + minutes * 60_000 })).map((each) => each.verified);
  expect(await shown(20)).toEqual([0]);
  verified = 1;
  expect(await shown(40)).toEqual([1]);
});

test('nothing is remembered of a look that failed', async () => {
  const { run, look, reads, allowOnly } = newShop();
  expect(await run(hour, staff)).toEqual([]);
  allowOnly('+21357122', '+21357190');
  reads.failing = true;
  await expect(look()).rejects.toThrow('down');
  reads.failing = false;
  expect(await look()).toBeNull();
});
