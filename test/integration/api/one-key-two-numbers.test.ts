// One Idempotency-Key used for two numbers: the first body has its effect and the other one is a conflict, one after another, at once at two
// processes, and after a commit that was never answered. A key belongs to its account, mode and route, and to no number.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/client.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { type Caller, newCaller, newNumber, refusalOf, startProcess, type TestProcess } from './verify-service.ts';

const database = await testDatabase();
// A number that a conflict had spent a token of could not be sent to afterwards.
const tight = { sendLimits: { perNumberPerHour: 1, platformPerNumberPerHour: 1 } };
const one = await startProcess(database, tight);
const two = await startProcess(database, tight);
const reused = { code: 'idempotency_key_reused', httpStatus: 409 };

/** SMS to a number, by any process. */
const written = (to: string): number =>
  [one, two].flatMap(({ sms }) => sms?.sent ?? []).filter((message) => message.to === to).length;

const sessionsOf = async (caller: Caller, to: string) => (await one.list(caller, { to })).sessions;

/** Nothing is stored of it, nothing was sent to it, and it can be sent to. */
async function untouched(caller: Caller, to: string): Promise<void> {
  expect(await sessionsOf(caller, to)).toEqual([]);
  expect(written(to)).toBe(0);
  const { id } = await two.send(caller, { to }, `fresh ${to}`);
  expect(await sessionsOf(caller, to)).toMatchObject([{ id }]);
}

/** `fulfilled` calls and the refusals of the others. */
async function ended<Answer>(calls: Promise<Answer>[]) {
  const settled = await Promise.allSettled(calls);
  return {
    answers: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    refusals: await Promise.all(
      settled.flatMap((each) => (each.status === 'rejected' ? [refusalOf(Promise.reject(each.reason))] : [])),
    ),
  };
}

test.each([
  ['the same process', one, one],
  ['another process', one, two],
])('one after another, at %s: the second number is a conflict', async (_, first, second) => {
  const caller = newCaller();
  const [to, other] = [newNumber(), newNumber()];
  const sent = await first.send(caller, { to }, 'k');
  expect(await refusalOf(second.send(caller, { to: other }, 'k'))).toMatchObject(reused);
  expect(await second.send(caller, { to }, 'k')).toEqual(sent);
  await untouched(caller, other);
});

test('at once at two processes, fifty keys: one number each, and the other one is untouched', async () => {
  const caller = newCaller();
  const pairs = Array.from({ length: 50 }, (_, n) => ({ key: `order-${n}`, numbers: [newNumber(), newNumber()] }));
  const results = await Promise.all(
    pairs.map(async ({ key, numbers }, n) => {
      const at = n % 2 ? [one, two] : [two, one];
      return ended(numbers.map((to, each) => at[each]?.send(caller, { to }, key) ?? Promise.reject(new Error('none'))));
    }),
  );
  for (const [n, { answers, refusals }] of results.entries()) {
    expect(answers).toHaveLength(1);
    expect(refusals).toMatchObject([reused]);
    const { key, numbers } = pairs[n] as (typeof pairs)[number];
    const lost = numbers.find((to) => to !== answers[0]?.to) ?? '';
    expect(await sessionsOf(caller, answers[0]?.to ?? '')).toMatchObject([{ id: answers[0]?.id, sends: 1 }]);
    expect(await refusalOf(one.send(caller, { to: lost }, key))).toMatchObject(reused);
    await untouched(caller, lost);
  }
});

test('at once, the number of each has a session already: one is resent, the other is left as it was', async () => {
  const quick = { rules: { resendIntervalMs: 0 } };
  const [here, there] = await Promise.all([startProcess(database, quick), startProcess(database, quick)]);
  for (let round = 0; round < 10; round += 1) {
    const caller = newCaller();
    const numbers = [newNumber(), newNumber()];
    const opened = await Promise.all(numbers.map((to) => here.send(caller, { to })));
    await until(() => opened.every(({ id }) => here.codeOf(id)), { what: 'both messages' });
    const [first = '', second = ''] = numbers;
    const { answers, refusals } = await ended([
      here.send(caller, { to: first, channel: 'sms' }, 'again'),
      there.send(caller, { to: second, channel: 'sms' }, 'again'),
    ]);
    expect(refusals).toMatchObject([reused]);
    const sends = await Promise.all(opened.map(async ({ id }) => (await here.get(caller, id)).sends));
    expect(sends.toSorted()).toEqual([1, 2]);
    expect(answers[0]?.id).toBe(opened[sends.indexOf(2)]?.id);
  }
});

