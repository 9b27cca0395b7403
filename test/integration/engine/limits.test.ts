// RateLimits that hold over all processes, and the lock on a number after too many wrong codes.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engineStore } from '../../../src/db/engine-store.ts';
import { RateLimits } from '../../../src/engine/limits/rate-limits.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

test('a bucket gives what it holds, however many ask in however many processes', async () => {
  const bucket = { key: 'b', capacity: 10, refillPerSecond: 0.0001 };
  const one = new RateLimits(engineStore(database.lanes));
  const two = new RateLimits(engineStore(database.connect().lanes));
  expect(await one.take(bucket)).toMatchObject({ kind: 'taken', tokens: expect.closeTo(bucket.capacity - 1, 1) });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).take(bucket)));
  expect(answers.filter(({ kind }) => kind === 'taken')).toHaveLength(9);
  const refused = answers.find(({ kind }) => kind === 'refused');
  // A token comes back in 10,000 s, and the bucket holds less than one.
  const inTime = expect.toSatisfy((ms: number) => ms > 0 && ms <= 10_000_000);
  expect(refused).toMatchObject({ empty: [{ key: 'b', retryAfterMs: inTime }] });
});

test('a rate that is no whole number is one, also where it is more than the burst', async () => {
  const { engine } = await testEngine(database, {
    sms: new ScriptedChannel(),
    sendLimits: { accountPerSecond: 2.5, accountBurst: 2 },
  });
  for (let n = 0; n < 3; n += 1)
    expect(await engine.starter.sendSettled(sendRequest())).toMatchObject({ kind: 'sent', quota: { capacity: 3 } });
});

test('four processes that take tokens ahead send no more than the bucket gives, and a quarter of a second', async () => {
  const bucket = { key: 'shared', capacity: 40, refillPerSecond: 100 };
  const processes = Array.from({ length: 4 }, () => new RateLimits(engineStore(database.connect().lanes)));
  const startedAt = performance.now();
  let taken = 0;
  // Each asks for the next as soon as it has the last, until twice the bucket and more was given.
  const flood = async (limits: RateLimits) => {
    while (taken < 150) if ((await limits.take(bucket)).kind === 'taken') taken += 1;
  };
  await Promise.all(processes.map(flood));
  const seconds = (performance.now() - startedAt) / 1000;
  expect(taken).toBeLessThanOrEqual(40 + 100 * (seconds + 0.25) + 4);
  expect(taken).toBeGreaterThanOrEqual(150);
});

test('what was taken ahead and not spent goes back to the bucket, for every process', async () => {
  const bucket = { key: 'back', capacity: 100, refillPerSecond: 0.001 };
  const store = engineStore(database.lanes);
  const take = async (wanted: number, back: number) =>
    (await store.takeTokens([[{ ...bucket, wanted, back }]]))[0]?.[0];
  expect(await take(60, 0)).toMatchObject({ granted: 60 });
  expect(await take(60, 0)).toMatchObject({ granted: 40 });
  expect(await take(0, 25)).toMatchObject({ granted: 0 });
  expect(await take(60, 0)).toMatchObject({ granted: 25 });
  expect(await take(1, 500)).toMatchObject({ granted: 1, tokens: 99 }); // Never more than it holds.
});

test('a clock of the database that is set back keeps nobody waiting for as long as it was ahead', async () => {
  const store = engineStore(database.lanes);
  const fillAhead = (key: string, tokens: number) =>
    sql`insert into rate_bucket (key, tokens, updated_at) values (${key}, ${tokens}, now() + interval '1 hour')`.execute(
      database.db,
    );
  const take = async (key: string, refillPerSecond: number) =>
    (await store.takeTokens([[{ key, capacity: 10, refillPerSecond, wanted: 1, back: 0 }]]))[0]?.[0];
  await fillAhead('some left', 2);
  expect(await take('some left', 0.001)).toMatchObject({ granted: 1, tokens: expect.closeTo(1, 1) });
  await fillAhead('empty', 0);
  await until(async () => (await take('empty', 20))?.granted === 1, { what: 'a token to come back' });
});

test('tokens come back with time', async () => {
  const limits = new RateLimits(engineStore(database.lanes));
  // A token an hour: the next one comes back because the bucket grows older, not because the machine is slow.
  const bucket = { key: 'slow', capacity: 1, refillPerSecond: 1 / 3600 };
  const kind = async () => (await limits.take(bucket)).kind;
  const older = (age: string) =>
    sql`update rate_bucket set updated_at = updated_at - ${age}::interval where key = 'slow'`.execute(database.db);
  expect([await kind(), await kind()]).toEqual(['taken', 'refused']);
  await older('30 minutes');
  expect(await kind()).toBe('refused');
  await older('31 minutes');
  expect([await kind(), await kind()]).toEqual(['taken', 'refused']);
});

test('ten wrong codes lock the number across sessions; the right one is refused too and nothing is counted', async () => {
  const sms = new ScriptedChannel();
  const { engine } = await testEngine(database, { sms });
  const request = sendRequest();
  const keys: { accountId: string; id: string }[] = [];
  for (const purpose of ['a', 'b', 'c']) {
    const result = await engine.starter.sendSettled({ ...request, purpose });
    if (result.kind !== 'sent') throw new Error(result.kind);
    keys.push({ accountId: request.accountId, id: result.session.id });
  }
  await engine.dispatcher.idle();
  const check = (n: number, code: string) =>
    engine.checker.check({
      accountId: request.accountId,
      mode: 'live',
      target: { id: keys[n]?.id ?? '' },
      code,
      idempotency: null,
    });
  const codeOf = (n: number) => sms.sent.find(({ sessionId }) => sessionId === keys[n]?.id)?.code ?? '';
  const wrong = (n: number) => (codeOf(n) === '000000' ? '111111' : '000000');
  for (let n = 0; n < 10; n += 1) {
    expect(await check(n % 2, wrong(n % 2))).toMatchObject({ checked: { valid: false, reason: 'incorrect_code' } });
  }
  const locked = await check(2, codeOf(2));
  expect(locked).toMatchObject({ kind: 'number_locked' });
  expect((await engine.store.load(keys[2] ?? { accountId: '', id: '' }))?.session.attempts).toBe(0);
});
