// Numbers whose shard has lately moved to another cell. Their sessions stay in the cell where they were opened; what is counted of a number moves
// when something is first done for it, and is counted in the new cell from then on, for sessions of either cell.

import type { CellMap, LeftCell } from '../core/fleet/cells.ts';
import { shardCount, shardForNumber, timeOf } from '../core/ids.ts';
import { lockedType } from '../core/webhooks/event-body.ts';
import { isDoneWithin } from '../time/alarm.ts';
import { hourMs } from '../time/wall-clock.ts';
import type { Cells } from './cell-keys.ts';
import type { EngineStore } from './engine-store.ts';
import { type CountedFailures, type NumberCounts, type NumberKey, noCounts } from './limits/moved-counts.ts';
import { isOutage } from './outage.ts';
import type { OpenItem, OpenResult } from './verify/open.ts';
import type { FailureLimit, SaveItem, SaveResult } from './verify/save.ts';

/** Longer than a session is pending: an hour, and resends make it no longer. */
export const pendingMs = 2 * hourMs;

/** A session whose place is taken is opened within this time, or never: what a statement may take, and more. */
const openingMs = 60_000;

/** Longer than a bucket takes to fill: a day. */
const countedMs = 26 * hourMs;

/** How long a cell that no session depends on any more is waited for, ms. */
const goneMs = 500;

type Store = Pick<
  EngineStore,
  | 'holdPlaces'
  | 'freePlace'
  | 'readCounts'
  | 'addCounts'
  | 'deleteCounts'
  | 'countApart'
  | 'loadSessions'
  | 'saveSessions'
>;

/** A save that has to be alone in its batch: the lane halves a batch for such an error until it is (batch.ts). */
class CountedApart extends Error {
  readonly code = '22000';
}

export class MovedNumbers {
  readonly #cells: Cells<Store>;

  constructor(cells: Cells<Store>) {
    this.#cells = cells;
  }

  /**
   * For sends about to be opened: brings along what is counted of their numbers, and takes their places in the cells that may have a pending
   * session of theirs. Returns those that such a session is in the way of.
   */
  async beforeOpen(sends: readonly OpenItem[]): Promise<Map<OpenItem, OpenResult>> {
    const { map, now } = this.#cells;
    const taken = new Map<OpenItem, OpenResult>();
    // One that got its id right before its shard left is opened where it belongs: its place is taken there by its own statement.
    const items = sends.filter(({ session: { id, to } }) => map.ofId(id) === map.ofNumber(to, now()));
    const left = this.#left(items, ({ session }) => session.to, pendingMs);
    const keys = items.map(({ session: { accountId, mode, to } }) => ({ accountId, mode, number: to }));
    const hold = async ({ cell, at, items: some }: (typeof left)[number]) => {
      const wanted = some.map(({ session }) => ({ ...session, shard: shardForNumber(session.to) }));
      const found = await this.#cells.of(cell).holdPlaces(wanted, at);
      for (const item of some) {
        const sessionId = found.get(item.session.id);
        if (sessionId !== undefined) taken.set(item, await this.takenIn(cell, item, sessionId));
      }
    };
    await Promise.all([this.bring(keys), ...left.map(hold)]);
    return taken;
  }

  /**
   * A place in this cell is taken. Where the session that has it is of another cell, and over there, or was never opened, the place is freed
   * for the next try.
   */
  async takenIn(cell: string, { session }: OpenItem, sessionId: string): Promise<OpenResult> {
    const { map, of, now } = this.#cells;
    const own = sessionId === '' ? cell : map.ofId(sessionId);
    if (own !== cell) {
      const { accountId, mode, to: number, purpose } = session;
      const [found] = await of(own).loadSessions([{ accountId, id: sessionId }]);
      const isOver = found ? found.session.status !== 'pending' : timeOf(sessionId) < now() - openingMs;
      const place = { shard: shardForNumber(number), accountId, mode, number, purpose, sessionId };
      if (isOver) await of(cell).freePlace(place);
    }
    return { kind: 'taken', sessionId };
  }

  /** Moves what is counted of these numbers from the cells that their shards have left to those where they are. */
  async bring(keys: readonly NumberKey[]): Promise<void> {
    const { map, of, now } = this.#cells;
    const left = this.#left(keys, ({ number }) => number, countedMs);
    await Promise.all(
      left.map(async (from) => {
        const counts = await this.#countsIn(from);
        if (counts.failures.length + counts.buckets.length === 0) return;
        const [first] = from.items as [NumberKey];
        await of(map.ofNumber(first.number, now())).addCounts(counts);
        await of(from.cell).deleteCounts(counts);
      }),
    );
  }

