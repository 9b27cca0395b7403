// The people a number has written to in 24 hours: distinct, over all processes, and against the platform's limit.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type KeyRing, newKey, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { WabaHealth } from '../../../src/core/waba/link.ts';
import type { Db, Schema } from '../../../src/db/schema.ts';
import { recipientsOf } from '../../../src/db/waba/recipients.ts';
import { LiveRing } from '../../../src/engine/secrets/live-ring.ts';
import { Recipients } from '../../../src/engine/waba/recipients.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase<Schema>();
const hourMs = 3_600_000;
let now = Date.parse('2026-06-01T12:00:00Z');
const ringOf = (text: string): KeyRing => {
  const parsed = parseKeyRing(text);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};
/** Its bytes are no matter of chance: two people of a test must not have the same 24 bits. */
const bytes = (seed: number) => (size: number) => new Uint8Array(size).fill(seed);
const ring = ringOf(newKeyRing(bytes(1)));
const start = (over: Db = db, own = ring, clock = () => now) =>
  new Recipients({
    db: over,
    ring: own,
    now: clock,
    settings: { platform: {} as never, hasSignup: false, platformNumber: null },
  });
const limited = (phoneNumberId: string, messagingLimit: string) => ({
  phoneNumberId,
  health: { messagingLimit } as WabaHealth,
});
const rows = async () => (await sql<object>`select * from app_recipient`.execute(db)).rows;

beforeEach(async () => {
  await sql`delete from app_recipient`.execute(db);
});

test('a person counts once for each number, over all processes', async () => {
  const [one, two] = [start(), start()];
  for (const to of ['+213550000001', '+213550000002', '+213550000001']) one.add('100001', to);
  two.add('100001', '+213550000002');
  two.add('100001', '+213550000003');
  two.add('200002', '+213550000003');
  await Promise.all([one.run(), two.run()]);
  await one.run();
  expect([...one.all()].sort()).toEqual([
    ['100001', 3],
    ['200002', 1],
  ]);
  expect(one.counted('300003')).toBe(0);
  expect(await recipientsOf(db, '100001', new Date(now - hourMs))).toBe(3);
});

test('a person leaves the count 24 hours after the last message, and the row is deleted', async () => {
  const process = start();
  process.add('100001', '+213550000001');
  process.add('100001', '+213550000002');
  await process.run();
  now += 23 * hourMs;
  process.add('100001', '+213550000002');
  await process.run();
  expect(process.counted('100001')).toBe(2);
  now += hourMs;
  await process.run();
  expect(process.counted('100001')).toBe(1);
  expect(await rows()).toHaveLength(1);
});

test('the number is full at the limit: at once for what this process sends, and for others when they count', async () => {
  const [one, two] = [start(), start()];
  const number = limited('100001', 'TIER_2');
  one.add('100001', '+213550000001');
  expect(one.isFull(number)).toBe(false);
  one.add('100001', '+213550000002');
  expect(one.isFull(number)).toBe(true);
  expect(two.isFull(number)).toBe(false);
  await one.run();
  await two.run();
  expect([one.isFull(number), two.isFull(number)]).toEqual([true, true]);
  for (const word of ['TIER_3', 'TIER_2K', 'TIER_UNLIMITED', '', 'SOMETHING_NEW'])
    expect(one.isFull(limited('100001', word)), word).toBe(false);
  expect(one.isFull({ phoneNumberId: '100001', health: null })).toBe(false);
});

test('a count that takes long is made once a minute, and what this process sent counts at once', async () => {
  // Every look at the clock is a second later than the one before.
  const process = start(db, ring, () => {
    now += 1_000;
    return now;
  });
  const number = limited('100001', 'TIER_5');
  for (let person = 0; person < 5; person += 1) {
    process.add('100001', `+21355000000${person}`);
    await process.run();
    expect([process.counted('100001'), await rows()]).toEqual([1, expect.objectContaining({ length: person + 1 })]);
    expect(process.isFull(number)).toBe(person === 4);
    now += 5_000;
  }
  now += 60_000;
  await process.run();
  expect([process.counted('100001'), process.isFull(number)]).toEqual([5, true]);
});

