// When recovery looks, by a clock that the test sets. What becomes of what it finds: test/integration/engine/takeover.test.ts.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ShardRange } from '../../../../src/core/fleet/shards.ts';
import type { EngineStore } from '../../../../src/db/engine-store.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { FleetEvents } from '../../../../src/engine/fleet/members.ts';
import { UncertainSessions } from '../../../../src/engine/fleet/unknown-commits.ts';
import { type Recovering, Takeover } from '../../../../src/engine/verify/takeover.ts';
import { until } from '../../../support/wait.ts';

const key = { accountId: 'acc_1', id: 'vrf_1' };

/** Recovery of a process that lives alone, and how often it has looked through all shards, and at single sessions. `density`: open ones of a shard. */
function recovery(
  sharing: { ranges: ShardRange[]; live: string[] } = { ranges: [], live: ['prc_1'] },
  density = (_: number) => 0,
) {
  const clock = { now: 36_000_000 };
  const looks = { through: 0, at: 0 };
  const seen = new Set<number>();
  /** Sessions that each statement found. */
  const found: number[] = [];
  const database = { isAway: false };
  const answer = async (what: keyof typeof looks) => {
    if (database.isAway) throw new Error('the database is away');
    looks[what] += 1;
    return [];
  };
  const db = {
    readShards: async () => ({ fence: 0, ...sharing, peers: [] }),
    openSessionsOf: (_: string, first: number, after: number) => {
      const shards = Array.from({ length: after - first }, (_, at) => first + at);
      for (const shard of shards) seen.add(shard);
      const sessions = shards.flatMap((shard) => Array(density(shard)).fill({ ...key, nextAt: null, inHand: [] }));
      found.push(sessions.length);
      return first === 0 ? answer('through').then(() => sessions) : Promise.resolve(sessions);
    },
    openSessionsAt: () => answer('at'),
  };
  const events = new EventEmitter<FleetEvents>();
  const fleet = { processId: 'prc_1', mayTakeOver: true, events };
  const uncertain = new UncertainSessions({ now: () => clock.now });
  const takeover = new Takeover(
    { fleet, now: () => clock.now, log: { error: () => {} } } as unknown as EngineContext,
    db as unknown as EngineStore,
    { uncertain } as unknown as Recovering,
  );
  takeover.listen();
  /** Sweeps for so long; the looks meanwhile. */
  const passed = async (ms: number) => {
    const before = { ...looks };
    for (const end = clock.now + ms; clock.now < end; ) {
      clock.now += 250;
      await takeover.sweep().catch(() => {});
    }
    return { through: looks.through - before.through, at: looks.at - before.at };
  };
  return { clock, database, events, fleet, found, looks, passed, seen, takeover, uncertain };
}

test.each(['gone', 'back'] as const)('what a dead process commits late is found, too: %s', async (kind) => {
  const { events, looks, passed } = recovery();
  if (kind === 'gone') events.emit(kind, ['prc_2']);
  else events.emit(kind);
  await until(() => looks.through === 1, { what: 'the look' });
  expect((await passed(15_000)).through).toBe(1); // When all have seen the end.
  expect((await passed(10_000)).through).toBe(1); // When nothing can be committed any more.
  expect((await passed(60_000)).through).toBe(0);
});

test('a process that dies later does not put off the last look at what another left', async () => {
  const { events, passed } = recovery();
  events.emit('gone', ['prc_2']);
  await passed(15_000);
  events.emit('gone', ['prc_3']);
  await passed(4_000);
  expect((await passed(2_000)).through).toBe(1);
});

test('looks that are due are made by a clock that was set back, too', async () => {
  const { clock, events, passed } = recovery();
  events.emit('gone', ['prc_2']);
  await passed(1_000);
  clock.now -= 3_600_000;
  expect((await passed(25_000)).through).toBeGreaterThan(0);
});

test('sessions that could not be looked at are looked at again, however long that takes', async () => {
  const { database, passed, uncertain } = recovery();
  uncertain.add([key]);
  database.isAway = true;
  await passed(60_000);
  database.isAway = false;
  expect((await passed(2_000)).at).toBeGreaterThan(0);
});

test('where single sessions can not be looked at, what nobody knows of is looked for all the same later', async () => {
  const { database, passed, uncertain } = recovery();
  uncertain.add([key]);
  uncertain.addUnknown();
  database.isAway = true;
  await passed(60_000);
  database.isAway = false;
  expect((await passed(2_000)).through).toBeGreaterThan(0);
});

test('who owns a range looks through it, and at once where it has fallen to it', async () => {
  const ranges = [
    { owner: 'prc_1', first: 0, after: 300 },
    { owner: 'prc_2', first: 300, after: 1024 },
  ];
  const sharing = { ranges, live: ['prc_1', 'prc_2', 'prc_3'] };
  const { events, seen } = recovery(sharing);
  events.emit('gone', ['prc_0']);
  await until(() => seen.size === 300, { what: 'its range to be looked through' });
  expect(Math.max(...seen)).toBe(299);
  sharing.ranges = [{ owner: 'prc_1', first: 0, after: 1024 }];
  sharing.live = ['prc_1', 'prc_3'];
  events.emit('inherited');
  await until(() => seen.size === 1024, { what: 'the others, too' });
});

const nowhere = () => 0;
const evenly = () => 100;
/** As in a cell that has a quarter of the shards, from where the first statement that reads 128 full ones begins. */
const inPart = (shard: number) => (shard >= 528 && shard < 784 ? 100 : 0);

test.each([
  ['none', { density: nowhere, statements: 9, most: 0 }],
  ['100 in each shard', { density: evenly, statements: 102, most: 1_600 }],
  ['100 in each of a quarter', { density: inPart, statements: 22, most: 12_800 }],
])(
  'a statement looks for about a thousand sessions, in 128 shards at most: %s',
  async (_, { density, ...expected }) => {
    const ranges = [{ owner: 'prc_1', first: 0, after: 1024 }];
    const { events, found, seen } = recovery({ ranges, live: ['prc_1'] }, density);
    events.emit('gone', ['prc_2']);
    await until(() => seen.size === 1024, { what: 'all shards to be looked through' });
    expect({ statements: found.length, most: Math.max(...found) }).toEqual(expected);
  },
);