  /** While the cell may have a pending session, nothing goes on without it; later a lost cell must not keep its numbers back. */
  async #countsIn({ cell, at, items }: LeftCell & { items: NumberKey[] }): Promise<NumberCounts> {
    const { of, now } = this.#cells;
    const read = of(cell).readCounts(items);
    if (at > now() - pendingMs) return read;
    try {
      return (await isDoneWithin(read, goneMs)) ? await read : noCounts;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return noCounts;
    }
  }

  /** Saves of one cell. What counts for a number that is elsewhere by now is counted there first. */
  async save(cell: string, items: readonly SaveItem[], limit: FailureLimit): Promise<SaveResult[]> {
    const { map, of, now } = this.#cells;
    const present = ({ change }: SaveItem) => map.ofShard(change.shard, now());
    const isApart = (item: SaveItem) => (item.change.guarded || item.resend !== null) && present(item) !== cell;
    const [item] = items;
    if (!item || !items.some(isApart)) return of(cell).saveSessions(items, limit);
    if (items.length > 1) throw new CountedApart('a save whose number is counted in another cell goes alone');
    const { accountId, mode, to: number, id, version } = item.session;
    await this.bring([{ accountId, mode, number }]);
    // Made from a state that another process has changed since, it will be made again: counted here, it would be counted twice.
    const [stored] = await of(cell).loadSessions([{ accountId, id }]);
    if (stored?.session.version !== version) return [{ kind: 'stale' }];
    const [counted = { kind: 'stale' as const }] = await of(present(item)).countApart([item], limit);
    if (counted.kind !== 'counted') return [counted];
    const { lock } = counted;
    const locks = item.events.flatMap((event) =>
      event.type === lockedType && lock !== null ? [{ ...event, json: lock }] : [],
    );
    const events = [...item.events.filter(({ type }) => type !== lockedType), ...locks];
    const uncounted = { ...item, events, resend: null, change: { ...item.change, guarded: false } };
    const [saved = { kind: 'stale' as const }] = await of(cell).saveSessions([uncounted], limit);
    if (saved.kind !== 'saved') return [saved];
    const deliveries = locks.flatMap(({ id: eventId, json: body, endpointIds }) =>
      endpointIds.map((endpointId) => ({ eventId, endpointId, body })),
    );
    return [{ ...saved, deliveries: [...saved.deliveries, ...deliveries] }];
  }

  /** Items by the cells that their shards have left since then, and by when, each with the items that are in one cell now. */
  #left<Item>(
    items: readonly Item[],
    numberOf: (item: Item) => string,
    sinceMs: number,
  ): (LeftCell & { items: Item[] })[] {
    const { map, now } = this.#cells;
    const at = now();
    const groups = new Map<string, LeftCell & { items: Item[] }>();
    for (const item of items) {
      const shard = shardForNumber(numberOf(item));
      for (const left of map.left(shard, at - sinceMs, at)) {
        const name = [left.cell, left.at, map.ofShard(shard, at)].join(' ');
        const group = groups.get(name) ?? { ...left, items: [] };
        group.items.push(item);
        groups.set(name, group);
      }
    }
    return [...groups.values()];
  }
}

/** What one run of `bringAll` did. */
export interface Brought {
  /** Numbers whose wrong codes have moved on. */
  numbers: number;
  /** Places that sessions of other cells no longer need. */
  places: number;
}

const pageSize = 500;

/**
 * Moves on what is counted in a cell of numbers that are elsewhere by now, for which nothing may be done for as long as it counts: wrong codes in
 * a row count until the right one. Sends need no such run: a bucket that nobody asks for in a day is full. May be broken off and repeated:
 * it ends early once `stopping` is aborted.
 */
export async function bringAll(cells: Cells<EngineStore>, cell: string, stopping?: AbortSignal): Promise<Brought> {
  const { map, of, now } = cells;
  const done: Brought = { numbers: 0, places: 0 };
  for await (const [present, rows] of awayFrom(cells, cell, stopping)) {
    const counts = { failures: rows.map(({ json }) => json), buckets: [] };
    await of(present).addCounts(counts);
    await of(cell).deleteCounts(counts);
    done.numbers += rows.length;
  }
  for (const [at, shards] of leftShards(map, cell, now())) {
    if (stopping?.aborted) return done;
    done.places += await of(cell).freePlaces(shards, at, now() - pendingMs);
  }
  return done;
}

/** How many numbers `bringAll` would find. */
export async function countAway(cells: Cells<EngineStore>, cell: string): Promise<number> {
  let count = 0;
  for await (const [, rows] of awayFrom(cells, cell)) count += rows.length;
  return count;
}

/** What is counted in the cell of numbers that are elsewhere, by where they are. */
async function* awayFrom(
  { map, of, now }: Cells<EngineStore>,
  cell: string,
  stopping?: AbortSignal,
): AsyncGenerator<[present: string, rows: CountedFailures[]]> {
  let after: CountedFailures | null = null;
  do {
    const page: CountedFailures[] = await of(cell).failuresAfter(after, pageSize);
    after = page.length < pageSize ? null : (page.at(-1) ?? null);
    const byCell = Map.groupBy(page, ({ number }) => map.ofNumber(number, now()));
    for (const [present, rows] of byCell) if (present !== cell) yield [present, rows];
  } while (after && !stopping?.aborted);
}

/** The shards that the cell has no longer, by when they left it. */
function leftShards(map: CellMap, cell: string, now: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let shard = 0; shard < shardCount; shard += 1) {
    const left = map.left(shard, Number.NEGATIVE_INFINITY, now).find((each) => each.cell === cell);
    if (left) found.set(left.at, [...(found.get(left.at) ?? []), shard]);
  }
  return found;
}