test('what could not be stored is stored with the next run', async () => {
  let isAway = true;
  const away = new Proxy(db, {
    get: (target, key) => {
      if (isAway) throw new Error('the database is away');
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const process = start(away);
  process.add('100001', '+213550000001');
  await expect(process.run()).rejects.toThrow('away');
  isAway = false;
  await process.run();
  expect(process.counted('100001')).toBe(1);
});

test('no phone is stored, and two processes that store the same people wait for nobody', async () => {
  const processes = [start(), start(), start()];
  for (let round = 0; round < 5; round += 1) {
    now += 23 * hourMs;
    for (const process of processes) {
      for (let person = 0; person < 200; person += 1) process.add('100001', `+2135500${10_000 + ((person * 7) % 200)}`);
    }
    await Promise.all(processes.map((process) => process.run()));
  }
  expect(processes[0]?.counted('100001')).toBe(200);
  const stored = await rows();
  expect(stored).toHaveLength(200);
  expect(JSON.stringify(stored)).not.toContain('21355');
});

test('what is stored of a person says nothing to who lacks the ring, nor for which numbers it is the same one', async () => {
  const to = '+213550000001';
  const person = async (number: string, own: KeyRing): Promise<unknown> => {
    await sql`delete from app_recipient`.execute(db);
    const process = start(db, own);
    process.add(number, to);
    await process.run();
    return (await sql<{ person: number }>`select person from app_recipient`.execute(db)).rows[0]?.person;
  };
  const stored = await person('100001', ring);
  expect(await person('100001', ring)).toBe(stored);
  expect(await person('200002', ring)).not.toBe(stored);
  expect(await person('100001', ringOf(newKeyRing(bytes(2))))).not.toBe(stored);
});

test('a person counts once on the day of a rotation, whichever key the message before was counted under', async () => {
  const first = JSON.parse(newKeyRing(bytes(1))) as { signals: { current: string; keys: Record<string, string> } };
  const [old, next] = [first.signals.current, newKey('signals', bytes(2))];
  const keys = { ...first.signals.keys, [next.id]: next.text };
  const stages = [first.signals, { current: old, next: next.id, keys }, { current: next.id, keys }];
  const [before, announced, rotated] = stages.map((signals) => ringOf(JSON.stringify({ ...first, signals })));
  const own = new LiveRing(before as KeyRing);
  const process = start(db, own);
  const write = (to: number) => process.add('100001', `+21355000000${to}`);

  for (const to of [1, 2]) write(to);
  await process.run();
  own.replace(announced as KeyRing);
  for (const to of [2, 3]) write(to);
  await process.run();
  expect(process.counted('100001')).toBe(3);
  // The fourth is noted under the old key, and written to again under the new one before it is stored.
  write(4);
  own.replace(rotated as KeyRing);
  for (const to of [1, 3, 4, 5]) write(to);
  expect(process.isFull(limited('100001', 'TIER_8'))).toBe(false);
  await process.run();
  expect(process.counted('100001')).toBe(5);
  expect(await rows()).toHaveLength(5);

  // A process that has the ring as it was before, for some seconds more, takes nobody out of the count.
  const late = start(db, announced);
  late.add('100001', '+213550000005');
  await late.run();
  expect(late.counted('100001')).toBe(6);
  write(5);
  await process.run();
  expect(process.counted('100001')).toBe(5);
});

test('without WhatsApp nothing is asked of the database', async () => {
  const settings = { platform: null, hasSignup: false, platformNumber: null };
  const process = new Recipients({ db: null as never, ring, now: () => now, settings });
  expect(await process.run()).toBeGreaterThan(10_000);
});
