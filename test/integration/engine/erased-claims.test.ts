// Claims of Idempotency-Keys over two cells: wherever an erasure is broken off, the next leaves no claim. The answers in the number's cell name the keys,
// whose text may have the number in it, and the claims lie in the cells of the keys.
import { randomBytes } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { homeCell } from '../../../src/core/fleet/cells.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { createDatabase } from '../../../src/db/client.ts';
import type { UntypedDb } from '../../../src/db/schema.ts';
import { Erasure } from '../../../src/engine/erasure/erasure.ts';
import { evenly } from '../../support/cells.ts';
import { testCells } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, type TestEngine, testEngine } from '../../support/engine.ts';
import { rowsWith } from '../../support/rows-with.ts';

const database = await testCells({ epochs: evenly([homeCell, 'b']) });
const [home, b] = database.cells.map((cell) => cell.database.plain) as [UntypedDb, UntypedDb];
const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const { ring } = parsed;

const actor = { kind: 'system', id: '', name: 'test', address: '', requestId: '' } as const;
const erase = (number: string, over: readonly [UntypedDb, UntypedDb] = [home, b]) =>
  new Erasure({ home: over[0], cells: over }, Date.now, ring).erase({ number, scope: null, actor });

async function claims(accountId: string): Promise<number> {
  const counts = [home, b].map(async (db) => {
    const { rows } = await sql`select from idempotency_claim where account_id = ${accountId}`.execute(db);
    return rows.length;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** A session that is over, in the cell that is erased first, sent under a key that has the number in it. */
async function sentUnderKey({ engine }: TestEngine) {
  let request = sendRequest();
  while (database.map.ofNumber(request.to, Date.now()) !== homeCell) request = sendRequest();
  const { accountId, to } = request;
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(home);
  const send = (body: string) =>
    engine.starter.sendSettled({ ...request, idempotency: { route: 'send', key: `${to}-login-1`, request: body } });
  const sent = await send('one');
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await engine.dispatcher.idle();
  await engine.cancel({ accountId, mode: 'live', id: sent.session.id });
  expect(await claims(accountId)).toBe(1);
  return { accountId, to, send };
}

test('after a cell was away the next erasure leaves none, and the key is free for another request', async () => {
  const one = await testEngine(database, { sms: new ScriptedChannel() });
  const { accountId, to, send } = await sentUnderKey(one);
  const away = createDatabase<unknown>('postgres://nobody@127.0.0.1:1/none', { max: 1, lanes: 1 });
  await expect(erase(to, [home, away.plain])).rejects.toThrow('ECONNREFUSED');
  await away.close();
  expect((await erase(to)).complete).toBe(true);
  expect(await claims(accountId)).toBe(0);
  for (const db of [home, b]) expect(await rowsWith(db, to)).toEqual({});
  expect((await send('another')).kind).toBe('sent');
  await one.fleet.leave();
});

/** Fails in place of the statement of this number, counted from 1. */
function failingAt(step: number): KyselyPlugin {
  let count = 0;
  return {
    transformQuery: ({ node }) => {
      count += 1;
      if (count === step) throw new Error('broken off');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

test('whichever statement an erasure is broken off before, the next leaves none', async () => {
  const one = await testEngine(database, { sms: new ScriptedChannel() });
  const kept: number[] = [];
  let isDone = false;
  for (let step = 1; !isDone; step += 1) {
    const { accountId, to } = await sentUnderKey(one);
    const failing = failingAt(step);
    isDone = await erase(to, [home.withPlugin(failing), b.withPlugin(failing)]).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe('broken off');
        return false;
      },
    );
    expect((await erase(to)).complete).toBe(true);
    if ((await claims(accountId)) > 0) kept.push(step);
    if (isDone) expect(step).toBeGreaterThan(20);
  }
  expect(kept).toEqual([]);
  await one.fleet.leave();
});

test('a key that is claimed again before its answer is gone is free, too', async () => {
  const one = await testEngine(database, { sms: new ScriptedChannel() });
  const { accountId, to, send } = await sentUnderKey(one);
  const repeated: string[] = [];
  const deletions = new WeakSet<object>();
  /** The call is repeated once the claim is gone. */
  const repeating: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('delete from idempotency_claim')) deletions.add(queryId);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      if (deletions.has(queryId) && repeated.length === 0 && (await claims(accountId)) === 0)
        repeated.push((await send('one')).kind);
      return result;
    },
  };
  expect((await erase(to, [home.withPlugin(repeating), b.withPlugin(repeating)])).complete).toBe(true);
  expect(repeated).toEqual(['replayed']);
  expect(await claims(accountId)).toBe(0);
  await one.fleet.leave();
});
