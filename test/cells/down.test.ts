// A cell that is down: what belongs to it fails, and nothing else does.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { notStored } from '../../src/db/outage.ts';
import { currentCell, evenly, isCelled } from '../support/cells.ts';
import { testCells, testDatabase } from '../support/database.ts';
import { carrierReceipt, ids, ScriptedChannel, sendRequest, testEngine } from '../support/engine.ts';
import { everySession } from '../support/session.ts';
import { until } from '../support/wait.ts';

const database = await testDatabase();
if (!isCelled(database)) throw new Error('this suite runs over cells');
const { map } = database;

/** As of a pool that no longer gets a connection. */
const away = () => notStored(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));

/** As of a server that has no room for what a statement stores. */
const full = () => Object.assign(new Error('away'), { code: '53100', severity: 'ERROR' });

/** The same connections; a statement for which `instead` has something is not sent. */
function intercepted(db: Database<unknown>['db'], instead: () => Promise<never> | undefined): typeof db {
  const executeQuery = (query: never) => instead() ?? db.executeQuery(query);
  const get = (target: object, key: string) => {
    const value = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return new Proxy(db, { get: (target, key: string) => (key === 'executeQuery' ? executeQuery : get(target, key)) });
}

/** The same database, of which a cell can be taken away. */
function breakable(failure: () => Error = away, of: Database<unknown> = database) {
  const down = new Set<string>();
  const failed = () => (down.has(currentCell() ?? 'home') ? Promise.reject(failure()) : undefined);
  const before = (pool: { query(statement: never): unknown }) => ({
    query: async (statement: never) => failed() ?? pool.query(statement),
  });
  const broken = {
    ...of,
    db: intercepted(of.db, failed),
    lanes: before(of.lanes),
    lists: before(of.lists),
  } as never as Database<unknown>;
  return { down, broken };
}

/** A number of that cell; of another one where `not`. */
function numberIn(cell: string, not = false): string {
  for (;;) {
    const { to } = sendRequest();
    if ((map.ofNumber(to, Date.now()) === cell) !== not) return to;
  }
}

describe('a cell that numbers left a week ago', async () => {
  const names = ['home', 'b', 'c'];
  const [before] = evenly(names);
  if (!before) throw new Error('no epoch');
  const ranges = before.ranges.map((range) => ({ ...range, cell: range.cell === 'b' ? 'c' : range.cell }));
  const after = { from: Date.now() - 7 * 86_400_000, ranges };
  const of = await testCells({ epochs: [before, after] });
  const numberFrom = (cell: string): string => {
    for (;;) {
      const { to } = sendRequest();
      if (of.map.ofNumber(to, 0) === cell) return to;
    }
  };

  /** A number that moved and one that never did, each with a message; then that cell down, for a process that has sent neither. */
  async function sentAndDown() {
    const { down, broken } = breakable(away, of);
    const sms = new ScriptedChannel();
    const [sender, { engine }] = [await testEngine(broken, { sms }), await testEngine(broken)];
    const accountId = ids('acct_');
    for (const to of [numberFrom('b'), numberFrom('c')])
      await sender.engine.starter.sendSettled(sendRequest({ accountId, to }));
    await sender.engine.dispatcher.idle();
    down.add('b');
    return { accountId, messages: sms.sent, engine };
  }

  test('is not asked for receipts', async () => {
    const { messages, engine } = await sentAndDown();
    await Promise.all(messages.map((message) => engine.receipts.take(carrierReceipt(message, 'DELIVRD'))));
    const states = messages.map(async ({ accountId, sessionId }) => engine.store.load({ accountId, id: sessionId }));
    const delivered = (await Promise.all(states)).map((loaded) => loaded?.session.messages[0]?.status);
    expect(delivered).toEqual(['delivered', 'delivered']);
  });

  test('is not asked in a check by number', async () => {
    const { accountId, messages, engine } = await sentAndDown();
    for (const { sessionId, to } of messages) {
      await engine.cancel({ accountId, mode: 'live', id: sessionId });
      const target = { to, purpose: '' };
      expect(await engine.check({ accountId, mode: 'live', target, code: '000000', idempotency: null })).toMatchObject({
        checked: { valid: false },
        session: { id: sessionId, status: 'canceled' },
      });
    }
  });
});

test('a batch of sends: those of the cell fail one by one, the others are stored', async () => {
  const { down, broken } = breakable();
  const sms = new ScriptedChannel();
  const { engine } = await testEngine(broken, { sms });
  const accountId = ids('acct_');
  down.add('c');
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, async () => {
      const { to } = sendRequest();
      const cell = map.ofNumber(to, Date.now());
      const outcome = await engine.starter.sendSettled(sendRequest({ accountId, to })).then(
        ({ kind }) => kind,
        () => 'failed',
      );
      return `${cell === 'c' ? 'c' : 'other'} ${outcome}`;
    }),
  );
  const kinds = results.map((result) => (result.status === 'fulfilled' ? result.value : 'thrown'));
  expect([...new Set(kinds)].sort()).toEqual(['c failed', 'other sent']);
  await engine.dispatcher.idle();
});

