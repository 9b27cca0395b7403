// Idempotency-Keys over cells: the key's own cell says which request it is of, the number's cell has the answer.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { CellMap, homeCell } from '../../src/core/fleet/cells.ts';
import { shardForNumber } from '../../src/core/ids.ts';
import { engineStoreOver } from '../../src/db/cell-store.ts';
import { engineStore } from '../../src/db/engine-store.ts';
import { deleteAnswers } from '../../src/db/fleet/maintenance.ts';
import { shardForKey } from '../../src/db/verify/key-claims.ts';
import { evenly, isCelled } from '../support/cells.ts';
import { testDatabase } from '../support/database.ts';

const database = await testDatabase();
if (!isCelled(database)) throw new Error('this suite runs over cells');
const { cells } = database;
const [, , , away] = cells.map(({ name }) => name);
const asked: string[] = [];
const stores = new Map(
  cells.map(({ name, database: { lanes } }) => {
    const query = (statement: { name: string }) => {
      asked.push(`${name} ${statement.name}`);
      return lanes.query(statement as never);
    };
    return [name, engineStore({ query } as never)];
  }),
);
const hourMs = 3_600_000;
const over = (map: CellMap, now = Date.now()) =>
  engineStoreOver({ map, now: () => now, of: (cell) => stores.get(cell) as ReturnType<typeof engineStore> });
const map = database.map;
const store = over(map);
let made = 0;

beforeEach(async () => {
  asked.length = 0;
  await sql`truncate idempotency, idempotency_claim`.execute(database.db);
});

/** A key that lies in one cell, and a number in another. */
function keyAndNumber(of: CellMap = map) {
  for (;;) {
    made += 1;
    const key = { accountId: 'acct_1', mode: 'live' as const, route: 'Send', key: `k${made}` };
    const number = `+21355${1_000_000 + made}`;
    const [ofKey, ofNumber] = [of.ofShard(shardForKey(key), Date.now()), of.ofNumber(number, Date.now())];
    if (ofKey !== ofNumber && ofKey !== away && ofNumber !== away) return { key, number, ofKey, ofNumber };
  }
}
const claimOf = (number: string, text: string) => ({ hash: Buffer.from(text), shard: shardForNumber(number) });

/** As the statement that has the effect stores it. */
async function answer(cell: string, key: ReturnType<typeof keyAndNumber>['key'], text: string) {
  const { accountId, mode, route, key: name } = key;
  await sql`insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
    values (${accountId}, ${mode}, ${route}, ${name}, ${Buffer.from(text)}, '{"id":"vrf_1"}', now())`.execute(
    cells.find(({ name: each }) => each === cell)?.database.db ?? database.db,
  );
}

test('a new key costs one statement, in its own cell; without an effect it is still the same request’s, and nobody else’s', async () => {
  const { key, number, ofKey } = keyAndNumber();
  expect(await store.storedAnswer(key, claimOf(number, 'body'))).toBeNull();
  expect(asked).toEqual([`${ofKey} key.claim`]);
  const claimed = { hash: Buffer.from('body'), answer: undefined };
  expect(await store.storedAnswer(key, claimOf(number, 'body'))).toEqual(claimed);
  expect(await store.storedAnswer(key, claimOf('+213551', 'another body'))).toEqual(claimed);
  expect(await store.storedAnswer(key)).toEqual(claimed);
});

test('the answer is found in the number’s cell, and no other is asked', async () => {
  const { key, number, ofKey, ofNumber } = keyAndNumber();
  await store.storedAnswer(key, claimOf(number, 'body'));
  await answer(ofNumber, key, 'body');
  asked.length = 0;
  const answered = { hash: Buffer.from('body'), answer: { id: 'vrf_1' } };
  expect(await store.storedAnswer(key, claimOf('+213551', 'another body'))).toEqual(answered);
  expect(asked).toEqual([`${ofKey} key.claim`, `${ofNumber} answer`]);
});

test('of many requests at once one has the key', async () => {
  const { key, number } = keyAndNumber();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => store.storedAnswer(key, claimOf(number, `body ${n}`))),
  );
  const won = results.flatMap((result, n) => (result === null ? [n] : []));
  expect(won).toHaveLength(1);
  for (const result of results) if (result) expect(result.hash.toString()).toBe(`body ${won[0]}`);
});

test('what was answered while there was one cell is found after the others came, and a claim after an epoch', async () => {
  const [first] = evenly([homeCell, ...cells.slice(1).map(({ name }) => name)]);
  const began = Date.now() - hourMs;
  const since = new CellMap([{ from: began, ranges: first?.ranges ?? [] }]);
  const { key, number } = keyAndNumber();
  await answer(homeCell, key, 'body');
  expect(await over(since).storedAnswer(key, claimOf(number, 'another'))).toMatchObject({ answer: { id: 'vrf_1' } });
  // Claimed in the cell that was the key's then; an epoch later its shard lies elsewhere.
  const other = keyAndNumber();
  await store.storedAnswer(other.key, claimOf(other.number, 'body'));
  const moved = new CellMap([
    ...(first ? [{ ...first, from: 0 }] : []),
    { from: began, ranges: [{ first: 0, after: 1_024, cell: away ?? '' }] },
  ]);
  const known = await over(moved).storedAnswer(other.key, claimOf('+213551', 'another body'));
  expect(known).toEqual({ hash: Buffer.from('body'), answer: undefined });
});

test('a claim is kept for longer than the answer, and young again with each repetition', async () => {
  const { key, number, ofKey } = keyAndNumber();
  await store.storedAnswer(key, claimOf(number, 'body'));
  const db = cells.find(({ name }) => name === ofKey)?.database.db ?? database.db;
  await sql`update idempotency_claim set created_at = now() - interval '25 hours'`.execute(db);
  await deleteAnswers(db, Date.now() - 24 * hourMs);
  expect(await store.storedAnswer(key, claimOf(number, 'body'))).not.toBeNull();
  const { rows } = await sql<{ young: boolean }>`
    select created_at > now() - interval '1 minute' as young from idempotency_claim`.execute(db);
  expect(rows).toEqual([{ young: true }]);
  await sql`update idempotency_claim set created_at = now() - interval '27 hours'`.execute(db);
  await deleteAnswers(db, Date.now() - 24 * hourMs);
  expect(await store.storedAnswer(key)).toBeNull();
});
