// The shards shared out: every shard has one owner, every process one range, and who comes or goes concerns its neighbours alone.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CellMap, homeCell } from '../../../../src/core/fleet/cells.ts';
import {
  isIn,
  isShardMap,
  nextRanges,
  ownerOf,
  type ShardRange,
  stepShards,
  takeoverShards,
} from '../../../../src/core/fleet/shards.ts';

const sizeOf = ({ first, after }: ShardRange) => after - first;
const allShards = Array.from({ length: 1024 }, (_, shard) => shard);

function expectWhole(ranges: readonly ShardRange[], live: readonly string[]): void {
  expect(ranges.map(({ owner }) => owner).toSorted()).toEqual(live.toSorted());
  expect(ranges.map(({ first }) => first)).toEqual([0, ...ranges.slice(0, -1).map(({ after }) => after)]);
  expect(ranges.at(-1)?.after).toBe(1024);
  expect(ranges.filter((range) => sizeOf(range) < 1)).toEqual([]);
}

/** Steps until nothing changes any more. */
function settled(from: readonly ShardRange[], live: readonly string[], borders: readonly number[] = []) {
  let ranges = nextRanges(from, live, borders);
  for (let steps = 0; steps < 200; steps += 1) {
    const next = nextRanges(ranges, live, borders);
    if (JSON.stringify(next) === JSON.stringify(ranges)) return { ranges, steps };
    ranges = next;
  }
  throw new Error('it never settles');
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const change = fc.tuple(fc.constantFrom(...names), fc.nat({ max: 40 }));

test('whatever comes and goes, each shard has one owner, each of the live one range, and in the end they are equal', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const live = new Set(['a']);
      let ranges: ShardRange[] = [];
      for (const [name, steps] of changes) {
        if (live.has(name) && live.size > 1) live.delete(name);
        else live.add(name);
        for (let step = 0; step <= steps; step += 1) {
          ranges = nextRanges(ranges, [...live]);
          expectWhole(ranges, [...live]);
        }
      }
      const { ranges: last, steps } = settled(ranges, [...live]);
      const sizes = last.map(sizeOf);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(steps).toBeLessThanOrEqual(1024 / stepShards);
    }),
    { numRuns: 300 },
  );
});

const count = fc.integer({ min: 2, max: 10 });
const equal = (n: number) => settled([], names.slice(0, n)).ranges;
const moved = (before: readonly ShardRange[], after: readonly ShardRange[]) =>
  allShards.filter((shard) => ownerOf(before, shard) !== ownerOf(after, shard));

test('who goes leaves its shards to its neighbours, and no other shard moves', () => {
  fc.assert(
    fc.property(count, fc.nat(), (n, pick) => {
      const before = equal(n);
      const gone = before[pick % n] as ShardRange;
      const after = nextRanges(
        before,
        names.slice(0, n).filter((name) => name !== gone.owner),
      );
      expect(moved(before, after)).toEqual(allShards.filter((shard) => ownerOf(before, shard) === gone.owner));
      const neighbours = [(pick % n) - 1, (pick % n) + 1].map((at) => before[at]?.owner);
      const heirs = after.filter(
        (range) => sizeOf(range) > sizeOf(before.find(({ owner }) => owner === range.owner) as ShardRange),
      );
      expect(neighbours).toEqual(expect.arrayContaining(heirs.map(({ owner }) => owner)));
    }),
  );
});

test('who comes takes its shards from two neighbours, and no other shard moves', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), (n) => {
      const before = equal(n);
      const after = nextRanges(before, [...names.slice(0, n), 'z']);
      const own = allShards.filter((shard) => ownerOf(after, shard) === 'z');
      expect(moved(before, after)).toEqual(own);
      expect(new Set(own.map((shard) => ownerOf(before, shard))).size).toBeLessThanOrEqual(2);
      expect(own.length).toBeGreaterThanOrEqual(Math.floor(1024 / (n + 1) / 2));
    }),
  );
});

test('between two changes a border moves by a step at most', () => {
  const ranges = [
    { owner: 'a', first: 0, after: 1000 },
    { owner: 'b', first: 1000, after: 1024 },
  ];
  expect(nextRanges(ranges, ['a', 'b'])[0]?.after).toBe(1000 - stepShards);
});

/** Equal cells, the last but for rounding. */
const cellsMap = (cells: number) =>
  new CellMap([
    {
      from: 0,
      ranges: Array.from({ length: cells }, (_, at) => ({
        first: Math.round((at * 1024) / cells),
        after: Math.round(((at + 1) * 1024) / cells),
        cell: at === 0 ? homeCell : `c${at}`,
      })),
    },
  ]);
