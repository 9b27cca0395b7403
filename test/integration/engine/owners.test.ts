// Owners of shards over several processes on one database, each with a peer port: who comes gets a range, who goes leaves it to its
// neighbours, and all soon know the same map.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { ownerOf, stepShards } from '../../../src/core/fleet/shards.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { Conversation } from '../../../src/engine/fleet/conversation.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { Owners } from '../../../src/engine/fleet/owners.ts';
import { PeerPort } from '../../../src/peers/port.ts';
import { agingIds } from '../../support/aging-ids.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const db = engineStore(database.lanes);
const parsed = parseKeyRing(newKeyRing(randomBytes));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const { ring } = parsed;
/** The process that is made first is the eldest, which moves the map. */
const ids = agingIds();
const allShards = Array.from({ length: 1024 }, (_, shard) => shard);

/** A process: its lease lasts for as long as the test wants, its look is the test's. */
async function member() {
  const fleet = new Fleet({ db, processId: ids('prc_'), now: Date.now, leaseMs: 120_000 });
  const { processId } = fleet;
  const errors: unknown[] = [];
  const log = { info: () => {}, warn: () => {}, error: (fields: object) => void errors.push(fields) };
  const conversation = new Conversation();
  const owners = new Owners({ db, fleet, conversation, log });
  const work = (body: string) => conversation.work(body);
  const port = new PeerPort({ host: '127.0.0.1', port: 0, processId, ring, dialect: 'x', work, log });
  await fleet.renew();
  const address = `127.0.0.1:${await port.listen()}`;
  conversation.connect(port);
  await owners.begin(address, port);
  const stop = async () => {
    await port.close();
    await fleet.leave();
  };
  onTestFinished(async () => {
    await stop();
    expect(errors).toEqual([]);
  });
  return { fleet, processId, owners, port, stop };
}

type Member = Awaited<ReturnType<typeof member>>;

const mapOf = ({ owners }: Member) => allShards.map((shard) => owners.ownerOf(shard));
const countsOf = (one: Member) => {
  const owned = Map.groupBy(mapOf(one), (owner) => owner);
  return Object.fromEntries([...owned].map(([owner, shards]) => [owner, shards.length]));
};

/** The pulse and the second's tick of all, until the map is the same and equal. */
async function settled(members: readonly Member[]): Promise<void> {
  await until(
    async () => {
      for (const { fleet, owners } of members) {
        await fleet.renew();
        await owners.tick();
      }
      const sizes = members.map(({ owners }) => owners.own);
      const isSame = members.every((one) => String(mapOf(one)) === String(mapOf(members[0] as Member)));
      return (
        isSame && sizes.reduce((sum, size) => sum + size, 0) === 1024 && Math.max(...sizes) - Math.min(...sizes) <= 1
      );
    },
    { what: 'one map with equal ranges', everyMs: 5 },
  );
}

test('one process owns everything; those that come have their part, and who goes leaves it at once', async () => {
  const one = await member();
  expect(countsOf(one)).toEqual({ [one.processId]: 1024 });

  const [two, three] = [await member(), await member()];
  await settled([one, two, three]);
  await until(() => [one, two, three].every(({ port }) => port.reachable.length === 2), {
    what: 'each to hear the others',
  });

  const before = mapOf(one);
  await two.owners.leave();
  // Said by the one that leaves, and not read: nothing of the others has run since.
  await until(() => !mapOf(one).includes(two.processId), { what: 'the news' });
  await until(() => String(mapOf(one)) === String(mapOf(three)), { what: 'the same map' });
  // The eldest may have made a step towards equal ranges meanwhile.
  const others = allShards.filter((shard) => before[shard] !== two.processId && before[shard] !== mapOf(one)[shard]);
  expect(others.length).toBeLessThanOrEqual(2 * stepShards);
  await two.stop();
  await settled([one, three]);
});

test('the shards of a process that died fall to the others when its lease has ended', async () => {
  const [one, two] = [await member(), await member()];
  await settled([one, two]);
  let inherited = 0;
  one.fleet.events.on('inherited', () => {
    inherited += 1;
  });
  // A process that is killed says nothing.
  await two.port.close();
  await two.fleet.leave();
  await settled([one]);
  expect(countsOf(one)).toEqual({ [one.processId]: 1024 });
  expect(inherited).toBe(1);
});

test('processes that look at the same moment make one map', async () => {
  const members = await Promise.all([member(), member(), member(), member()]);
  await settled(members);
  const { fence } = await db.readShards();
  await Promise.all(members.map(({ owners }) => owners.tick()));
  expect((await db.readShards()).fence).toBe(fence);
});

test('a move from an old map is refused', async () => {
  const { fence, ranges } = await db.readShards();
  expect(await db.moveShards(fence + 1, ranges)).toBe(false);
  const moves = await Promise.all([1, 2, 3].map(() => db.moveShards(fence, ranges)));
  expect(moves.filter(Boolean)).toHaveLength(1);
  expect((await db.readShards()).fence).toBe(fence + 1);
});

test.each([
  ['deleted', 'delete from shard_map'],
  [
    'put back from a backup',
    `update shard_map set fence = 1, ranges = '[{"owner": "prc_gone", "first": 0, "after": 1024}]'`,
  ],
  ['no list', `update shard_map set fence = fence + 1, ranges = '{}'`],
  ['null', `update shard_map set fence = fence + 1, ranges = 'null'`],
  ['a list of nothing', `update shard_map set fence = fence + 1, ranges = '[null]'`],
  ['ranges of text', `update shard_map set ranges = '[{"owner": 5, "first": "a"}]'`],
  ['a list with a hole', `update shard_map set fence = fence + 1, ranges = ranges - 0`],
])('a map changed by hand (%s) is made again, and nobody stops over it', async (_, statement) => {
  const [one, two] = [await member(), await member()];
  await settled([one, two]);
  await sql.raw(statement).execute(database.db);
  await two.owners.tick();
  // Ten ticks are the longest that a process goes on with what it knew.
  for (let tick = 0; tick < 10; tick += 1) await one.owners.tick();
  for (let tick = 0; tick < 10; tick += 1) await two.owners.tick();
  expect(mapOf(two)).toEqual(mapOf(one));
  const { ranges } = await db.readShards();
  expect(allShards.map((shard) => ownerOf(ranges, shard))).toEqual(mapOf(one));
  await settled([one, two]);
  // One that comes is not kept from starting.
  await sql.raw(statement).execute(database.db);
  const three = await member();
  await settled([one, two, three]);
});
