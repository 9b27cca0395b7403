// The lock on a number after too many wrong codes: however many sessions it has, however many processes check at once.
import { randomBytes } from 'node:crypto';
import { fromJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { forgetFailures } from '../../../src/db/accounts/control.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { runMaintenance } from '../../../src/engine/fleet/maintenance.ts';
import type { CheckResult } from '../../../src/engine/verify/check.ts';
import { NumberEventSchema } from '../../../src/gen/ramz/v1/webhook_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase({ lanes: 6 });
const other = database.connect({ lanes: 6 });
const dayMs = 86_400_000;

/** Two processes on one database. */
async function twoEngines(options: Parameters<typeof testEngine>[1] = {}) {
  const sms = new ScriptedChannel();
  const one = await testEngine(database, { ...options, sms });
  const two = await testEngine(other, { ...options, sms });
  return { sms, engines: [one, two] as const, errors: [one.errors, two.errors] };
}
type Two = Awaited<ReturnType<typeof twoEngines>>;

/** `count` sessions of one number of one account, and how to guess at them. */
async function sessionsOf({ sms, engines }: Two, count: number, change: Partial<ReturnType<typeof sendRequest>> = {}) {
  const request = sendRequest(change);
  const sent = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      engines[0].engine.starter.sendSettled({ ...request, purpose: `${change.purpose ?? 'p'}${n}` }),
    ),
  );
  await engines[0].engine.dispatcher.idle();
  const sessionIds = sent.map((result) => (result.kind === 'sent' ? result.session.id : result.kind));
  const codeOf = (id: string) => sms.sent.find(({ sessionId }) => sessionId === id)?.code ?? '';
  return {
    request,
    sessionIds,
    guess(process: number, n: number, right = false): Promise<CheckResult> {
      const id = sessionIds[n] ?? '';
      const code = right ? codeOf(id) : String((Number(codeOf(id)) + 1) % 1_000_000).padStart(6, '0');
      return engines[process % 2 === 0 ? 0 : 1].engine.checker.check({
        accountId: request.accountId,
        mode: request.mode,
        target: { id },
        code,
        idempotency: null,
      });
    },
  };
}

const count = (answers: readonly CheckResult[], what: 'wrong' | 'valid' | 'locked') =>
  answers.filter((answer) =>
    what === 'locked'
      ? answer.kind === 'number_locked'
      : answer.kind === 'checked' &&
        (what === 'valid' ? answer.checked.valid : answer.checked.reason === 'incorrect_code'),
  ).length;

const failuresOf = async (accountId: string) => {
  const { rows } = await sql<{ failures: number; failures_in_row: number }>`
    select failures, failures_in_row from number_failure where account_id = ${accountId}`.execute(database.db);
  return rows;
};