const cellsOf = (map: CellMap, { first, after }: ShardRange) =>
  new Set(allShards.slice(first, after).map((shard) => map.ofShard(shard, 1))).size;

test.each([
  [1, [1, 1, 1, 1]],
  [2, [1, 1, 1, 1]],
  [3, [1, 2, 2, 1]],
  [4, [1, 1, 1, 1]],
  [5, [2, 2, 2, 2]],
  [7, [2, 3, 3, 2]],
  [8, [2, 2, 2, 2]],
  [9, [2, 3, 3, 2]],
  [15, [4, 4, 4, 4]],
  [64, [16, 16, 16, 16]],
])('with %i cells each of four processes has to do with so many: %j', (cells, wanted) => {
  const map = cellsMap(cells);
  const owners = ['a', 'b', 'c', 'd'];
  const { ranges } = settled([], owners, map.borders(1));
  expect(ranges.map((range) => cellsOf(map, range))).toEqual(wanted);
  // From wherever they come: one process after the other.
  const arrived = owners.reduce<ShardRange[]>(
    (own, _, at) => settled(own, owners.slice(0, at + 1), map.borders(1)).ranges,
    [],
  );
  expect(arrived.map((range) => cellsOf(map, range))).toEqual(wanted);
});

test('keeping to the borders of cells makes no range a quarter smaller or larger than it would be', () => {
  const borders = fc.uniqueArray(fc.integer({ min: 1, max: 1023 }), { maxLength: 80 });
  fc.assert(
    fc.property(count, borders, (n, at) => {
      const live = names.slice(0, n);
      const { ranges } = settled([], live, at);
      expectWhole(ranges, live);
      for (const range of ranges) expect(Math.abs(sizeOf(range) - 1024 / n)).toBeLessThanOrEqual(256 / n + 1);
    }),
  );
});

test('nobody alive: nobody owns anything', () => {
  expect(nextRanges([{ owner: 'a', first: 0, after: 1024 }], [])).toEqual([]);
  expect(ownerOf([], 5)).toBeNull();
});

test.each([
  ['null', null],
  ['an object', {}],
  ['a range that is null', [null]],
  ['an owner that is no text', [{ owner: 1, first: 0, after: 1024 }]],
  [
    'a gap',
    [
      { owner: 'a', first: 0, after: 5 },
      { owner: 'b', first: 6, after: 1024 },
    ],
  ],
  [
    'a range before its neighbour',
    [
      { owner: 'a', first: 512, after: 1024 },
      { owner: 'b', first: 0, after: 512 },
    ],
  ],
  [
    'a range that ends before it begins',
    [
      { owner: 'a', first: 0, after: 1024.5 },
      { owner: 'b', first: 1024.5, after: 1024 },
    ],
  ],
  ['not all shards', [{ owner: 'a', first: 0, after: 1000 }]],
  ['more than all', [{ owner: 'a', first: 0, after: 1025 }]],
])('no map: %s', (_, ranges) => {
  expect(isShardMap({ fence: 1, ranges })).toBe(false);
});

test('every step is a map, and so is one without owners', () => {
  expect(isShardMap({ fence: 0, ranges: [] })).toBe(true);
  for (const n of [1, 2, 3, 7, 10]) expect(isShardMap({ fence: n, ranges: equal(n) })).toBe(true);
  for (const fence of [null, 0.5, '1', 2 ** 53]) expect(isShardMap({ fence, ranges: [] })).toBe(false);
});

test('what a dead process held is taken over by who owns its shards, as long as all that own shards live', () => {
  const ranges = equal(3);
  const live = [...names.slice(0, 3), 'without a port'];
  for (const range of ranges) expect(takeoverShards(ranges, live, range.owner)).toEqual([range]);
  expect(takeoverShards(ranges, live, 'without a port')).toEqual([]);
});

test('whoever is missing from the map, or dead and still in it: each shard is some live process’s to take over', () => {
  const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
  fc.assert(
    fc.property(fc.option(some), some, (owners, live) => {
      const ranges = owners ? settled([], owners).ranges : [];
      const shares = live.map((self) => takeoverShards(ranges, live, self));
      expect(allShards.filter((shard) => !shares.some((share) => isIn(share, shard)))).toEqual([]);
    }),
  );
});
