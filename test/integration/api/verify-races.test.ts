// Many calls at once, on one process and on two: tries are counted, and one Idempotency-Key has one effect and one answer.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { newCaller, newNumber, refusalOf, startProcess } from './verify-service.ts';

const database = await testDatabase();
const one = await startProcess(database);
const two = await startProcess(database);
const either = (n: number) => (n % 2 ? one : two);

async function sent(caller = newCaller(), to = newNumber()) {
  const { id } = await one.send(caller, { to });
  await until(() => one.codeOf(id), { what: 'the message' });
  return { caller, to, id, code: one.codeOf(id) };
}
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const times = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)));

test('of 1,000 wrong codes at once exactly five are tries', async () => {
  const { caller, to, id, code } = await sent();
  const guesses = Array.from({ length: 1000 }, (_, n) => String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0'));
  const answers = await times(1000, (n) => either(n).check(caller, { id, code: guesses[n] ?? '' }));
  const count = (reason: string) => answers.filter((answer) => answer.reason === reason).length;
  expect(answers.some(({ valid }) => valid)).toBe(false);
  expect(count('incorrect_code')).toBe(5);
  expect(count('too_many_attempts')).toBe(995);
  const session = await two.get(caller, id);
  expect(session).toMatchObject({ status: 'failed', statusReason: 'too_many_attempts', attemptsRemaining: 0 });
  expect(session.timeline.filter(({ kind }) => kind === 'code_checked')).toHaveLength(5);
  const { rows } = await sql<{ failures: number }>`
    select failures from number_failure where number = ${to}`.execute(database.db);
  expect(rows).toEqual([{ failures: 5 }]);
  expect(await one.check(caller, { id, code })).toMatchObject({ valid: false, reason: 'too_many_attempts' });
});

test('ten wrong codes lock the number for all its sessions', async () => {
  const caller = newCaller();
  const to = newNumber();
  for (let n = 0; n < 2; n += 1) {
    const { id, code } = await sent(caller, to);
    await times(5, () => one.check(caller, { id, code: wrong(code) }));
  }
  const { id, code } = await sent(caller, to);
  const locked = await refusalOf(two.check(caller, { id, code }));
  expect(locked).toMatchObject({ code: 'number_locked', httpStatus: 429 });
  expect(locked.retryAfter).toBeGreaterThan(3500);
  expect(locked.retryAfter).toBeLessThanOrEqual(3600);
  expect(await one.get(caller, id)).toMatchObject({ status: 'pending', attemptsRemaining: 5 });
  // Another account's tries at the number are its own.
  const other = await sent(newCaller(), to);
  expect(await one.check(other.caller, { id: other.id, code: other.code })).toMatchObject({ valid: true });
});

test('ten sends with one key open one session and are answered alike', async () => {
  const caller = newCaller();
  const to = newNumber();
  const answers = await times(10, (n) => either(n).send(caller, { to }, 'order-1'));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect((await one.list(caller, { to })).sessions).toMatchObject([{ id: answers[0]?.id, sends: 1, run: 1 }]);
  expect(await two.send(caller, { to }, 'order-1')).toEqual(answers[0]);
});

test('a resend with a key is one resend', async () => {
  const quick = { rules: { resendIntervalMs: 0 } };
  const here = await startProcess(database, quick);
  const there = await startProcess(database, quick);
  const caller = newCaller();
  const to = newNumber();
  const { id } = await here.send(caller, { to });
  await until(() => here.codeOf(id), { what: 'the message' });
  const answers = await times(10, (n) => (n % 2 ? here : there).send(caller, { to, channel: 'sms' }, 'again'));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(await here.get(caller, id)).toMatchObject({ sends: 2, run: 2 });
});

test('a check with a key is one try, and a right one is right each time it is asked', async () => {
  const { caller, id, code } = await sent();
  const misses = await times(10, (n) => either(n).check(caller, { id, code: wrong(code) }, 'miss'));
  for (const answer of misses) expect(answer).toEqual(misses[0]);
  expect(misses[0]).toMatchObject({ valid: false, reason: 'incorrect_code', attemptsRemaining: 4 });
  const hits = await times(10, (n) => either(n).check(caller, { id, code }, 'hit'));
  for (const answer of hits) expect(answer).toEqual(hits[0]);
  expect(hits[0]).toMatchObject({ valid: true, attemptsRemaining: 3 });
  expect(await one.check(caller, { id, code })).toMatchObject({ reason: 'already_verified' });
});

test('without a key, of 16 right checks one is valid', async () => {
  const { caller, id, code } = await sent();
  const answers = await times(16, (n) => either(n).check(caller, { id, code }));
  expect(answers.filter(({ valid }) => valid)).toHaveLength(1);
});

test('a key belongs to one request, one account, one mode and one method', async () => {
  const { caller, id, code } = await sent();
  const to = newNumber();
  const first = await one.send(caller, { to }, 'shared');
  const reused = { code: 'idempotency_key_reused', httpStatus: 409 };
  expect(await refusalOf(two.send(caller, { to: newNumber() }, 'shared'))).toMatchObject(reused);
  expect(await refusalOf(one.send(caller, { to, purpose: 'login' }, 'shared'))).toMatchObject(reused);
  // Even where the other request would be refused for another reason.
  expect(await refusalOf(one.send(caller, { to: '0550' }, 'shared'))).toMatchObject(reused);
  expect(await one.check(caller, { id, code }, 'shared')).toMatchObject({ valid: true });
  const inTest = await one.send({ ...caller, mode: 'test' }, { to }, 'shared');
  const elsewhere = await one.send(newCaller(), { to }, 'shared');
  expect(new Set([first.id, inTest.id, elsewhere.id]).size).toBe(3);
});

test('a refused call does not use its key up', async () => {
  const caller = newCaller();
  expect(await refusalOf(one.send(caller, { to: '0550' }, 'k'))).toMatchObject({ code: 'invalid_phone_number' });
  const to = newNumber();
  expect(await one.send(caller, { to }, 'k')).toMatchObject({ to });
});

test.each(['', 'k'.repeat(257), 'clé'])('%j is no key', async (key) => {
  expect(await refusalOf(one.send(newCaller(), { to: newNumber() }, key))).toMatchObject({
    code: 'invalid_idempotency_key',
    httpStatus: 400,
  });
});

test('nothing was logged as an error', () => {
  expect([...one.errors, ...two.errors]).toEqual([]);
});
