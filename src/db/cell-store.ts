// The store of the engine over several cells: the same verbs, each done in the cell where its rows are. What is said of one session goes to
// that session's cell, whatever counts a number to where a session for it is opened now, and what names neither is asked
// of every cell. No statement spans two cells.

import { homeCell } from '../core/fleet/cells.ts';
import { shardForNumber, shardOf, timeOf } from '../core/ids.ts';
import { settleAny } from '../time/settle.ts';
import { type Cells, storedAnswerOver } from './cell-keys.ts';
import type { RouteLoad } from './delivery/route-loads.ts';
import type { EngineReads, EngineStore, SessionStore } from './engine-store.ts';
import { MovedNumbers, pendingMs } from './moved-numbers.ts';
import { afterStoring } from './outage.ts';
import { cellsOfReceipt, type Found, type WantedReferences } from './receipts/receipts.ts';
import { type ListedSession, type ListPage, mergedPages } from './verify/list.ts';
import type { OpenResult } from './verify/open.ts';

export function engineStoreOver({ map, of, now }: Cells<EngineStore>): SessionStore {
  const home = of(homeCell);
  const all = map.names.map(of);
  const moved = new MovedNumbers({ map, of, now });

  return {
    async openSessions(items) {
      const cell = theOne(items.map(({ session }) => map.ofId(session.id)));
      const taken = await moved.beforeOpen(items);
      const left = items.filter((item) => !taken.has(item));
      const results = left.length > 0 ? await of(cell).openSessions(left) : [];
      for (const [at, item] of left.entries()) {
        const result = results[at] as OpenResult;
        // Others of the batch are stored by now.
        const isTaken = result.kind === 'taken';
        taken.set(item, isTaken ? await afterStoring(moved.takenIn(cell, item, result.sessionId)) : result);
      }
      return items.map((item) => taken.get(item) as OpenResult);
    },
    saveSessions: (items, limit) => moved.save(theOne(items.map(({ session }) => map.ofId(session.id))), items, limit),
    loadSessions: (keys) => of(theOne(keys.map(({ id }) => map.ofId(id)))).loadSessions(keys),
    openSessionsAt: (processId, keys) => of(theOne(keys.map(({ id }) => map.ofId(id)))).openSessionsAt(processId, keys),
    // A cell that the shard has left may know the session of another: whether that is pending is known there.
    pendingSessionOf: (key) =>
      firstOf(map.since(shardForNumber(key.number), now() - pendingMs, now()), async (cell) => {
        const sessionId = await of(cell).pendingSessionOf(key);
        return sessionId !== null && map.ofId(sessionId) === cell ? sessionId : null;
      }),
    storedAnswer: (key, claim) => storedAnswerOver({ map, of, now }, key, claim),
    // The note lies with the session that was resent, which may be in the cell before: it was pending when the id was made.
    sessionOfResend: (operation) =>
      firstOf(map.since(shardOf(operation), timeOf(operation) - pendingMs, now()), (cell) =>
        of(cell).sessionOfResend(operation),
      ),
    takeTokens: home.takeTokens,
    takeCredit: home.takeCredit,
    async peekTokens(key, limits) {
      await moved.bring([{ ...key, mode: 'live' }]);
      return of(map.ofNumber(key.number, now())).peekTokens(key, limits);
    },
    findReferences: (items) => findReferences({ map, of, now }, items),
    // In every cell: a receipt that matches nothing does not show which cell its message is in, so each looks among its own messages.
    parkReceipts: async (rows) => void (await Promise.all(all.map((store) => store.parkReceipts(rows)))),
    // A cell that is down is left out, here and in the loads of routes: both are asked for again within seconds.
    async matchableReceipts(wanted) {
      const found = await settleAny(all.map((store) => store.matchableReceipts(wanted)));
      return [...new Map(found.flat().map((row) => [row.id, row])).values()].slice(0, wanted.limit);
    },
    removeParked: async (ids) => void (await Promise.all(all.map((store) => store.removeParked(ids)))),
    countParked: home.countParked,
    async readRouteLoads() {
      const sums = new Map<string, RouteLoad>();
      for (const loads of await settleAny(all.map((store) => store.readRouteLoads()))) {
        for (const [route, { waiting, perSecond }] of loads) {
          const sum = sums.get(route) ?? { waiting: 0, perSecond: 0 };
          sums.set(route, { waiting: sum.waiting + waiting, perSecond: sum.perSecond + perSecond });
        }
      }
      return sums;
    },
  };
}

