// The cells of a process: the databases that sessions are in, each with connections of its own and a lease of this process in it. Home is the
// first of them, and without DATABASE_CELLS the only one.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Config } from '../config.ts';
import { type CellMap, homeCell, ofCell, oneCell } from '../core/fleet/cells.ts';
import type { IdSource } from '../core/ids.ts';
import { purgedOf } from '../db/accounts/closing.ts';
import { engineReadsOver } from '../db/cell-store.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../db/client.ts';
import { engineReads, engineStore } from '../db/engine-store.ts';
import { bringAll } from '../db/moved-numbers.ts';
import { inside } from '../db/queryable.ts';
import type { Schema } from '../db/schema.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { Fleet } from '../engine/fleet/members.ts';
import { ReportsOverCells } from '../engine/reports/cells.ts';
import { firstSends } from '../engine/reports/first-sends.ts';
import { Projector, Projectors } from '../engine/reports/projector.ts';
import { rollups } from '../engine/reports/rollups.ts';
import type { Logger } from '../telemetry/log.ts';
import { settleAll } from '../time/settle.ts';
import type { LiveSettings } from './live-settings.ts';

/** Whether this process works on a cell. `away`: it could not be reached since the start; `refused`: this process must not work on it. */
export type CellState = 'ready' | 'away' | 'refused';

export interface Cell {
  name: string;
  url: string;
  state: CellState;
  /** For calls and the work they cause. */
  database: Database<Schema>;
  /**
   * For authentication, readiness and the leases: none of them may wait in line behind the reads of callers, and a process whose lease
   * waits is taken for dead, with its messages.
   */
  watch: Database<Schema>;
}

/** What of a process is needed here. */
interface OfProcess {
  live: LiveSettings;
  /** Home first. */
  cells: readonly Cell[];
  now(): number;
}

/** The cell that is being made ready: its connections are open to the work that does so, and to nothing else. */
export const opening = new AsyncLocalStorage<Cell>();

/** Connections of `watch`; nothing is listed over them. */
const watchPools = { max: 3, lanes: 2 };

/** Connections that a process opens at most in each cell, the one that hears notices at home included. */
export const connectionsOf = ({ calls, lanes, lists }: Config['server']['pools']): number =>
  calls + lanes + lists + watchPools.max + watchPools.lanes + 1;

/** Home first. Opens no connection yet. */
export function openCells({ server }: Config, databaseUrl: string, logger: Logger): [Cell, ...Cell[]] {
  const { calls, lanes, lists } = server.pools;
  const open = (name: string, url: string): Cell => {
    const about = server.cells ? { cell: name } : {};
    const onConnectionLost = (err: Error) => logger.warn({ err, ...about }, 'database connection lost');
    const isOpen = () => cell.state === 'ready' || opening.getStore() === cell;
    const connect = (pools: DatabaseOptions) => createDatabase<Schema>(url, { ...pools, isOpen, onConnectionLost });
    const state = name === homeCell ? 'ready' : 'away';
    const cell: Cell = {
      name,
      url,
      state,
      database: connect({ max: calls, lanes, lists }),
      watch: connect(watchPools),
    };
    return cell;
  };
  return [open(homeCell, databaseUrl), ...[...(server.cells?.urls ?? [])].map(([name, url]) => open(name, url))];
}

/** This process in each cell, by its name: it may lose one database and not the others. */
export function joinCells({ cells, ids, now }: OfProcess & { ids: IdSource }): Map<string, Fleet> {
  const processId = ids('prc_');
  return new Map(cells.map(({ name, watch }) => [name, new Fleet({ db: engineStore(watch.lanes), processId, now })]));
}

/** What the engine works on. */
export function engineDatabases(
  { live, cells, now }: OfProcess,
  fleets: ReadonlyMap<string, Fleet>,
): Pick<EngineOptions, 'db' | 'reads' | 'cells'> {
  const each = cells.map(({ name, database }) => ({
    name,
    db: engineStore(database.lanes),
    reads: engineReads({ reads: inside(database.db), lists: database.lists }),
    fleet: ofCell(fleets, name),
  }));
  const byName = new Map(each.map((cell) => [cell.name, cell]));
  const home = ofCell(byName, homeCell);
  if (each.length === 1) return home;
  const map = mapOf(live);
  const reads = engineReadsOver({ map, now, of: (cell) => ofCell(byName, cell).reads });
  return { db: home.db, reads, cells: { map, each } };
}

/** Moves on what is counted of numbers whose shard has left their cell; null with one cell. */
export function numbersMover({ live, cells, now }: OfProcess): ((stopping: AbortSignal) => Promise<void>) | null {
  if (cells.length === 1) return null;
  const stores = new Map(cells.map(({ name, database }) => [name, engineStore(database.lanes)]));
  const over = { map: mapOf(live), now, of: (cell: string) => ofCell(stores, cell) };
  return async (stopping) => {
    const ready = cells.filter(({ state }) => state === 'ready');
    await settleAll(ready.map(({ name }) => bringAll(over, name, stopping)));
  };
}

/** What is projected from the sessions of each cell. */
export function reportsOver({ live, cells, now }: OfProcess, fleets: ReadonlyMap<string, Fleet>): ReportsOverCells {
  const home = ofCell(new Map(cells.map(({ name, database }) => [name, database])), homeCell);
  const purged = (ids: readonly string[]) => purgedOf(inside(home.plain), ids);
  const parts = cells.map(({ name, database: { lanes, plain } }) => {
    const fleet = ofCell(fleets, name);
    const measures = firstSends({ home: home.lanes, cell: lanes });
    const sums = rollups({ db: plain, processId: fleet.processId, settings: live, purged });
    const own = { db: lanes, fleet, now };
    const each = [new Projector({ ...own, projection: measures }), new Projector({ ...own, projection: sums })];
    return [name, new Projectors(each)] as const;
  });
  return new ReportsOverCells(mapOf(live), new Map(parts));
}

/** Which cell a session is in. */
export const mapOf = (live: LiveSettings): CellMap => live.config.server.cells?.map ?? oneCell;
