// The engine's face: eight verbs, which are all that the API may know of verification. Arguments and results are plain values, so that
// another process could answer them. Behind the face each room is made with the context and the rooms below it.

import { EventEmitter } from 'node:events';
import { type CellMap, homeCell, ofCell, oneCell } from '../core/fleet/cells.ts';
import { engineStoreOver } from '../db/cell-store.ts';
import type { EngineReads, EngineStore, SessionStore } from '../db/engine-store.ts';
import type { ListedSession, ListPage, SessionFilter } from '../db/verify/list.ts';
import type { FoundSession, SessionKey } from '../db/verify/sessions.ts';
import { isDoneWithin } from '../time/alarm.ts';
import type { EngineContext, EngineEvents } from './context.ts';
import { Backlog, RouteLoads } from './delivery/backlog.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { LentPlaces } from './delivery/lent-places.ts';
import { DatabaseSilence, StuckOwners } from './fleet/stuck-owners.ts';
import { UncertainSessions } from './fleet/unknown-commits.ts';
import { Budgets } from './limits/budgets.ts';
import { Guard } from './limits/guard.ts';
import { Payments } from './limits/payments.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { Receipts } from './receipts/receipts.ts';
import { References } from './receipts/references.ts';
import { Parking } from './receipts/unmatched.ts';
import { Sessions } from './sessions/sessions.ts';
import { createStore } from './sessions/store.ts';
import { CarryOut } from './verify/carry-out.ts';
import { type CancelRequest, type CancelResult, Checker, type CheckRequest, type CheckResult } from './verify/check.ts';
import { Deadlines } from './verify/deadlines.ts';
import { Idempotent } from './verify/idempotent.ts';
import { Lookup, type PageWanted, type SessionName } from './verify/lookup.ts';
import { OwnCalls } from './verify/own-calls.ts';
import { type EngineCell, Recovery } from './verify/recovery.ts';
import { type SendRequest, type SendResult, Starter } from './verify/send.ts';
import { type WatchedSession, Watches } from './verify/watches.ts';

export type { Answers, EngineSettings } from './context.ts';
export type { CheckRequest, CheckResult, Reported } from './verify/check.ts';
export type { Keyed, Replay } from './verify/idempotent.ts';
export type { SendRequest, SendResult } from './verify/send.ts';
export type { EngineCell, FoundSession, ListedSession, SessionFilter };

