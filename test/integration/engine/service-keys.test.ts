// Key rings of a fleet: a process starts with a ring, and takes another one, only where all can read what it makes and it can read what all
// make; a removal waits until nothing names the key.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type KeyPurpose, type KeyRing, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { withNextAsCurrent, withNextKey, withoutKey } from '../../../src/core/secrets/ring-text.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { inside, type Queryable } from '../../../src/db/queryable.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { announceKeys, markRemoved, readRings } from '../../../src/db/secrets/process-rings.ts';
import { LiveRing } from '../../../src/engine/secrets/live-ring.ts';
import { ServiceKeys } from '../../../src/engine/secrets/service-keys.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';

const { db, lanes } = await testDatabase<Schema>();
const home = inside(db);
const store = engineStore(lanes);
const databases = { home, cells: [home] };
const ringOf = (json: string): KeyRing => {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};
const current = (json: string, purpose: KeyPurpose) => ringOf(json).current(purpose).id;
const removed = (json: string, id: string): string => {
  const outcome = withoutKey(json, id);
  if (outcome.kind !== 'removed') throw new Error(outcome.kind);
  return outcome.json;
};

beforeEach(async () => {
  for (const table of ['process', 'announced_key', 'api_key', 'account'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

/** A process with that ring, whose lease runs; `join` is what became of its start. */
async function start(json: string) {
  const processId = ids('prc_');
  const ring = new LiveRing(ringOf(json));
  const keys = new ServiceKeys({ ring, processId, databases, patienceMs: 0 });
  const admitted = await keys.admit();
  if (admitted.kind === 'refused') return { ring, keys, processId, join: admitted };
  await store.renewLease(processId, 60_000);
  return { ring, keys, processId, join: await keys.join() };
}
const take = ({ keys }: { keys: ServiceKeys }, json: string) => keys.take(parseKeyRing(json));

/** Something that names the current key for API keys of the ring. */
async function nameApiKey(json: string): Promise<void> {
  await sql`insert into account (id, name, created_at) values ('acct_1', 'Shop', now()) on conflict do nothing`.execute(
    db,
  );
  await sql`insert into api_key (id, account_id, mode, name, secret_hash, hmac_key_id, scopes, created_at)
    values ('key_1', 'acct_1', 'live', '', '', ${current(json, 'api_key')}, '{}', now())`.execute(db);
}

test('a process says which keys it holds, and since when', async () => {
  const json = newKeyRing(randomBytes);
  const { processId } = await start(json);
  const [said] = await readRings(home);
  expect(said).toMatchObject({ processId, report: { host: hostname(), pid: process.pid } });
  expect(said?.report?.ring.code?.current).toBe(current(json, 'code'));
  expect(said?.sinceMs).toBeGreaterThanOrEqual(0);
  expect(JSON.stringify(said)).not.toMatch(/[A-Za-z0-9+/]{43}=/);
});

test('in phases, every process goes on', async () => {
  const first = newKeyRing(randomBytes);
  const [one, two] = [await start(first), await start(first)];
  expect([one.join, two.join]).toEqual([{ kind: 'ok' }, { kind: 'ok' }]);
  const { json: second, id } = withNextKey(first, 'code', randomBytes);
  const third = withNextAsCurrent(second, 'code');
  const old = current(first, 'code');
  expect(await take(one, second)).toEqual({ kind: 'taken', added: [id], removed: [], current: expect.any(Array) });
  expect(one.ring.current('code').id).toBe(old);

  // The other one lacks it.
  const early = await take(one, third);
  expect(early).toEqual({
    kind: 'refused',
    reason: expect.stringContaining(`${two.processId} (${hostname()}, pid ${process.pid}) lacks ${id}`),
  });
  expect(one.ring.current('code').id).toBe(old);
  expect((await start(third)).join.kind).toBe('refused');

  expect((await take(two, second)).kind).toBe('taken');
  expect((await take(one, third)).kind).toBe('taken');
  expect(one.ring.current('code').id).toBe(id);
  // A process that comes late with the ring of before can't read what is made by now.
  expect((await start(first)).join).toEqual({ kind: 'refused', reason: expect.stringContaining(id) });
  expect((await start(second)).join).toEqual({ kind: 'ok' });

  // One still makes codes with the old key.
  const fourth = removed(third, old);
  expect(await take(one, fourth)).toEqual({ kind: 'refused', reason: expect.stringContaining(old) });
  expect((await take(two, third)).kind).toBe('taken');
});

test('a key that something names is not let go, nor the current one, nor one with other bytes', async () => {
  const first = newKeyRing(randomBytes);
  const one = await start(first);
  await nameApiKey(first);
  const { json: second } = withNextKey(first, 'api_key', randomBytes);
  const third = withNextAsCurrent(second, 'api_key');
  const old = current(first, 'api_key');
  const fourth = removed(third, old);
  expect(await take(one, fourth)).toEqual({
    kind: 'refused',
    reason: expect.stringMatching(new RegExp(`lacks the key that is current here:\\n {2}api_key {2}${old}\\n`)),
  });
  expect((await take(one, third)).kind).toBe('taken');
  expect(await take(one, fourth)).toEqual({
    kind: 'refused',
    reason: expect.stringContaining(`the key ring lacks keys that the database names:\n  api_key  ${old}`),
  });
  const other = JSON.parse(third);
  other.code.keys[other.code.current] = randomBytes(32).toString('base64');
  expect(await take(one, JSON.stringify(other))).toEqual({
    kind: 'refused',
    reason: expect.stringContaining('another key stands under the id of a key in force'),
  });
  expect(one.ring.byId(old)).toBeDefined();
  await sql`delete from api_key`.execute(db);
  expect(await take(one, fourth)).toMatchObject({ kind: 'taken', removed: [old] });
  expect(one.ring.byId(old)).toBeUndefined();
});

test('a process that starts while another changes its ring is seen by it', async () => {
  const first = newKeyRing(randomBytes);
  const one = await start(first);
  const { json: second, id } = withNextKey(first, 'code', randomBytes);
  expect((await take(one, second)).kind).toBe('taken');
  const late: Awaited<ReturnType<typeof start>>[] = [];
  // Between the look at the others and what is said to them.
  const home: Queryable = {
    query: async (query) => {
      if (query.name === 'process.key_ring' && late.length === 0) late.push(await start(first));
      return databases.home.query(query);
    },
  };
  const keys = new ServiceKeys({ ...one, databases: { home, cells: [] } });
  expect(await keys.take(parseKeyRing(withNextAsCurrent(second, 'code')))).toEqual({
    kind: 'refused',
    reason: expect.stringContaining(`lacks ${id}`),
  });
  expect(late.map(({ join }) => join)).toEqual([{ kind: 'ok' }]);
  expect(one.ring.current('code').id).toBe(current(first, 'code'));
  const said = (await readRings(databases.home)).map(({ report }) => report?.ring.code?.current);
  expect(said).toEqual([current(first, 'code'), current(first, 'code')]);
});

test('a text that is no ring keeps the one in force', async () => {
  const first = newKeyRing(randomBytes);
  const one = await start(first);
  expect(await take(one, first.slice(0, 50))).toEqual({ kind: 'refused', reason: 'key ring: not JSON' });
  expect(await take(one, first)).toEqual({ kind: 'same' });
  expect(one.ring.current('code').id).toBe(current(first, 'code'));
});

test('an announced key is asked of every start, a removed one may not be made things with', async () => {
  const first = newKeyRing(randomBytes);
  const { json: second, id } = withNextKey(first, 'webhook_secret', randomBytes);
  await announceKeys(home, [{ purpose: 'webhook_secret', id, check: (await checkOf(second, id)) ?? '' }]);
  expect((await start(first)).join).toEqual({
    kind: 'refused',
    reason: expect.stringContaining(`lacks keys that a rotation has announced:\n  webhook_secret  ${id}`),
  });
  const one = await start(second);
  expect(one.join).toEqual({ kind: 'ok' });
  expect(await take(one, first)).toEqual({ kind: 'refused', reason: expect.stringContaining(id) });

  const old = current(first, 'webhook_secret');
  await markRemoved(home, { purpose: 'webhook_secret', id: old, check: '' });
  expect((await start(second)).join).toEqual({ kind: 'refused', reason: expect.stringContaining(old) });
  // None is left that makes things with it.
  await sql`delete from process`.execute(db);
  expect((await start(removed(withNextAsCurrent(second, 'webhook_secret'), old))).join).toEqual({ kind: 'ok' });
});

async function checkOf(json: string, id: string): Promise<string | undefined> {
  const { checkValue } = await import('../../../src/core/secrets/ring-report.ts');
  const key = ringOf(json).byId(id);
  return key && checkValue(key.key);
}

test('a process of a release before says nothing and stands in nobody’s way; one that was killed is waited for', async () => {
  const first = newKeyRing(randomBytes);
  await store.renewLease(ids('prc_'), 60_000);
  const { json, id } = withNextKey(first, 'code', randomBytes);
  const turned = withNextAsCurrent(json, 'code');
  const one = await start(first);
  expect(one.join).toEqual({ kind: 'ok' });
  await store.renewLease(one.processId, 300);
  const keys = new ServiceKeys({ ring: new LiveRing(ringOf(turned)), processId: ids('prc_'), databases });
  expect(await keys.admit()).toEqual({ kind: 'ok' });
  expect(id).toBe(current(turned, 'code'));
});
