// A shard gets another cell while work goes on: what is counted of its numbers goes on as well, for sessions of either cell, and a number has one
// pending session, though processes learn of the move at different times and die in the middle of it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { CellMap, homeCell } from '../../../src/core/fleet/cells.ts';
import { shardForNumber } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/db/client.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { bringAll, countAway, pendingMs } from '../../../src/db/moved-numbers.ts';
import type { CheckResult } from '../../../src/engine/verify/check.ts';
import type { SendResult } from '../../../src/engine/verify/send.ts';
import { testCells } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, type TestEngine, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const all = (cell: string) => [{ first: 0, after: 1024, cell }];
const first = { from: 0, ranges: all(homeCell) };
/** Far off: for a process that has not been started again yet. */
const later = { from: Date.now() + 86_400_000, ranges: all('b') };
const database = await testCells({ epochs: [first, later] });
const [home, b] = database.cells.map((cell) => cell.database) as [Database<unknown>, Database<unknown>];
const rules = { resendIntervalMs: 0 };
type Celled = typeof database;

const sms = new ScriptedChannel();
const engineOn = (on: Celled, options: Parameters<typeof testEngine>[1] = {}) =>
  testEngine(on, { sms, rules, ...options });

/** The same databases with an epoch that has just begun. */
async function moved(): Promise<Celled> {
  const from = Date.now() + 5;
  await until(() => Date.now() > from, { what: 'the epoch to begin' });
  return { ...database, map: new CellMap([first, { from, ranges: all('b') }]) };
}

type Request = ReturnType<typeof sendRequest>;

async function send({ engine }: Pick<TestEngine, 'engine'>, request: Request) {
  const result = await engine.starter.sendSettled(request);
  await engine.dispatcher.idle();
  if (result.kind !== 'sent') throw new Error(result.kind);
  return result.session;
}

const codeOf = (id: string) => sms.sent.findLast(({ sessionId }) => sessionId === id)?.code ?? '';
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function check({ engine }: TestEngine, session: { accountId: string; id: string }, right = false) {
  const code = codeOf(session.id);
  const target = { id: session.id };
  const { accountId } = session;
  return engine.check({ accountId, mode: 'live', target, code: right ? code : wrong(code), idempotency: null });
}

/** `valid`, why not, or why there was no answer. */
const outcome = (result: CheckResult) =>
  result.kind === 'checked' ? (result.checked.valid ? 'valid' : result.checked.reason) : result.kind;

const failuresIn = async ({ db }: Database<unknown>, accountId: string) =>
  (
    await sql<{ failures: number; failures_in_row: number }>`
      select failures, failures_in_row from number_failure where account_id = ${accountId}`.execute(db)
  ).rows;

test('wrong codes go on to count, for sessions of the old cell and of the new one', async () => {
  const failureLimit = { failures: 6 };
  const old = await engineOn(database, { failureLimit });
  const request = sendRequest({ purpose: 'a' });
  const before = await send(old, request);
  for (let n = 0; n < 3; n += 1) expect(outcome(await check(old, before))).toBe('incorrect_code');

  const now = await engineOn(await moved(), { failureLimit });
  const after = await send(now, { ...request, purpose: 'b' });
  expect(outcome(await check(now, before))).toBe('incorrect_code');
  expect(outcome(await check(now, after))).toBe('incorrect_code');
  expect(await failuresIn(home, request.accountId)).toEqual([]);
  expect(await failuresIn(b, request.accountId)).toEqual([{ failures: 5, failures_in_row: 5 }]);
  expect(outcome(await check(now, after))).toBe('incorrect_code');
  expect(outcome(await check(now, before, true))).toBe('number_locked');
  expect(outcome(await check(now, after, true))).toBe('number_locked');
  expect(now.errors).toEqual([]);
});

