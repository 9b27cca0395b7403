// The map of cells: which database holds the sessions of a shard. It changes in epochs: an id made at T or later lies where the epoch says
// that T falls in, so the cell of a session follows from its id alone, and nothing that is stored has to move.

import { shardCount, shardForNumber, shardOf, timeOf } from '../ids.ts';

/**
 * The cell of DATABASE_URL. Accounts, keys, endpoints, senders, leases of binds and the shards' owners are there, and sessions where
 * nothing else is said.
 */
export const homeCell = 'home';

/** Shards that lie in one cell. */
export interface CellRange {
  first: number;
  /** The shard behind the last one. */
  after: number;
  cell: string;
}

export interface CellEpoch {
  /** Unix ms: of ids made then or later, until the next epoch begins. */
  from: number;
  /** All shards, each once. */
  ranges: readonly CellRange[];
}

interface Epoch {
  from: number;
  /** Name of the cell of each shard. */
  cells: readonly string[];
}

/** A cell, and when a shard left it, Unix ms. */
export interface LeftCell {
  cell: string;
  at: number;
}

export class CellMap {
  /** Home first; the others in the order in which the epochs name them. */
  readonly names: readonly string[];
  /** The newest first; the last one is from the beginning of time, with all shards at home. */
  readonly #epochs: readonly Epoch[];

  /** @param epochs in the order of their time. @throws RangeError where that is not so, or a range is missing. */
  constructor(epochs: readonly CellEpoch[]) {
    const listed = epochs.map(({ from, ranges }) => ({ from, cells: cellsOf(ranges) }));
    if (listed.some(({ from }, at) => !Number.isSafeInteger(from) || from <= (listed[at - 1]?.from ?? -1)))
      throw new RangeError('epochs are not in the order of their time');
    const beginning = { from: Number.NEGATIVE_INFINITY, cells: new Array<string>(shardCount).fill(homeCell) };
    this.#epochs = [beginning, ...listed].reverse();
    this.names = [...new Set([homeCell, ...listed.flatMap(({ cells }) => cells)])];
  }

  /** The epochs as they were given, with neighbouring ranges of one cell joined. */
  get epochs(): CellEpoch[] {
    const given = this.#epochs.filter(({ from }) => Number.isFinite(from)).reverse();
    return given.map(({ from, cells }) => ({ from, ranges: rangesOf(cells) }));
  }

  /** The cell of the shard's ids of that time. */
  ofShard(shard: number, atMs: number): string {
    const epoch = this.#epochs.find(({ from }) => from <= atMs) ?? this.#epochs.at(-1);
    return epoch?.cells[shard] ?? homeCell;
  }

  /** The cell of a session. Other ids have its shard but are younger: where they lie, only their session's id says. */
  ofId(sessionId: string): string {
    return this.names.length === 1 ? homeCell : this.ofShard(shardOf(sessionId), timeOf(sessionId));
  }

  /** The cell in which a session for the number is opened, and in which sends and wrong codes of the number are counted. */
  ofNumber(e164: string, nowMs: number): string {
    return this.names.length === 1 ? homeCell : this.ofShard(shardForNumber(e164), nowMs);
  }

  /** Every cell in which the shard has lain since then, the present one first. */
  since(shard: number, sinceMs: number, nowMs: number): string[] {
    return [this.ofShard(shard, nowMs), ...this.left(shard, sinceMs, nowMs).map(({ cell }) => cell)];
  }

  /**
   * The cells in which the shard has lain since then and does no longer, with when it left them: an id of that time or later is not theirs.
   * The last that it left comes first.
   */
  left(shard: number, sinceMs: number, nowMs: number): LeftCell[] {
    const found = new Map<string, LeftCell>();
    const present = this.ofShard(shard, nowMs);
    let at = nowMs;
    for (const { from, cells } of this.#epochs) {
      if (from > nowMs) continue;
      const cell = cells[shard] ?? homeCell;
      if (cell !== present && !found.has(cell)) found.set(cell, { cell, at });
      if (from <= sinceMs) break;
      at = from;
    }
    return [...found.values()];
  }

  /** Shards at which another cell begins at that time, the lowest first. */
  borders(nowMs: number): number[] {
    if (this.names.length === 1) return [];
    const cells = Array.from({ length: shardCount }, (_, shard) => this.ofShard(shard, nowMs));
    return rangesOf(cells).flatMap(({ first }) => (first === 0 ? [] : [first]));
  }

  /** Every cell in which the shard has ever lain, the present one first. */
  everOf(shard: number, nowMs: number): string[] {
    return this.since(shard, Number.NEGATIVE_INFINITY, nowMs);
  }
}

/** Everything is in one database. */
export const oneCell = new CellMap([]);

/**
 * What belongs to the cell.
 * @param byCell by the name of a cell.
 * @throws where it has nothing for this one: names come from the map, so that is a bug.
 */
export function ofCell<Value>(byCell: ReadonlyMap<string, Value>, cell: string): Value {
  const value = byCell.get(cell);
  if (value === undefined) throw new Error(`there is no cell ${cell}`);
  return value;
}

/** Each cell's shards, as few ranges as there can be. `cells`: by shard. */
export function rangesOf(cells: readonly string[]): CellRange[] {
  const ranges: CellRange[] = [];
  for (const [shard, cell] of cells.entries()) {
    const last = ranges.at(-1);
    if (last?.cell === cell) last.after = shard + 1;
    else ranges.push({ first: shard, after: shard + 1, cell });
  }
  return ranges;
}

function cellsOf(ranges: readonly CellRange[]): string[] {
  const cells: string[] = [];
  for (const { first, after, cell } of [...ranges].sort((a, b) => a.first - b.first)) {
    if (first !== cells.length || after <= first) throw new RangeError('ranges of shards overlap or leave a gap');
    for (let shard = first; shard < after; shard += 1) cells.push(cell);
  }
  if (cells.length !== shardCount) throw new RangeError(`ranges do not end with shard ${shardCount - 1}`);
  return cells;
}