export interface Engine {
  /** Opens a session, or resends the pending one. */
  send(request: SendRequest): Promise<SendResult>;
  /** Compares a code. */
  check(request: CheckRequest): Promise<CheckResult>;
  /** Ends the session for its client: nothing more is sent, and the code is void. */
  cancel(request: CancelRequest): Promise<CancelResult>;
  find(name: SessionName): Promise<FoundSession | null>;
  /** Newest first. */
  list(filter: SessionFilter, page: PageWanted): Promise<ListPage<ListedSession>>;
  /** The session as it is, then after every change, until it is over or `signal` is aborted. Ends at once where there is none. */
  watch(name: SessionName, signal: AbortSignal): AsyncIterable<WatchedSession>;
  /** Background work of one kind, in one cell or in all; each is to be repeated at the interval that `sweeps` gives. */
  sweep(kind: Sweep, cell?: string): Promise<void>;
  /**
   * Finishes what is on the wire and leaves what waits to other processes. They leave the deadlines to this one while its lease goes on, so it keeps
   * them until they are stopped (`Chores`). Resolves at the latest after `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
}

/** Ms between two sweeps of a kind. */
export const sweeps = {
  /** What dead processes held, and what this one may hold without knowing; asks the database nothing without a cause. */
  sweep: 300,
  /** Messages that wait for a route of this process; likewise. */
  claim: 100,
} as const;

export type Sweep = keyof typeof sweeps;

/** Numbers of an engine that the metrics show. */
export interface Gauges {
  /** Messages on their way out here. */
  backlog: number;
  /** Sessions in memory. */
  sessionsHeld: number;
  /** Calls that this process made and that are not over. */
  callsUp: number;
  /** Notices of other processes that were not understood. */
  noticesIgnored: number;
}

/** Rooms that run in the background. */
export type Chores = Pick<
  Rooms,
  'budgets' | 'deadlines' | 'receipts' | 'parking' | 'watches' | 'backlog' | 'routeLoads'
>;

/** The engine, the intake of carriers' reports for its channels, its gauges, and what the loops run of it. */
export function createEngine(options: EngineOptions): {
  engine: Engine;
  intake: Receipts;
  references: References;
  checker: Checker;
  stuckOwners: StuckOwners;
  calls: OwnCalls;
  gauges(): Gauges;
  chores: Chores;
} {
  const rooms = openRooms(options);
  const { receipts, references, checker, stuckOwners, dispatcher, sessions, calls } = rooms;
  return {
    engine: faceOf(rooms),
    intake: receipts,
    references,
    checker,
    stuckOwners,
    calls,
    chores: rooms,
    gauges: () => ({
      backlog: dispatcher.size,
      sessionsHeld: sessions.held,
      callsUp: calls.size,
      noticesIgnored: options.peers.ignored,
    }),
  };
}

export function faceOf(rooms: Rooms): Engine {
  const { starter, checker, lookup, watches, dispatcher, lent } = rooms;
  return {
    send: (request) => starter.send(request),
    check: (request) => checker.check(request),
    cancel: (request) => checker.cancel(request),
    find: (name) => lookup.find(name),
    list: (filter, page) => lookup.list(filter, page),
    watch: (name, signal) => watches.watch(name, signal),
    sweep: (kind, cell) => sweep(rooms.recovery, kind, cell),
    drain: async (graceMs) => {
      dispatcher.stop();
      await isDoneWithin(Promise.all([dispatcher.idle(), lent.stop()]), graceMs);
    },
  };
}

async function sweep(recovery: Recovery, kind: Sweep, cell: string | undefined): Promise<void> {
  switch (kind) {
    case 'sweep':
      return recovery.sweep(cell);
    case 'claim':
      return recovery.claim(cell);
  }
}

/** What an engine is made with: the context but for what the engine makes itself, and what is stored. */
export interface EngineOptions extends Omit<EngineContext, 'store' | 'events' | 'cells' | 'leases'> {
  db: EngineStore;
  reads: EngineReads;
  /** Where there are several databases: the map of them, and what works on each. `db` and `fleet` are home's then, and `reads` is over all. */
  cells?: { map: CellMap; each: readonly EngineCell[] };
}

export type Rooms = ReturnType<typeof openRooms>;

export function openRooms({ db: home, reads, cells: several, ...given }: EngineOptions) {
  const { settings, webhooks, reports, ids, observe } = given;
  const lane = observe.lane ? { observe: observe.lane } : {};
  const cells = several?.map ?? oneCell;
  const each = several?.each ?? [{ name: homeCell, db: home, fleet: given.fleet }];
  const silences = new Map(each.map(({ name }) => [name, new DatabaseSilence(given.now)]));
  const observed = each.map((cell) => ({ ...cell, db: ofCell(silences, cell.name).observing(cell.db) }));
  const db = several ? storeOver({ map: cells, each: observed }, given.now) : (observed[0]?.db ?? home);
  const uncertain = new Map(each.map(({ name }) => [name, new UncertainSessions({ now: given.now })]));
  const onUnknownCommit = (keys: readonly SessionKey[]) => {
    for (const [cell, some] of Map.groupBy(keys, ({ id }) => cells.ofId(id))) uncertain.get(cell)?.add(some);
    webhooks.commitUnknown();
    reports?.commitUnknown();
  };
  const store = createStore(db, cells, settings, { ...lane, onUnknownCommit });
  const leases = new Map(each.map(({ name, fleet }) => [name, fleet]));
  const context: EngineContext = { ...given, cells, leases, store, events: new EventEmitter<EngineEvents>() };

  const stuckOwners = new StuckOwners(context, db, silences);
  const budgets = new Budgets(context, db, lane, observe.budget);
  budgets.listen();
  const payments = new Payments(context, budgets);
  const sessions = new Sessions(context, payments);
  const references = new References(db, cells, lane);
  const parking = new Parking(db, ids, lane);
  const receipts = new Receipts(context, sessions, references, parking);
  const dispatcher = new Dispatcher(context, sessions, references, receipts);
  const lent = new LentPlaces(context, references);
  const routeLoads = new RouteLoads(db);
  const backlog = new Backlog(context, dispatcher, routeLoads);
  const deadlines = new Deadlines(context, db, sessions);
  const calls = new OwnCalls(context);
  calls.listen();
  new CarryOut(context, { deadlines, dispatcher, routeLoads, calls }).listen();
  const idempotent = new Idempotent(context);
  const lookup = new Lookup(reads, cells);
  const limits = new RateLimits(db, lane);
  const guard = new Guard(context);
  const starter = new Starter(context, { idempotent, limits, guard, payments, sessions, dispatcher, backlog });
  const checker = new Checker(context, { sessions, lookup, idempotent });
  checker.listen();
  const recovery = new Recovery(context, each, { sessions, dispatcher, deadlines, backlog, uncertain });
  recovery.listen();
  const watches = new Watches(context, lookup, reads);
  return {
    store,
    budgets,
    sessions,
    references,
    receipts,
    parking,
    dispatcher,
    lent,
    backlog,
    routeLoads,
    deadlines,
    starter,
    checker,
    recovery,
    watches,
    lookup,
    calls,
    stuckOwners,
  };
}

function storeOver({ map, each }: NonNullable<EngineOptions['cells']>, now: () => number): SessionStore {
  const stores = new Map(each.map(({ name, db }) => [name, db]));
  return engineStoreOver({ map, now, of: (cell) => ofCell(stores, cell) });
}
