// The map of cells: an id lies where the epoch of its time says, whatever epochs follow.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CellEpoch, CellMap, type CellRange, homeCell, oneCell } from '../../../../src/core/fleet/cells.ts';
import { newId, shardCount, shardForNumber, shardOf } from '../../../../src/core/ids.ts';

const cell = fc.constantFrom(homeCell, 'b', 'c', 'd');

/** Ranges of all shards, cut at some of them. */
const ranges = fc
  .uniqueArray(fc.integer({ min: 1, max: shardCount - 1 }), { maxLength: 9 })
  .chain((cuts) =>
    fc.tuple(fc.constant(cuts.toSorted((a, b) => a - b)), fc.array(cell, { minLength: 10, maxLength: 10 })),
  )
  .map(([cuts, cells]): CellRange[] =>
    [0, ...cuts].map((first, at) => ({ first, after: cuts[at] ?? shardCount, cell: cells[at] ?? homeCell })),
  );
const epochs = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 42 }), { maxLength: 5 })
  .chain((times) =>
    fc.tuple(...times.toSorted((a, b) => a - b).map((from) => ranges.map((each) => ({ from, ranges: each })))),
  )
  .map((listed) => listed as CellEpoch[]);
const shard = fc.integer({ min: 0, max: shardCount - 1 });
const time = fc.integer({ min: 0, max: 2 ** 43 });

const idAt = (nowMs: number, ownShard: number) => newId('vrf_', { nowMs, shard: ownShard, random: randomBytes(10) });

test('an id lies in the cell that the epoch of its time gives its shard', () => {
  fc.assert(
    fc.property(epochs, shard, time, (listed, ownShard, at) => {
      const map = new CellMap(listed);
      const epoch = listed.findLast(({ from }) => from <= at);
      const wanted = epoch?.ranges.find(({ first, after }) => first <= ownShard && ownShard < after)?.cell ?? homeCell;
      expect(map.ofId(idAt(at, ownShard))).toBe(wanted);
      expect(map.names).toContain(wanted);
    }),
  );
});

test('an epoch moves no id from before it', () => {
  fc.assert(
    fc.property(epochs, ranges, shard, time, (listed, next, ownShard, at) => {
      const from = Math.max(at, ...listed.map((epoch) => epoch.from)) + 1;
      const id = idAt(at, ownShard);
      const [before, after] = [new CellMap(listed), new CellMap([...listed, { from, ranges: next }])];
      expect(after.ofId(id)).toBe(before.ofId(id));
      expect(after.ofId(idAt(from, ownShard))).toBe(
        next.find((range) => range.first <= ownShard && ownShard < range.after)?.cell,
      );
    }),
  );
});

test('a number lies where a session that is opened for it now lies', () => {
  fc.assert(
    fc.property(epochs, fc.integer({ min: 1e9, max: 1e10 }), time, (listed, digits, now) => {
      const [map, number] = [new CellMap(listed), `+${digits}`];
      expect(map.ofNumber(number, now)).toBe(map.ofId(idAt(now, shardForNumber(number))));
    }),
  );
});

test('the cells of a time are those of its ids, the present one first', () => {
  fc.assert(
    fc.property(epochs, shard, time, time, (listed, ownShard, one, other) => {
      const map = new CellMap(listed);
      const [since, now] = [Math.min(one, other), Math.max(one, other)];
      const times = [since, now, ...listed.map(({ from }) => from).filter((from) => from > since && from <= now)];
      const found = map.since(ownShard, since, now);
      expect(found[0]).toBe(map.ofShard(ownShard, now));
      expect([...found].sort()).toEqual([...new Set(times.map((at) => map.ofShard(ownShard, at)))].sort());
    }),
  );
});

test('the cells that a shard has left are those of its older ids, up to the time it left', () => {
  fc.assert(
    fc.property(epochs, shard, time, time, (listed, ownShard, one, other) => {
      const map = new CellMap(listed);
      const [since, now] = [Math.min(one, other), Math.max(one, other)];
      const left = map.left(ownShard, since, now);
      expect(left.map(({ cell: each }) => each)).toEqual(map.since(ownShard, since, now).slice(1));
      for (const { cell: each, at } of left) {
        expect(map.ofShard(ownShard, at - 1)).toBe(each);
        for (const { from } of listed)
          if (from >= at && from <= now) expect(map.ofShard(ownShard, from)).not.toBe(each);
      }
    }),
  );
});

test('its borders are where the cell of a shard is another than that of the shard before', () => {
  fc.assert(
    fc.property(epochs, time, (listed, at) => {
      const map = new CellMap(listed);
      const differs = (each: number) => map.ofShard(each, at) !== map.ofShard(each - 1, at);
      const wanted = Array.from({ length: shardCount - 1 }, (_, index) => index + 1).filter(differs);
      expect(map.borders(at)).toEqual(wanted);
    }),
  );
});

test('its epochs make the same map', () => {
  fc.assert(
    fc.property(epochs, shard, time, (listed, ownShard, at) => {
      const [map, made] = [new CellMap(listed), new CellMap(new CellMap(listed).epochs)];
      expect(made.ofShard(ownShard, at)).toBe(map.ofShard(ownShard, at));
      expect(made.epochs).toEqual(map.epochs);
    }),
  );
});

test('ids of all prefixes have the shard of their session', () => {
  const id = idAt(1_700_000_000_000, 513);
  const map = new CellMap([
    {
      from: 0,
      ranges: [
        { first: 0, after: 513, cell: 'b' },
        { first: 513, after: 1024, cell: 'c' },
      ],
    },
  ]);
  expect([shardOf(id), map.ofId(id), map.names]).toEqual([513, 'c', [homeCell, 'b', 'c']]);
});

test('without epochs everything is at home', () => {
  expect([oneCell.names, oneCell.ofNumber('+213550000000', 0), oneCell.everOf(7, 0)]).toEqual([
    [homeCell],
    homeCell,
    [homeCell],
  ]);
});

test.each([
  [
    'a gap',
    [
      { first: 0, after: 5, cell: 'b' },
      { first: 6, after: 1024, cell: 'b' },
    ],
  ],
  [
    'an overlap',
    [
      { first: 0, after: 5, cell: 'b' },
      { first: 4, after: 1024, cell: 'b' },
    ],
  ],
  ['no end', [{ first: 0, after: 1023, cell: 'b' }]],
  ['too many', [{ first: 0, after: 1025, cell: 'b' }]],
  ['none', []],
])('ranges with %s are no map', (_, wrong) => {
  expect(() => new CellMap([{ from: 0, ranges: wrong }])).toThrow(RangeError);
});

test('epochs out of order are no map', () => {
  const all = [{ first: 0, after: 1024, cell: 'b' }];
  expect(
    () =>
      new CellMap([
        { from: 2, ranges: all },
        { from: 2, ranges: all },
      ]),
  ).toThrow(RangeError);
});
