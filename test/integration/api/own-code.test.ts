// The caller's own code: sent, checked, resent and superseded, and in the database only while it can be checked, in no readable form.
import { randomBytes } from 'node:crypto';
import { toJsonString } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { verifySchema } from '../../../src/config/service.ts';
import { SessionSchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { type Caller, newCaller, newNumber, refusalOf, startProcess } from './verify-service.ts';

const database = await testDatabase();
const settings = { verify: verifySchema.parse({ allow_custom_code: true }) };
const ramz = await startProcess(database, { settings, rules: { resendIntervalMs: 0 } });
const spaced = await startProcess(database, { settings });
const strict = await startProcess(database);

let last = 10_000_000;
/** Nobody else's, and of more digits than most numbers in a row. */
function newCode(): string {
  last += 7_919;
  return String(last);
}

async function sent(code: string, { caller = newCaller(), to = newNumber(), process = ramz, key = '' } = {}) {
  const answer = await process.send(caller, { to, code }, key || undefined);
  await until(() => process.codeOf(answer.id), { what: 'the message' });
  return { caller, to, code, id: answer.id, answer };
}

const rowOf = async (id: string) => {
  const { rows } = await sql<{ sealed_code: string | null; status: string }>`
    select sealed_code, status from verify_session where id = ${id}`.execute(database.db);
  return rows[0];
};

/** Everything that is stored of an account, as text. */
async function everything({ accountId }: Caller): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(t)::text as text from verify_session t where account_id = ${accountId}
    union all select to_jsonb(t)::text from message t where account_id = ${accountId}
    union all select to_jsonb(t)::text from receipt t where account_id = ${accountId}
    union all select to_jsonb(t)::text from idempotency t where account_id = ${accountId}
    union all select to_jsonb(t)::text from webhook_delivery t where account_id = ${accountId}
    union all select to_jsonb(t)::text from session_timeline t
      join verify_session s on s.id = t.session_id where s.account_id = ${accountId}`.execute(database.db);
  return rows.map(({ text }) => text).join('\n');
}

test('a code of the client is what the phone gets and what verifies, is shown nowhere, and is gone once the session is over', async () => {
  const { caller, id, code } = await sent(newCode(), { key: 'k1' });
  expect(ramz.codeOf(id)).toBe(code);
  expect(await rowOf(id)).toMatchObject({ sealed_code: expect.stringMatching(/^s1[.]/) });
  const session = await ramz.get(caller, id);
  expect(session).toMatchObject({ status: 'pending', codeLength: code.length });
  expect(toJsonString(SessionSchema, session)).not.toContain(code);
  expect(await everything(caller)).not.toContain(code);
  const wrong = String(Number(code) + 1);
  expect(await ramz.check(caller, { id, code: wrong }, 'k2')).toMatchObject({ valid: false, reason: 'incorrect_code' });
  expect(await ramz.check(caller, { id, code }, 'k3')).toMatchObject({ valid: true });
  expect(await rowOf(id)).toEqual({ status: 'verified', sealed_code: '' });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: false, reason: 'already_verified' });
  expect(await everything(caller)).not.toContain(code);
});

test('a code of the client replaces the zeros of a test key', async () => {
  const caller = { accountId: ids('acct_'), mode: 'test' } as const;
  const { id, code } = await sent(newCode(), { caller });
  expect(await ramz.check(caller, { id, code: '0'.repeat(code.length) })).toMatchObject({ valid: false });
  expect(await ramz.check(caller, { id, code })).toMatchObject({ valid: true });
});

test.each([
  ['canceled', (caller: Caller, id: string) => ramz.cancel(caller, id)],
  ['canceled', (caller: Caller, id: string) => ramz.report(caller, id, 'fraud')],
  ['verified', (caller: Caller, id: string) => ramz.report(caller, id, 'verified')],
  [
    'failed',
    async (caller: Caller, id: string) => {
      for (let n = 0; n < 5; n += 1) await ramz.check(caller, { id, code: '00000000' });
    },
  ],
])('is gone with the change that makes the session %s', async (status, end) => {
  const { caller, id } = await sent(newCode());
  await end(caller, id);
  expect(await rowOf(id)).toEqual({ status, sealed_code: '' });
});

test('the same code given again is a resend, and another one supersedes the session', async () => {
  const first = await sent(newCode());
  const { caller, to, code } = first;
  expect((await ramz.send(caller, { to, code })).id).toBe(first.id);
  // A send without a code resends what there is.
  expect((await ramz.send(caller, { to })).id).toBe(first.id);
  const other = newCode();
  const second = await ramz.send(caller, { to, code: other });
  expect(second.id).not.toBe(first.id);
  expect(await ramz.get(caller, first.id)).toMatchObject({ status: 'canceled', statusReason: 'superseded' });
  expect(await ramz.check(caller, { id: first.id, code })).toMatchObject({ valid: false, reason: 'canceled' });
  expect(await ramz.check(caller, { to, code: other })).toMatchObject({ valid: true, id: second.id });
});

test('where a session has less than a minute left, a send without a code opens another with the same code and metadata', async () => {
  const [caller, to, code] = [newCaller(), newNumber(), newCode()];
  const first = await ramz.send(caller, { to, code, ttlSeconds: 60, metadata: { order: '1042' } });
  const second = await ramz.send(caller, { to });
  expect(second.id).not.toBe(first.id);
  await until(() => ramz.codeOf(second.id), { what: 'the message' });
  expect(ramz.codeOf(second.id)).toBe(code);
  expect(await rowOf(first.id)).toEqual({ status: 'canceled', sealed_code: '' });
  const session = await ramz.get(caller, second.id);
  expect(session).toMatchObject({ codeLength: code.length, metadata: { order: '1042' } });
  expect(await ramz.check(caller, { to, code })).toMatchObject({ valid: true, id: second.id });
});

test('a send that names another length or other metadata has what it names', async () => {
  const [caller, to, code] = [newCaller(), newNumber(), newCode()];
  await ramz.send(caller, { to, code, ttlSeconds: 60, metadata: { order: '1042' } });
  const { id } = await ramz.send(caller, { to, codeLength: 7, metadata: { order: '7' } });
  await until(() => ramz.codeOf(id), { what: 'the message' });
  expect(ramz.codeOf(id)).toMatch(/^\d{7}$/);
  expect(await ramz.get(caller, id)).toMatchObject({ codeLength: 7, metadata: { order: '7' } });
});

test('a code of the client supersedes one that was made here, even an equal one: no answer says that a guess was right', async () => {
  const caller = newCaller();
  const to = newNumber();
  const { id } = await spaced.send(caller, { to, codeLength: 8 });
  await until(() => spaced.codeOf(id), { what: 'the message' });
  const code = spaced.codeOf(id);
  const guess = (digits: string) => refusalOf(spaced.send(caller, { to, code: digits, language: 'en' }));
  expect(await guess(newCode())).toMatchObject({ code: 'resend_too_soon' });
  expect(await guess(code)).toMatchObject({ code: 'resend_too_soon' });
  const { id: next } = await ramz.send(caller, { to, code });
  expect(next).not.toBe(id);
  expect((await ramz.get(caller, id)).statusReason).toBe('superseded');
});

test('a superseding code is spaced and limited like a resend: nothing is canceled for what is refused', async () => {
  const { caller, to, id } = await sent(newCode(), { process: spaced });
  expect(await refusalOf(spaced.send(caller, { to, code: newCode() }))).toMatchObject({ code: 'resend_too_soon' });
  expect(await rowOf(id)).toMatchObject({ status: 'pending' });
  const limited = await startProcess(database, {
    settings,
    rules: { resendIntervalMs: 0 },
    sendLimits: { perNumberPerHour: 2 },
  });
  const one = await sent(newCode(), { process: limited });
  const two = await limited.send(one.caller, { to: one.to, code: newCode() });
  const three = limited.send(one.caller, { to: one.to, code: newCode() });
  expect(await refusalOf(three)).toMatchObject({ code: 'number_rate_limited' });
  expect(await rowOf(two.id)).toMatchObject({ status: 'pending' });
});

test('a code with an Idempotency-Key is answered again, and another code under that key is a conflict', async () => {
  const first = await sent(newCode(), { key: 'same' });
  const { caller, to, code } = first;
  expect((await ramz.send(caller, { to, code }, 'same')).id).toBe(first.id);
  expect(await refusalOf(ramz.send(caller, { to, code: newCode() }, 'same'))).toMatchObject({
    code: 'idempotency_key_reused',
  });
  expect((await ramz.get(caller, first.id)).sends).toBe(1);
});

test('a code of the client is checked by another process of the deployment, too', async () => {
  const { caller, id, code } = await sent(newCode());
  expect(await spaced.check(caller, { id, code })).toMatchObject({ valid: true });
});

test('of eight sends at once with different codes one opens the session, and its code is the one that counts', async () => {
  const caller = newCaller();
  const to = newNumber();
  const codes = Array.from({ length: 8 }, newCode);
  const answers = await Promise.all(
    codes.map((code) =>
      spaced.send(caller, { to, code }).then(
        () => code,
        () => null,
      ),
    ),
  );
  const [winner, ...others] = answers.filter((code) => code !== null);
  expect(others).toEqual([]);
  for (const code of codes.filter((each) => each !== winner).slice(0, 3)) {
    expect(await spaced.check(caller, { to, code })).toMatchObject({ valid: false, reason: 'incorrect_code' });
  }
  expect(await spaced.check(caller, { to, code: winner ?? '' })).toMatchObject({ valid: true });
});

test.each([
  [
    'where the deployment takes none',
    () => strict.send(newCaller(), { to: newNumber(), code: newCode() }),
    'custom_code_not_allowed',
  ],
  ['of letters', () => ramz.send(newCaller(), { to: newNumber(), code: '12345a' }), 'invalid_argument'],
  ['of three digits', () => ramz.send(newCaller(), { to: newNumber(), code: '123' }), 'invalid_argument'],
  ['of eleven digits', () => ramz.send(newCaller(), { to: newNumber(), code: '12345678901' }), 'invalid_argument'],
  [
    'beside another length',
    () => ramz.send(newCaller(), { to: newNumber(), code: '123456', codeLength: 8 }),
    'invalid_argument',
  ],
])('is refused %s', async (_, send, code) => {
  expect(await refusalOf(send())).toMatchObject({ code });
});

test('a report is the same once and twice, and never undoes what was', async () => {
  const { caller, id } = await sent(newCode());
  const verified = await ramz.report(caller, id, 'verified');
  expect(verified).toMatchObject({ status: 'verified', attemptsRemaining: 5 });
  expect(verified.timeline.at(-1)).toMatchObject({ kind: 'session_verified', reason: 'reported' });
  expect((await ramz.report(caller, id, 'verified')).timeline).toHaveLength(verified.timeline.length);
  const refusal = await refusalOf(ramz.report(caller, id, 'fraud'));
  expect(refusal).toMatchObject({ code: 'session_not_pending', metadata: { status: 'verified' } });

  const fraud = await sent(newCode());
  expect(await ramz.report(fraud.caller, fraud.id, 'fraud')).toMatchObject({ statusReason: 'reported_fraud' });
  expect(await ramz.report(fraud.caller, fraud.id, 'fraud')).toMatchObject({ status: 'canceled' });
  expect(await refusalOf(ramz.report(fraud.caller, fraud.id, 'verified'))).toMatchObject({
    code: 'session_not_pending',
  });
  const canceled = await sent(newCode());
  await ramz.cancel(canceled.caller, canceled.id);
  expect(await refusalOf(ramz.report(canceled.caller, canceled.id, 'fraud'))).toMatchObject({
    code: 'session_not_pending',
  });
  const nobodys = ids('vrf_', randomBytes(1)[0] ?? 0);
  expect(await refusalOf(ramz.report(caller, nobodys, 'fraud'))).toMatchObject({ code: 'session_not_found' });
});