test.each([
  ['is down', away],
  ['has no room', full],
])('sends that are refused because the cell %s spend no budget', async (_, failure) => {
  const { down, broken } = breakable(failure);
  const { engine } = await testEngine(broken, { sms: new ScriptedChannel(), budget: { sendsPerHour: 3 } });
  const accountId = ids('acct_');
  const send = (to: string) => engine.starter.sendSettled(sendRequest({ accountId, to }));
  down.add('c');
  for (let sends = 0; sends < 3; sends += 1) await expect(send(numberIn('c'))).rejects.toThrow('away');
  expect(await send(numberIn('c', true))).toMatchObject({ kind: 'sent' });
  await engine.dispatcher.idle();
});

test('sessions of other cells are checked, found, canceled and listed by their number; a list of all is refused', async () => {
  const { down, broken } = breakable();
  const sms = new ScriptedChannel();
  const { engine } = await testEngine(broken, { sms });
  const accountId = ids('acct_');
  const open = async (to: string) => {
    const result = await engine.starter.sendSettled(sendRequest({ accountId, to }));
    if (result.kind !== 'sent') throw new Error(result.kind);
    return result.session;
  };
  const lost = await open(numberIn('c'));
  const [checked, canceled] = [await open(numberIn('c', true)), await open(numberIn('c', true))];
  await engine.dispatcher.idle();
  down.add('c');

  const codeOf = (id: string) => sms.sent.find(({ sessionId }) => sessionId === id)?.code ?? '';
  const check = (target: { id: string } | { to: string; purpose: string }, code: string) =>
    engine.check({ accountId, mode: 'live', target, code, idempotency: null });
  expect(await check({ to: checked.to, purpose: checked.purpose }, codeOf(checked.id))).toMatchObject({
    kind: 'checked',
    checked: { valid: true },
  });
  await expect(check({ id: lost.id }, codeOf(lost.id))).rejects.toThrow('away');
  expect(await engine.cancel({ accountId, mode: 'live', id: canceled.id })).toMatchObject({
    kind: 'ended',
    session: { status: 'canceled' },
  });
  const message = sms.sent.find(({ sessionId }) => sessionId === checked.id);
  if (!message) throw new Error('nothing was sent');
  await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));

  const filter = everySession(accountId);
  const page = { limit: 10, before: null };
  expect((await engine.list({ ...filter, number: checked.to }, page)).items).toHaveLength(1);
  await expect(engine.list(filter, page)).rejects.toThrow('away');

  down.clear();
  expect(await check({ id: lost.id }, codeOf(lost.id))).toMatchObject({ checked: { valid: true } });
  expect((await engine.list(filter, page)).items).toHaveLength(3);
});

test('what a dead process held in the others is taken over, and in that one once it is back', async () => {
  const stuck = new ScriptedChannel();
  stuck.reserve = () => new Promise(() => {});
  const dead = await testEngine(database, { sms: stuck });
  const sends = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const result = await dead.engine.starter.sendSettled(sendRequest());
      return result.kind === 'sent' ? result.session.id : result.kind;
    }),
  );
  const ofDown = sends.filter((id) => map.ofId(id) === 'c');
  expect(ofDown.length).toBeGreaterThan(0);
  await dead.fleet.leave();

  const { down, broken } = breakable();
  const sms = new ScriptedChannel();
  const heir = await testEngine(broken, { sms });
  down.add('c');
  await expect(heir.engine.sweep('sweep')).rejects.toThrow('away');
  await heir.engine.dispatcher.idle();
  const sentNow = () =>
    sms.sent
      .map(({ sessionId }) => sessionId)
      .filter((id) => sends.includes(id))
      .sort();
  expect(sentNow()).toEqual(sends.filter((id) => !ofDown.includes(id)).sort());
  down.clear();
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  expect(sentNow()).toEqual([...sends].sort());
});

test('watches of sessions elsewhere go on while the readings of a cell get no answer', async () => {
  const silent = new Set<string>();
  const db = intercepted(database.db, () => (silent.has(currentCell() ?? '') ? new Promise(() => {}) : undefined));
  const sms = new ScriptedChannel();
  const { engine } = await testEngine({ ...database, db } as never, { sms });
  const other = await testEngine(database, { sms });
  const accountId = ids('acct_');
  const watched = async (to: string) => {
    const result = await other.engine.starter.sendSettled(sendRequest({ accountId, to }));
    if (result.kind !== 'sent') throw new Error(result.kind);
    const { id } = result.session;
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const seen: string[] = [];
    const watch = async () => {
      for await (const { session } of engine.watch({ accountId, mode: 'live', id }, leaving.signal))
        seen.push(session.status);
    };
    void watch();
    await until(() => seen.length > 0, { what: 'the first state' });
    return { id, seen };
  };
  const lost = await Promise.all(Array.from({ length: 4 }, () => watched(numberIn('c'))));
  const { id, seen } = await watched(numberIn('c', true));
  await other.engine.dispatcher.idle();

  silent.add('c');
  // More than may read their receipts at once.
  const cancel = { kind: 'cancel', reason: 'canceled_by_client' } as const;
  for (const { id } of lost) await engine.sessions.apply({ accountId, id }, cancel);
  const code = sms.sent.find(({ sessionId }) => sessionId === id)?.code ?? '';
  await other.engine.check({ accountId, mode: 'live', target: { id }, code, idempotency: null });
  await until(
    async () => {
      await engine.watches.runOnce();
      return seen.at(-1) === 'verified';
    },
    { what: 'the check' },
  );
  expect(lost.map((each) => each.seen.at(-1))).not.toContain('canceled');
});