test('a check with one key of two sessions: one try is counted, and none of the other session', async () => {
  for (let round = 0; round < 10; round += 1) {
    const caller = newCaller();
    const opened = await Promise.all([one.send(caller, { to: newNumber() }), one.send(caller, { to: newNumber() })]);
    await until(() => opened.every(({ id }) => one.codeOf(id)), { what: 'both messages' });
    const codes = opened.map(({ id }) => one.codeOf(id));
    const miss = codes.includes('000000') ? '000001' : '000000';
    const [first, second] = opened;
    const { answers, refusals } = await ended([
      one.check(caller, { id: first?.id ?? '', code: miss }, 'try'),
      // By its number, the other by its id: the key alone says that they are one call.
      two.check(caller, { to: second?.to ?? '', code: miss }, 'try'),
    ]);
    expect(answers).toMatchObject([{ valid: false, attemptsRemaining: 4 }]);
    expect(refusals).toMatchObject([reused]);
    const left = await Promise.all(opened.map(async ({ id }) => (await two.get(caller, id)).attemptsRemaining));
    expect(left.toSorted()).toEqual([4, 5]);
  }
});

/** The same database for a process whose statements of that name break off, before or after their commit. */
function dying(statement: RegExp, when: 'committed' | 'not committed'): Database<unknown> {
  const { lanes, ...rest } = database;
  const query = async (config: { name?: string }) => {
    const breaks = statement.test(config.name ?? '');
    const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    if (breaks && when === 'not committed') throw reset();
    const result: unknown = await lanes.query(config as never);
    if (breaks) throw reset();
    return result;
  };
  return { ...rest, lanes: { query } as never };
}

/** A process whose next open ends like that, and the call of a number that nobody answered. */
async function died(when: 'committed' | 'not committed', caller: Caller, to: string): Promise<void> {
  const { send }: TestProcess = await startProcess(dying(/^open/, when), { sms: new ScriptedChannel() });
  await expect(send(caller, { to }, 'k')).rejects.toThrow();
}

test('the answer was lost with its process: the other number is a conflict, the same one is answered', async () => {
  const caller = newCaller();
  const [to, other] = [newNumber(), newNumber()];
  await died('committed', caller, to);
  expect(await refusalOf(two.send(caller, { to: other }, 'k'))).toMatchObject(reused);
  const again = await one.send(caller, { to }, 'k');
  expect(await sessionsOf(caller, to)).toMatchObject([{ id: again.id, sends: 1 }]);
  await untouched(caller, other);
});

test('nothing was committed: one of the two bodies has its effect, and the other one is a conflict', async () => {
  const caller = newCaller();
  const [to, other] = [newNumber(), newNumber()];
  await died('not committed', caller, to);
  // Whether the key is free or claimed by a body without an effect: exactly one body ever has one.
  const second = await ended([two.send(caller, { to: other }, 'k')]);
  const first = await ended([one.send(caller, { to }, 'k')]);
  expect([...first.answers, ...second.answers]).toHaveLength(1);
  expect([...first.refusals, ...second.refusals]).toMatchObject([reused]);
  const counts = await Promise.all([to, other].map(async (number) => (await sessionsOf(caller, number)).length));
  expect(counts.toSorted()).toEqual([0, 1]);
});

test('at once in two modes, two accounts and two routes: each has its own effect', async () => {
  const caller = newCaller();
  const { id } = await one.send(caller, { to: newNumber() });
  await until(() => one.codeOf(id), { what: 'the message' });
  const to = newNumber();
  const [live, inTest, elsewhere, checked] = await Promise.all([
    one.send(caller, { to }, 'shared'),
    two.send({ ...caller, mode: 'test' }, { to: newNumber() }, 'shared'),
    two.send(newCaller(), { to: newNumber() }, 'shared'),
    two.check(caller, { id, code: one.codeOf(id) }, 'shared'),
  ]);
  expect(new Set([live.id, inTest.id, elsewhere.id]).size).toBe(3);
  expect(checked).toMatchObject({ valid: true });
  expect(await two.send(caller, { to }, 'shared')).toEqual(live);
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from idempotency where key = 'shared'`.execute(database.db);
  expect(rows).toEqual([{ n: 4 }]);
});

test('nothing was logged as an error', () => {
  expect([...one.errors, ...two.errors]).toEqual([]);
});