async function endpointOf(accountId: string): Promise<string> {
  const id = ids('whe_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'A', now())`.execute(database.db);
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, enabled, secret, created_at, updated_at)
    values (${id}, ${accountId}, 'live', 'https://shop.example', '', '{number.locked}', true, '', now(), now())`.execute(
    database.db,
  );
  return id;
}
const eventsOf = async (accountId: string) => {
  const { rows } = await sql<{ body: string; session_id: string }>`
    select body, session_id from webhook_delivery where account_id = ${accountId} order by event_id`.execute(
    database.db,
  );
  return rows.map(({ body, session_id }) => ({ ...JSON.parse(body), session_id }));
};

test('10 sessions × 5 checks at once in 2 processes: ten wrong codes are answered, forty checks are refused', async () => {
  const two = await twoEngines();
  for (let round = 0; round < 10; round += 1) {
    const accountId = ids('acct_');
    await endpointOf(accountId);
    const { guess } = await sessionsOf(two, 10, { accountId });
    const order = [...randomBytes(50)].map((byte, n) => ({ byte, n })).toSorted((a, b) => a.byte - b.byte);
    const answers = await Promise.all(order.map(({ byte, n }) => guess(byte, n % 10)));
    expect({ wrong: count(answers, 'wrong'), locked: count(answers, 'locked') }).toEqual({ wrong: 10, locked: 40 });
    expect(await failuresOf(accountId)).toEqual([{ failures: 10, failures_in_row: 10 }]);
    expect(await eventsOf(accountId)).toHaveLength(1);
    // The right code of a session that is still open is refused now, in both processes.
    expect(count(await Promise.all([0, 1].map((process) => guess(process, 9, true))), 'valid')).toBe(0);
  }
  expect(two.errors.flat()).toEqual([]);
});

test('whatever comes at once, from wherever: never more than ten wrong codes, and no right one behind them', async () => {
  const two = await twoEngines();
  const call = fc.record({ process: fc.nat(1), session: fc.nat(9), right: fc.boolean(), wait: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 12, maxLength: 50 }), async (calls) => {
      const accountId = ids('acct_');
      const { guess } = await sessionsOf(two, 10, { accountId });
      let lockedAt = 0;
      const answers = await Promise.all(
        calls.map(async ({ process, session, right, wait }) => {
          for (let turn = 0; turn < wait; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          const began = performance.now();
          const answer = await guess(process, session, right && session % 3 === 0);
          if (answer.kind === 'number_locked') lockedAt ||= performance.now();
          return { answer, began };
        }),
      );
      const all = answers.map(({ answer }) => answer);
      const wrong = count(all, 'wrong');
      expect(wrong).toBeLessThanOrEqual(10);
      // A check that began when a refusal had been seen is refused as well, or is for a session that was over before.
      const late = answers.filter(({ began }) => lockedAt > 0 && began > lockedAt).map(({ answer }) => answer);
      expect(count(late, 'wrong') + count(late, 'valid')).toBe(0);
      if (count(all, 'locked') > 0) expect(wrong).toBe(10);
      const [row] = await failuresOf(accountId);
      expect(row?.failures ?? 0).toBe(wrong);
    }),
    { numRuns: 40 },
  );
  expect(two.errors.flat()).toEqual([]);
});

test('a lock is told once, with the number, until when, and the session whose code it was', async () => {
  const two = await twoEngines();
  const accountId = ids('acct_');
  const endpointId = await endpointOf(accountId);
  const { guess, sessionIds, request } = await sessionsOf(two, 3, { accountId });
  const at = Date.now();
  for (let n = 0; n < 14; n += 1) await guess(n, Math.floor(n / 5));
  const events = await eventsOf(accountId);
  expect(events).toMatchObject([
    {
      type: 'number.locked',
      account_id: accountId,
      test: false,
      session_sequence: 0,
      session_id: sessionIds[1],
      data: { to: request.to, session_id: sessionIds[1], failures: 10, failures_in_row: 10, needs_unlock: false },
    },
  ]);
  fromJson(NumberEventSchema, events[0].data, { ignoreUnknownFields: false });
  const until = Date.parse(events[0].data.locked_until);
  expect(until).toBeGreaterThanOrEqual(at + 3_600_000);
  expect(until).toBeLessThanOrEqual(Date.now() + 3_600_000);
  // What is posted at once is what is stored.
  const posted = two.engines.flatMap(({ webhooks }) => webhooks).filter((webhook) => webhook.endpointId === endpointId);
  expect(posted.map(({ body }) => JSON.parse(body))).toEqual(events.map(({ session_id: _, ...body }) => body));
  expect(await guess(0, 2)).toMatchObject({ kind: 'number_locked', until });
});

test('wrong codes in a row lock the number for good; a right one before that begins the row again', async () => {
  const two = await twoEngines({ failureLimit: { failures: 3, failuresInRow: 7 } });
  const accountId = ids('acct_');
  await endpointOf(accountId);
  const { guess, request } = await sessionsOf(two, 10, { accountId });
  /** An hour later. */
  const later = () =>
    sql`update number_failure set window_ends_at = now() - interval '1 second' where account_id = ${accountId}`.execute(
      database.db,
    );
  const wrong = async (session: number, times: number) => {
    for (let n = 0; n < times; n += 1) expect(count([await guess(n, session)], 'wrong')).toBe(1);
  };
  await wrong(0, 3);
  expect(await guess(0, 1, true)).toMatchObject({ kind: 'number_locked', until: expect.any(Number) });
  await later();
  await wrong(1, 2);
  expect(await failuresOf(accountId)).toEqual([{ failures: 2, failures_in_row: 5 }]);
  expect(count([await guess(1, 2, true)], 'valid')).toBe(1);
  expect(await failuresOf(accountId)).toEqual([{ failures: 2, failures_in_row: 0 }]);
  await wrong(3, 1);
  for (const session of [4, 5]) {
    await later();
    await wrong(session, 3);
  }
  expect(await failuresOf(accountId)).toEqual([{ failures: 3, failures_in_row: 7 }]);
  await later();
  expect(await guess(0, 6, true)).toEqual({ kind: 'number_locked', until: null });
  const events = await eventsOf(accountId);
  expect(events.map(({ data }) => [data.failures, data.failures_in_row, data.needs_unlock])).toEqual([
    [3, 3, false],
    [3, 1, false],
    [3, 4, false],
    [3, 7, true],
  ]);
  expect(events.at(-1)?.data).not.toHaveProperty('locked_until');
  const { to: number } = request;
  await forgetFailures(withSchema(database.db), { accountId, number, modes: ['live'] });
  expect(count([await guess(0, 6, true)], 'valid')).toBe(1);
});

test('a code for a session that has just run out is no right one: the row of wrong codes goes on', async () => {
  let ahead = 0;
  const two = await twoEngines({ now: () => Date.now() + ahead });
  const accountId = ids('acct_');
  const { guess } = await sessionsOf(two, 2, { accountId });
  for (let n = 0; n < 4; n += 1) await guess(0, 0);
  // Before the deadline is dealt with, as where its process has died.
  ahead = 600_001;
  expect(await guess(0, 1)).toMatchObject({ kind: 'checked', checked: { valid: false, reason: 'expired' } });
  expect(await failuresOf(accountId)).toEqual([{ failures: 4, failures_in_row: 4 }]);
});

test('a lock does not last for as long as the clock was set back by, and never ends before its hour is over', async () => {
  let ahead = 6 * 3_600_000;
  const now = () => Date.now() + ahead;
  const two = await twoEngines({ now });
  const accountId = ids('acct_');
  const { guess } = await sessionsOf(two, 3, { accountId });
  for (let n = 0; n < 10; n += 1) await guess(n, Math.floor(n / 5));
  ahead = 0;
  const locked = await guess(0, 2, true);
  const until = locked.kind === 'number_locked' ? (locked.until ?? 0) : 0;
  expect(until).toBeGreaterThan(now());
  expect(until).toBeLessThanOrEqual(now() + 3_600_000);
  ahead = until - Date.now() - 60_000;
  expect(await guess(1, 2, true)).toMatchObject({ kind: 'number_locked', until });
  ahead = until - Date.now() + 1;
  expect(await guess(0, 2, true)).toMatchObject({ kind: 'checked', checked: { valid: true } });
  expect(two.errors.flat()).toEqual([]);
});

test('housekeeping keeps what counts: an open window, wrong codes in a row, a lock', async () => {
  const now = Date.now();
  const row = (name: string, inRow: number, daysAgo: number, needsUnlock = false) =>
    sql`insert into number_failure
      (account_id, mode, number, failures, failures_in_row, window_ends_at, needs_unlock) values
      ('acct_house', 'live', ${name}, 3, ${inRow}, to_timestamp(${(now - daysAgo * dayMs) / 1000}), ${needsUnlock})`.execute(
      database.db,
    );
  await row('window', 0, -0.01);
  await row('over', 0, 0.01);
  await row('in a row', 3, 29);
  await row('in a row, forgotten', 99, 31);
  await row('locked', 100, 400, true);
  await runMaintenance(database.db, now, { retentionDays: 30, reportRetentionDays: 30, auditRetentionDays: 400 });
  const { rows } = await sql<{ number: string }>`
    select number from number_failure where account_id = 'acct_house' order by number`.execute(database.db);
  expect(rows.map(({ number }) => number)).toEqual(['in a row', 'locked', 'window']);
});
