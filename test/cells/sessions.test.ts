// One account's sessions over eight cells on three servers: where they lie, and that callers see them as if they were in one.
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { timeOf } from '../../src/core/ids.ts';
import { isCelled } from '../support/cells.ts';
import { testDatabase } from '../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../support/engine.ts';
import { everySession } from '../support/session.ts';

const database = await testDatabase();
if (!isCelled(database)) throw new Error('this suite runs over cells');
const { cells, map } = database;
const sms = new ScriptedChannel();
const { engine, errors } = await testEngine(database, { sms });

/** Sends to so many numbers. */
async function sent(accountId: string, count: number, change: Parameters<typeof sendRequest>[0] = {}) {
  const results = await Promise.all(
    Array.from({ length: count }, () => engine.starter.sendSettled(sendRequest({ accountId, ...change }))),
  );
  return results.map((result) => {
    if (result.kind !== 'sent') throw new Error(result.kind);
    return result.session;
  });
}

const stored = async (accountId: string) =>
  Promise.all(
    cells.map(async ({ name, database: { db } }) => {
      const { rows } = await sql<{ id: string }>`select id from verify_session where account_id = ${accountId}`.execute(
        db,
      );
      return { name, ids: rows.map(({ id }) => id) };
    }),
  );

test('eight databases on three servers', () => {
  const servers = new Set(cells.map(({ url }) => new URL(url).host));
  expect([cells.length, servers.size, inject('databaseServer').others.length]).toEqual([8, 3, 2]);
});

test("one account's sessions are within 10 % in each cell, and each is in the cell that its id names", async () => {
  const accountId = ids('acct_');
  for (let round = 0; round < 40; round += 1) await sent(accountId, 250);
  await engine.dispatcher.idle();
  const held = await stored(accountId);
  const counts = held.map((cell) => cell.ids.length);
  expect(counts.reduce((sum, count) => sum + count)).toBe(10_000);
  for (const count of counts) expect(Math.abs(count - 1_250), String(counts)).toBeLessThanOrEqual(125);
  for (const { name, ids: some } of held) expect(some.filter((id) => map.ofId(id) !== name)).toEqual([]);
  expect(errors).toEqual([]);
});

test('pages of a list are those of one database: each session once, the newest first', async () => {
  const accountId = ids('acct_');
  const wanted = (await sent(accountId, 60))
    .map(({ id }) => id)
    .sort()
    .reverse();
  await sent(ids('acct_'), 20);
  for (const limit of [1, 7, 25, 59, 60, 100]) {
    const found: string[] = [];
    let before: string | null = null;
    for (let pages = 0; pages === 0 || before !== null; pages += 1) {
      const page = await engine.list(everySession(accountId), { limit, before });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items.map(({ session }) => session.id));
      before = page.next;
    }
    expect(found, `pages of ${limit}`).toEqual(wanted);
  }
});

test('a list of one number asks its cell alone, and the filters hold', async () => {
  const accountId = ids('acct_');
  const [one] = await sent(accountId, 5);
  await sent(accountId, 3, { clientReference: 'order' });
  const any = everySession(accountId);
  const page = { limit: 10, before: null };
  const ofNumber = await engine.list({ ...any, number: one?.to ?? '' }, page);
  expect(ofNumber.items.map(({ session }) => session.id)).toEqual([one?.id]);
  const ofReference = await engine.list({ ...any, clientReference: 'order' }, page);
  expect(ofReference.items).toHaveLength(3);
  const before = await engine.list({ ...any, createdUntil: timeOf(one?.id ?? '') - 1_000 }, page);
  expect(before.items).toEqual([]);
});