/** The cell that all of them lie in. A batch of several cells would be done in one and fail in another: lanes keep them apart (batch.ts). */
function theOne(cells: readonly string[]): string {
  const [cell = homeCell] = cells;
  if (cells.some((other) => other !== cell)) throw new Error('a batch spans several cells');
  return cell;
}

/** The first answer that is not null, in the order of the cells. */
async function firstOf<Answer>(
  cells: readonly string[],
  ask: (cell: string) => Promise<Answer | null>,
): Promise<Answer | null> {
  const answers = await Promise.all(cells.map(ask));
  return answers.find((answer) => answer !== null) ?? null;
}

/**
 * A message to the receipt's phone can only be where sessions of that phone were opened lately. Where none is named, or it is in doubt, any cell may have it:
 * then of several with one id the youngest is meant, and in doubt none.
 */
async function findReferences(
  { map, of, now }: Cells<EngineStore>,
  items: readonly WantedReferences[],
): Promise<(Found | null)[]> {
  const found: (Found | null)[] = items.map(() => null);
  const ask = async (asked: readonly number[], inDoubt: boolean, take: (at: number, each: Found[]) => void) => {
    const cellsOf = ({ number }: WantedReferences) =>
      number === null || inDoubt ? map.names : cellsOfReceipt(map, number, now());
    const byCell = new Map<string, number[]>();
    for (const at of asked)
      for (const cell of cellsOf(items[at] as WantedReferences)) byCell.set(cell, [...(byCell.get(cell) ?? []), at]);
    const known = new Map<number, Found[]>();
    await Promise.all(
      [...byCell].map(async ([cell, some]) => {
        const wanted = some.map((at) => ({ ...(items[at] as WantedReferences), inDoubt }));
        const results = await of(cell).findReferences(wanted);
        some.forEach((at, n) => {
          const result = results[n];
          if (result) known.set(at, [...(known.get(at) ?? []), result]);
        });
      }),
    );
    for (const [at, each] of known) take(at, each);
  };
  await ask([...items.keys()], false, (at, each) => {
    found[at] = each.toSorted((one, other) => (one.messageId < other.messageId ? 1 : -1))[0] as Found;
  });
  const doubtful = [...items.keys()].filter((at) => found[at] === null && items[at]?.inDoubt === true);
  await ask(doubtful, true, (at, each) => {
    if (each.length === 1) found[at] = each[0] as Found;
  });
  return found;
}

export function engineReadsOver({ map, of, now }: Cells<EngineReads>): EngineReads {
  const cellsOf = (number: string) => map.everOf(shardForNumber(number), now());
  return {
    loadSessions: (keys) => of(theOne(keys.map(({ id }) => map.ofId(id)))).loadSessions(keys),
    findSessions: (keys) => of(theOne(keys.map(({ id }) => map.ofId(id)))).findSessions(keys),
    // One cell after the other, as long as it may have a younger one: the present cell does not wait for one that the shard has left.
    async latestSessionOf(key) {
      const [shard, at] = [shardForNumber(key.number), now()];
      let latest: string | null = null;
      for (const cell of map.everOf(shard, at)) {
        if (latest !== null && !map.since(shard, timeOf(latest), at).includes(cell)) break;
        const found = await of(cell).latestSessionOf(key);
        if (found !== null && (latest === null || found > latest)) latest = found;
      }
      return latest;
    },
    async listSessions(filter, page) {
      const cells = filter.number === null ? map.names : cellsOf(filter.number);
      return merged(await Promise.all(cells.map((cell) => of(cell).listSessions(filter, page))), page.limit);
    },
  };
}

export const merged = (pages: readonly ListPage<ListedSession>[], limit: number): ListPage<ListedSession> =>
  mergedPages(pages, limit, ({ session }) => session.id);
