// Token buckets and wrong codes in the store in memory: db/limits/*.ts and db/verify/failures-text.ts, told in loops.
import { clocksDifferMs } from '../../../src/core/verify/rules.ts';
import type { Mode } from '../../../src/core/verify/session.ts';
import type { NumberLimits, Spent } from '../../../src/db/limits/number-tokens.ts';
import type { FailureLimit } from '../../../src/db/verify/save.ts';
import { byText, type Failures, keyOf, type NumberBucket, type Tables, type Verbs } from './tables.ts';

const hourSeconds = 3_600;
const daySeconds = 86_400;

const filledUp = (tokens: number | undefined, passed: number, capacity: number, seconds: number): number =>
  Math.min(capacity, tokens === undefined ? capacity : tokens + (passed * capacity) / seconds);

function bucketAt(tables: Tables, key: string, perHour: number, perDay: number): NumberBucket {
  const row = tables.numberBuckets.get(key);
  const now = tables.now();
  const passed = row ? Math.max(0, (now - row.updatedAt) / 1000) : 0;
  return {
    hour: filledUp(row?.hour, passed, perHour, hourSeconds),
    day: filledUp(row?.day, passed, perDay, daySeconds),
    updatedAt: now,
  };
}

export interface Asked {
  id: string;
  accountId: string;
  number: string;
  limits: NumberLimits;
}

const ownKey = (accountId: string, number: string) => `number:${accountId}:live:${number}`;
const sharedKey = (number: string) => `platform:${number}`;

/** Which of the sends may be stored, and which bucket refuses the others. `take` is called once the statement is sure to commit. */
export function tokensFor(tables: Tables, rows: readonly Asked[]) {
  const spent = new Map<string, Spent>();
  const taken = new Map<string, NumberBucket>();
  const pass = (asked: readonly Asked[], key: (row: Asked) => string, of: 'account' | 'platform') => {
    const before = new Map<string, number>();
    return asked.filter((row) => {
      const name = key(row);
      const nth = (before.get(name) ?? 0) + 1;
      before.set(name, nth);
      const { limits } = row;
      const bucket =
        of === 'account'
          ? bucketAt(tables, name, limits.perHour, limits.perDay)
          : bucketAt(tables, name, limits.platformPerHour, limits.platformPerDay);
      if (nth <= Math.min(bucket.hour, bucket.day)) return true;
      spent.set(row.id, nth > bucket.day ? 'day' : 'hour');
      return false;
    });
  };
  const own = (row: Asked) => ownKey(row.accountId, row.number);
  const shared = (row: Asked) => sharedKey(row.number);
  const passing = pass(
    [...rows].sort((a, b) => byText(a.id, b.id)),
    own,
    'account',
  );
  const granted = pass(passing, shared, 'platform');
  const count = (key: string, perHour: number, perDay: number) => {
    const had = taken.get(key) ?? bucketAt(tables, key, perHour, perDay);
    taken.set(key, { ...had, hour: had.hour - 1, day: had.day - 1 });
  };
  for (const row of granted) {
    count(own(row), row.limits.perHour, row.limits.perDay);
    count(shared(row), row.limits.platformPerHour, row.limits.platformPerDay);
  }
  return {
    granted: new Set(granted.map(({ id }) => id)),
    spent,
    take: () => {
      for (const [key, bucket] of taken) tables.numberBuckets.set(key, bucket);
    },
  };
}

export interface Checked {
  id: string;
  accountId: string;
  mode: Mode;
  number: string;
  /** 1 for a wrong code. */
  failures: number;
  now: number;
}

/** A lock: until then, Unix ms; null = until the operator unlocks it. `by`: the session whose wrong code made it. */
export interface Locked {
  until: number | null;
  failures: number;
  failuresInRow: number;
  by: string | null;
}