test('a lock that a session of the old cell brings about is told once, with its counts', async () => {
  const failureLimit = { failures: 3 };
  const request = sendRequest();
  const { accountId } = request;
  const endpointId = ids('whe_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'A', now())`.execute(home.db);
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, enabled, secret, created_at, updated_at)
    values (${endpointId}, ${accountId}, 'live', 'https://shop.example', '', '{number.locked}', true, '', now(), now())`.execute(
    home.db,
  );
  const old = await engineOn(database, { failureLimit });
  const session = await send(old, request);
  await check(old, session);
  const now = await engineOn(await moved(), { failureLimit });
  for (let n = 0; n < 3; n += 1) await check(now, session);
  const { rows } = await sql<{ body: { data: object } }>`
    select body::jsonb as body from webhook_delivery where account_id = ${accountId}`.execute(home.db);
  expect(rows.map(({ body }) => body.data)).toEqual([
    expect.objectContaining({ failures: 3, failures_in_row: 3, needs_unlock: false, locked_until: expect.any(String) }),
  ]);
  expect(now.webhooks.map((webhook) => [webhook.endpointId, JSON.parse(webhook.body)])).toEqual([
    [endpointId, rows[0]?.body],
  ]);
});

test('sends to a number go on to count: by a new session, by a resend of the old one', async () => {
  const sendLimits = { perNumberPerHour: 5 };
  const old = await engineOn(database, { sendLimits });
  const request = sendRequest({ purpose: 'a' });
  const before = await send(old, request);
  expect((await send(old, request)).sends).toBe(2);
  const now = await engineOn(await moved(), { sendLimits });
  expect((await send(now, { ...request, purpose: 'b' })).id).not.toBe(before.id);
  const resent = await send(now, request);
  expect([resent.id, resent.sends]).toEqual([before.id, 3]);
  await send(now, { ...request, purpose: 'c' });
  const refused = async (purpose: string) => (await now.engine.starter.sendSettled({ ...request, purpose })).kind;
  expect(await Promise.all(['a', 'b', 'd'].map(refused))).toEqual(Array(3).fill('number_limited'));
  const platform = await sql`select from rate_bucket where key = ${`platform:${request.to}`}`.execute(home.db);
  expect(platform.rows).toEqual([]);
});

test('a number has one pending session, though a process whose clock is behind does not know of the move yet', async () => {
  const on = await moved();
  const slow = await engineOn(on, { now: () => Date.now() - 3_000 });
  const quick = await engineOn(on);
  const requests = Array.from({ length: 60 }, () => sendRequest());
  const idOf = (result: SendResult) => ('session' in result ? result.session.id : result.kind);
  type Request = (typeof requests)[number];
  const sendBy = async ({ engine }: TestEngine, request: Request) => idOf(await engine.starter.sendSettled(request));
  const inTurn = async (engines: readonly TestEngine[], request: Request) => {
    const ids: string[] = [];
    for (const engine of engines) ids.push(await sendBy(engine, request));
    return ids;
  };
  const atOnce = (engines: readonly TestEngine[], request: Request) =>
    Promise.all(engines.map((engine) => sendBy(engine, request)));
  // One that meets a place whose session is still being opened may ask its caller to come again.
  const opened = (results: readonly string[][]) =>
    results.map((each) => new Set(each.filter((id) => id !== 'overloaded')));
  // Each is first at some of them; to the others both come at once.
  const answers = await Promise.all([
    ...requests.slice(0, 10).map((request) => inTurn([slow, quick], request)),
    ...requests.slice(10, 20).map((request) => inTurn([quick, slow], request)),
    ...requests.slice(20).map((request) => atOnce([slow, quick], request)),
  ]);
  const sessions = opened(answers);
  expect(sessions.map(({ size }) => size)).toEqual(requests.map(() => 1));
  expect(new Set(sessions.flatMap((each) => [...each].map((id) => on.map.ofId(id))))).toEqual(new Set([homeCell, 'b']));
  const again = await Promise.all(requests.map((request) => atOnce([quick, slow], request)));
  expect(opened(again)).toEqual(sessions);
  await Promise.all([slow, quick].map(({ engine }) => engine.dispatcher.idle()));
});

test('back again: places that sessions of the other cell took keep nobody from sending', async () => {
  const there = await moved();
  const [, second] = there.map.epochs as [object, (typeof there.map.epochs)[number]];
  const request = sendRequest();
  const away = await engineOn(there);
  const over = await send(away, request);
  await away.engine.cancel({ accountId: request.accountId, mode: 'live', id: over.id });
  const from = Date.now() + 5;
  await until(() => Date.now() > from, { what: 'the epoch to begin' });
  const back = await engineOn({
    ...database,
    map: new CellMap([first, second, { from, ranges: all(homeCell) }]),
  });
  const next = await send(back, request);
  expect((await sql`select id from verify_session where id = ${next.id}`.execute(home.db)).rows).toHaveLength(1);
  expect(outcome(await check(back, next, true))).toBe('valid');
});

test('a process that knows an older state of the session counts a wrong code and a send once', async () => {
  const from = Date.now();
  const map = new CellMap([first, { from, ranges: all('b') }]);
  let hasMoved = false;
  // Their clock stands still before the epoch until the session has changed: on a busy machine it would be of the new cell.
  const now = () => (hasMoved ? Date.now() : from - 1);
  const options = { now, failureLimit: { failures: 2 }, sendLimits: { perNumberPerHour: 4 } };
  const on = { ...database, map };
  const [slow, quick] = [await engineOn(on, options), await engineOn(on, options)];
  const [checked, resent] = [sendRequest(), sendRequest({ purpose: 'a' })];
  const [session, other] = [await send(slow, checked), await send(slow, resent)];
  expect(outcome(await check(quick, session))).toBe('incorrect_code');
  expect((await send(quick, resent)).sends).toBe(2);
  expect([session, other].map(({ id }) => map.ofId(id))).toEqual([homeCell, homeCell]);
  hasMoved = true;

  expect(outcome(await check(slow, session))).toBe('incorrect_code');
  expect(await failuresIn(b, checked.accountId)).toEqual([{ failures: 2, failures_in_row: 2 }]);
  expect(outcome(await check(slow, session))).toBe('number_locked');
  expect((await send(slow, resent)).sends).toBe(3);
  const kindOf = async (purpose: string) => (await slow.engine.starter.sendSettled({ ...resent, purpose })).kind;
  expect([await kindOf('b'), await kindOf('c')]).toEqual(['sent', 'number_limited']);
  await slow.engine.dispatcher.idle();
  expect(slow.errors).toEqual([]);
});

test('under load: each right code is valid once, wrong codes and sends are counted once', async () => {
  const atOnce = 40;
  const from = Date.now();
  const map = new CellMap([first, { from, ranges: all('b') }]);
  const stored: string[] = [];
  // Their clock stands still before the epoch until the first sessions are open: on a busy machine none would be of the old cell.
  const now = () => (stored.length < atOnce ? from - 1 : Date.now());
  const on = { ...database, map };
  const engines = [await engineOn(on, { now }), await engineOn(on, { now })];
  const one = async (n: number) => {
    const [here, there] = (n % 2 === 0 ? engines : engines.toReversed()) as [TestEngine, TestEngine];
    const request = sendRequest();
    const session = await send(here, request);
    stored.push(map.ofId(session.id));
    expect(outcome(await check(here, session))).toBe('incorrect_code');
    // Half of them meet the beginning of the epoch in the middle.
    if (n % 2 === 0) await until(() => now() >= from, { what: 'the epoch to begin' });
    expect(outcome(await check(there, session))).toBe('incorrect_code');
    const answers = await Promise.all([check(here, session, true), check(there, session, true)]);
    expect(answers.map(outcome).sort()).toEqual(['already_verified', 'valid']);
    const { attempts } = answers.flatMap((answer) => ('session' in answer ? [answer.session] : []))[0] ?? {};
    return { request, attempts };
  };
  const done: Awaited<ReturnType<typeof one>>[] = [];
  for (let n = 0; n < 6 * atOnce; n += atOnce)
    done.push(...(await Promise.all(Array.from({ length: atOnce }, (_, m) => one(n + m)))));
  expect(new Set(stored)).toEqual(new Set([homeCell, 'b']));
  expect(new Set(done.map(({ attempts }) => attempts))).toEqual(new Set([3]));
  expect(sms.sent.filter(({ to }) => done.some(({ request }) => request.to === to))).toHaveLength(done.length);
  for (const { errors } of engines) expect(errors).toEqual([]);
});

/** The databases; once armed, the statement number `at` breaks off, before or after it was done. */
function breaking(on: Celled, at: number, isAfter: boolean): Celled & { asked: string[]; arm(): void } {
  const asked: string[] = [];
  let isArmed = false;
  const arm = () => {
    isArmed = true;
  };
  const query = async (statement: { name: string }) => {
    if (isArmed) asked.push(statement.name);
    const breaks = asked.length === at;
    const gone = () => Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    if (breaks && !isAfter) throw gone();
    const result = await on.lanes.query(statement as never);
    if (breaks) throw gone();
    return result;
  };
  return { ...on, asked, arm, lanes: { query } as never };
}

test.each([
  ['before', false],
  ['after', true],
])('a process that dies %s any statement of the move: the next one goes on where it was', async (_, isAfter) => {
  const options = { failureLimit: { failures: 8 }, sendLimits: { perNumberPerHour: 8 } };
  for (let at = 1, isDone = false; !isDone; at += 1) {
    const old = await engineOn(database, options);
    const request = sendRequest({ purpose: 'a' });
    const before = await send(old, request);
    for (let n = 0; n < 3; n += 1) await check(old, before);
    await old.fleet.leave();

    const on = await moved();
    const broken = breaking(on, at, isAfter);
    const dying = await engineOn(broken, options);
    broken.arm();
    const sent = await dying.engine.starter.sendSettled({ ...request, purpose: 'b' }).catch(() => null);
    const checked = sent && (await check(dying, before).catch(() => null));
    isDone = broken.asked.length < at;
    expect(isDone ? [sent?.kind, checked && outcome(checked)] : []).toEqual(isDone ? ['sent', 'incorrect_code'] : []);

    const heir = await engineOn(on, options);
    expect(outcome(await check(heir, before))).toBe('incorrect_code');
    // Three of the old process, one of the heir, and that of the dying one: for certain where it was answered.
    const wrongs = checked ? [5] : [4, 5];
    expect(wrongs).toContain((await failuresIn(b, request.accountId))[0]?.failures);
    let sends = 1;
    for (; sends < 12; sends += 1) {
      const result = await heir.engine.starter.sendSettled({ ...request, purpose: `c${sends}` });
      if (result.kind === 'number_limited') break;
      expect(result.kind).toBe('sent');
    }
    // One was sent by the old process, and one may have been by the dying one.
    expect([7, 8]).toContain(sends);
    await heir.engine.dispatcher.idle();
    expect(await failuresIn(home, request.accountId)).toEqual([]);
    await heir.fleet.leave();
  }
});

test.each([
  ['refuses', 1, 'ECONNREFUSED'],
  ['refuses', 3, 'sent'],
  ['is silent', 3, 'sent'],
])('an old cell that %s, %i hours after the move: a send is %s', async (how, hours, wanted) => {
  const map = new CellMap([first, { from: Date.now() - hours * 3_600_000, ranges: all('b') }]);
  const answer = () =>
    how === 'refuses'
      ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
      : new Promise<never>(() => {});
  const query = (statement: { name: string }) =>
    ['counts.read', 'places.hold'].includes(statement.name) ? answer() : database.lanes.query(statement as never);
  const { engine } = await engineOn({ ...database, map, lanes: { query } as never });
  const sent = engine.starter.sendSettled(sendRequest()).then(
    ({ kind }) => kind,
    ({ code }) => code,
  );
  expect(await sent).toBe(wanted);
  await engine.dispatcher.idle();
});

test('what nobody asks for is moved on by a run that may be broken off, and repeated', async () => {
  const on = await moved();
  const now = () => Date.now();
  const accountId = ids('acct_');
  const numbers = Array.from({ length: 1_200 }, () => sendRequest().to);
  await sql`delete from number_failure`.execute(home.db);
  await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
    select ${accountId}, 'live', n, 4, 100, true, now() - interval '5 days' from unnest(${numbers}::text[]) n`.execute(
    home.db,
  );
  for (let at = 1, isDone = false; !isDone; at += 1) {
    const broken = breaking(on, at, at % 2 === 0);
    broken.arm();
    const store = (name: string) =>
      engineStore({
        query: (statement: never) =>
          name === homeCell ? broken.lanes.query(statement) : (b.lanes.query(statement) as never),
      } as never);
    const run = bringAll({ map: on.map, now, of: store }, homeCell);
    isDone = await run.then(
      () => true,
      () => false,
    );
  }
  expect(await failuresIn(home, accountId)).toEqual([]);
  expect(await failuresIn(b, accountId)).toEqual(numbers.map(() => ({ failures: 4, failures_in_row: 100 })));
  const stores = { map: on.map, now, of: (name: string) => engineStore((name === homeCell ? home : b).lanes) };
  expect(await countAway(stores, homeCell)).toBe(0);

  // Places that were taken in the old cell go once nothing can be pending there.
  const knowing = await engineOn(on);
  const request = sendRequest();
  const { id } = await send(knowing, request);
  const placed = async () =>
    (
      await sql`select from pending_number where shard = ${shardForNumber(request.to)} and session_id = ${id}`.execute(
        home.db,
      )
    ).rows.length;
  expect(await placed()).toBe(1);
  await bringAll(stores, homeCell);
  expect(await placed()).toBe(1);
  await bringAll({ ...stores, now: () => Date.now() + pendingMs + 1_000 }, homeCell);
  expect(await placed()).toBe(0);
});
