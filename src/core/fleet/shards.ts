// The sharing out of shards over the processes that live: one contiguous range each, so that a process has to do with few cells. Who
// comes or goes moves the borders of its neighbours alone; the ranges become equal afterwards, by small steps, because a shard
// that moves has its sessions read again.

import { shardCount } from '../ids.ts';

/** Shards one behind the other. */
export interface Shards {
  first: number;
  /** The shard behind the last one. */
  after: number;
}

export interface ShardRange extends Shards {
  owner: string;
}

/** The map of shards: which process owns which range. */
export interface ShardMap {
  /** Rises with every move; 0 before the first one. */
  fence: number;
  /** Ranges in the order of their shards. */
  ranges: ShardRange[];
}

export const allShards: Shards = { first: 0, after: shardCount };

/** Shards that a border moves at once, when nobody comes or goes. */
export const stepShards = 64;

/** The owner of a shard; null where nobody has it. */
export function ownerOf(ranges: readonly ShardRange[], shard: number): string | null {
  return ranges.find(({ first, after }) => shard >= first && shard < after)?.owner ?? null;
}

export const overlap = (one: Shards, two: Shards): boolean => one.first < two.after && two.first < one.after;

export const areSame = (one: readonly ShardRange[], two: readonly ShardRange[]): boolean =>
  one.length === two.length &&
  one.every(({ owner, first, after }, at) => {
    const other = two[at];
    return owner === other?.owner && first === other.first && after === other.after;
  });

/**
 * The ranges after the next step, in the order of their shards. They cover all shards once some process lives, and each of the live has
 * one. The same ranges mean that there is nothing to do. `borders`: shards at which another cell begins, which the ranges keep to where they come near.
 */
export function nextRanges(
  ranges: readonly ShardRange[],
  live: readonly string[],
  borders: readonly number[] = [],
): ShardRange[] {
  if (live.length === 0) return [];
  const kept = ranges.filter(({ owner }) => live.includes(owner));
  const joined = live.filter((id) => !ranges.some(({ owner }) => owner === id)).sort();
  if (kept.length === 0) return equalRanges(joined, borders);
  if (kept.length === ranges.length && joined.length === 0) return stepped(ranges, borders);
  return joined.reduce(withNewcomer, filled(kept));
}

/**
 * The shards in which a process takes over what dead ones have left. Who owns a range does so there. Where the map names a process that no
 * longer lives, or none, the others may be without a peer port and never move it: then all that live share the shards by their rank, too.
 */
export function takeoverShards(ranges: readonly ShardRange[], live: readonly string[], self: string): Shards[] {
  const own = ranges.filter(({ owner }) => owner === self);
  if (ranges.length > 0 && ranges.every(({ owner }) => live.includes(owner))) return own;
  const rank = live.toSorted().indexOf(self);
  if (rank < 0) return [allShards];
  return [...own, { first: target(rank, live.length), after: target(rank + 1, live.length) }];
}

export const isIn = (shards: readonly Shards[], shard: number): boolean =>
  shards.some(({ first, after }) => shard >= first && shard < after);

function equalRanges(owners: readonly string[], borders: readonly number[]): ShardRange[] {
  return owners.map((owner, index) => ({
    owner,
    first: near(target(index, owners.length), owners.length, borders),
    after: near(target(index + 1, owners.length), owners.length, borders),
  }));
}

/** Where range `index` of `count` equal ones begins. */
const target = (index: number, count: number): number => Math.round((index * shardCount) / count);

/** A range may be larger or smaller by this part of an equal one at each of its ends, to have to do with one cell less. */
const slack = 1 / 8;

/** The border of cells that is nearest to where a range would begin; that shard itself where none is near. */
function near(shard: number, count: number, borders: readonly number[]): number {
  if (shard === 0 || shard === shardCount) return shard;
  const most = (slack * shardCount) / count;
  const apart = (border: number) => Math.abs(border - shard);
  const nearest = borders.reduce((one, other) => (apart(other) < apart(one) ? other : one), Number.POSITIVE_INFINITY);
  return apart(nearest) <= most ? nearest : shard;
}

/** Every shard that has no owner goes to a neighbour: to the smaller one, until the two are equal. */
function filled(kept: readonly ShardRange[]): ShardRange[] {
  const borders = kept.slice(1).map((right, index) => {
    const left = kept[index] as ShardRange;
    return clamp(Math.round((left.first + right.after) / 2), left.after, right.first);
  });
  return between([0, ...borders, shardCount], kept);
}

/** The newcomer comes between the two neighbours that have most, and has a third of it: what is less of one is more of the other. */
function withNewcomer(ranges: readonly ShardRange[], owner: string): ShardRange[] {
  const [only] = ranges;
  if (!only) throw new Error('no range to divide');
  if (ranges.length === 1) {
    const middle = (only.first + only.after) >> 1;
    return [
      { ...only, after: middle },
      { owner, first: middle, after: only.after },
    ];
  }
  const sizes = ranges.slice(1).map(({ after }, index) => after - (ranges[index] as ShardRange).first);
  const at = sizes.indexOf(Math.max(...sizes));
  const [left, right] = [ranges[at] as ShardRange, ranges[at + 1] as ShardRange];
  const third = Math.floor((right.after - left.first) / 3);
  const first = Math.min(left.after, left.first + third);
  const after = Math.max(right.first, right.after - third);
  return [
    ...ranges.slice(0, at),
    { ...left, after: first },
    { owner, first, after },
    { ...right, first: after },
    ...ranges.slice(at + 2),
  ];
}

/** Every border goes a step towards the place it has among equal ranges. Each goes at most as far, so none overtakes the next. */
function stepped(ranges: readonly ShardRange[], borders: readonly number[]): ShardRange[] {
  const firsts = ranges.slice(1).map(({ first }, index) => {
    const wanted = near(target(index + 1, ranges.length), ranges.length, borders);
    return clamp(wanted, first - stepShards, first + stepShards);
  });
  return between([0, ...firsts, shardCount], ranges);
}

const between = (borders: readonly number[], owners: readonly ShardRange[]): ShardRange[] =>
  owners.map(({ owner }, index) => ({ owner, first: borders[index] as number, after: borders[index + 1] as number }));

/** Whether what is stored, or what another process said, is a map: nobody's shards, or one range of all of them behind the other. */
export function isShardMap(value: unknown): value is ShardMap {
  const { fence, ranges } = Object(value) as { fence?: unknown; ranges?: unknown };
  if (!Number.isSafeInteger(fence) || !Array.isArray(ranges)) return false;
  const read = ranges.map((range) => Object(range) as { [Field in keyof ShardRange]?: unknown });
  const isRange = ({ owner, first, after }: (typeof read)[number], at: number) =>
    typeof owner === 'string' &&
    first === (read[at - 1]?.after ?? 0) &&
    Number.isInteger(after) &&
    Number(after) >= Number(first);
  return read.every(isRange) && (read.at(-1)?.after ?? shardCount) === shardCount;
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