/** The checks of one statement against what is counted of their numbers. `count` is called once the statement is sure to commit. */
export function countFailures(tables: Tables, checks: readonly Checked[], limit: FailureLimit) {
  const refused = new Map<string, Locked | null>();
  const locks: Locked[] = [];
  const rows: [string, Failures][] = [];
  const numbers = Map.groupBy(checks, ({ accountId, mode, number }) => keyOf(accountId, mode, number));
  for (const [key, unsorted] of numbers) {
    const same = [...unsorted].sort((a, b) => byText(a.id, b.id));
    const row = tables.failures.get(key);
    const latest = Math.max(...same.map(({ now }) => now));
    const isOpen = row !== undefined && row.failures > 0 && row.windowEndsAt > latest;
    const had = isOpen ? row.failures : 0;
    const hadInRow = row?.failuresInRow ?? 0;
    const furthest = latest + limit.windowMs;
    const windowEndsAt = isOpen && row.windowEndsAt <= furthest + clocksDifferMs ? row.windowEndsAt : furthest;
    let wrongBefore = 0;
    let wrong = 0;
    let rightAt: number | null = null;
    let lastWrong: string | null = null;
    const notAnswered: string[] = [];
    for (const { id, failures } of same) {
      const isAnswered =
        !(row?.needsUnlock ?? false) &&
        had + wrongBefore < limit.failures &&
        hadInRow + wrongBefore < limit.failuresInRow;
      if (!isAnswered) notAnswered.push(id);
      else if (failures > 0) {
        wrong += failures;
        lastWrong = id;
      } else rightAt = wrongBefore;
      wrongBefore += failures;
    }
    const failures = had + wrong;
    const failuresInRow = rightAt === null ? hadInRow + wrong : wrong - rightAt;
    const isLocked = (row?.needsUnlock ?? false) || failures >= limit.failures || failuresInRow >= limit.failuresInRow;
    const isForGood = (row?.needsUnlock ?? false) || failuresInRow >= limit.failuresInRow;
    const lock = isLocked ? { until: isForGood ? null : windowEndsAt, failures, failuresInRow, by: lastWrong } : null;
    if (lock) locks.push(lock);
    for (const id of notAnswered) refused.set(id, lock);
    const needsUnlock = failuresInRow >= limit.failuresInRow;
    if (row) {
      if (wrong > 0 || (rightAt !== null && hadInRow > 0) || windowEndsAt < row.windowEndsAt) {
        const until = wrong > 0 ? windowEndsAt : Math.min(row.windowEndsAt, windowEndsAt);
        rows.push([key, { failures, failuresInRow, needsUnlock, windowEndsAt: until }]);
      }
    } else if (wrong > 0 || hasOtherPending(tables, key, same.at(-1)?.id ?? '')) {
      rows.push([key, { failures, failuresInRow, needsUnlock, windowEndsAt: wrong > 0 ? windowEndsAt : latest }]);
    }
  }
  return {
    refused,
    locks,
    count: () => {
      for (const [key, row] of rows) tables.failures.set(key, row);
    },
  };
}

function hasOtherPending(tables: Tables, numberKey: string, sessionId: string): boolean {
  for (const [key, id] of tables.pending) if (key.startsWith(`${numberKey}\n`) && id !== sessionId) return true;
  return false;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const limitVerbs = (tables: Tables): Pick<Verbs, 'takeTokens' | 'peekTokens'> => ({
  takeTokens(items) {
    const now = tables.now();
    const wants = items.flat();
    const filled = new Map(
      wants.map(({ key, capacity, refillPerSecond }) => {
        const row = tables.accountBuckets.get(key);
        const back = sum(wants.filter((want) => want.key === key).map((want) => want.back));
        const tokens = row ? row.tokens + back + ((now - row.updatedAt) / 1000) * refillPerSecond : capacity;
        return [key, { back, before: 0, granted: 0, tokens: Math.min(capacity, tokens) }];
      }),
    );
    const of = (key: string) => filled.get(key) ?? { back: 0, before: 0, granted: 0, tokens: 0 };
    const answers = items.map((buckets) => {
      const there = buckets.map(({ key, wanted }) => {
        const each = of(key);
        each.before += wanted;
        return Math.max(0, Math.min(wanted, Math.floor(each.tokens) - each.before + wanted));
      });
      const isWhole = buckets.length > 1;
      const passes = buckets.every(({ wanted, optional }, n) => optional || (there[n] as number) >= wanted);
      return buckets.map(({ key, wanted }, n) => {
        const lacked = (there[n] as number) < wanted;
        const granted = !isWhole || (passes && !lacked) ? (there[n] as number) : 0;
        of(key).granted += granted;
        return { key, granted, lacked };
      });
    });
    for (const [key, { back, granted, tokens }] of filled) {
      if (tables.accountBuckets.has(key) ? granted + back > 0 : granted > 0)
        tables.accountBuckets.set(key, { tokens: tokens - granted, updatedAt: now });
    }
    return answers.map((rows) =>
      rows.map(({ key, granted, lacked }) => ({ granted, lacked, tokens: of(key).tokens - of(key).granted })),
    );
  },
  peekTokens({ accountId, number }, limits) {
    const buckets = [
      { key: ownKey(accountId, number), perHour: limits.perHour, perDay: limits.perDay },
      { key: sharedKey(number), perHour: limits.platformPerHour, perDay: limits.platformPerDay },
    ]
      .filter(({ key }) => tables.numberBuckets.has(key))
      .map(({ key, perHour, perDay }) => bucketAt(tables, key, perHour, perDay));
    if (buckets.some(({ day }) => day < 1)) return 'day';
    return buckets.some(({ hour }) => hour < 1) ? 'hour' : null;
  },
});
