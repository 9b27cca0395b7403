// The engine's face: eight verbs, which are all that the API may know of verification. Arguments and results are plain values, so that
// another process could answer them.

import type { KnownIntake } from '../channels/channel.ts';
import type { ListedSession, ListPage, SessionFilter } from '../db/verify/list.ts';
import { isDoneWithin } from '../time/alarm.ts';
import { type EngineOptions, openRooms, type Rooms } from './rooms.ts';
import type { CancelResult, CheckRequest, CheckResult } from './verify/check.ts';
import type { FoundSession, PageWanted, SessionName } from './verify/lookup.ts';
import type { SendRequest, SendResult } from './verify/send.ts';
import type { WatchedSession } from './verify/watches.ts';

export type { Answers, EngineSettings } from './context.ts';
export type { EngineOptions } from './rooms.ts';
export type { CheckRequest, CheckResult } from './verify/check.ts';
export type { Keyed, Replay } from './verify/idempotent.ts';
export type { FoundSession } from './verify/lookup.ts';
export type { SendRequest, SendResult } from './verify/send.ts';
export type { ListedSession, SessionFilter };

export interface Engine {
  /** Opens a session, or resends the pending one. */
  send(request: SendRequest): Promise<SendResult>;
  /** Compares a code. */
  check(request: CheckRequest): Promise<CheckResult>;
  /** Ends the session: nothing more is sent, and the code is void. */
  cancel(name: SessionName): Promise<CancelResult>;
  find(name: SessionName): Promise<FoundSession | null>;
  /** Newest first. */
  list(filter: SessionFilter, page: PageWanted): Promise<ListPage<ListedSession>>;
  /** The session as it is, then after every change, until it is over or `signal` is aborted. Ends at once where there is none. */
  watch(name: SessionName, signal: AbortSignal): AsyncIterable<WatchedSession>;
  /** Recovery of one kind; each is to be repeated at the interval that `sweeps` gives. */
  sweep(kind: Sweep): Promise<void>;
  /** Finishes what is on the wire and leaves the rest to other processes. Resolves at the latest after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Ms between two sweeps of a kind. */
export const sweeps = {
  /** Deadlines that were missed, and what dead processes held. */
  sweep: 300,
  /** Messages that wait for a route of this process. */
  claim: 50,
  /** Loads of routes: stored for this process's own, read for the others. */
  route_loads: 1_000,
  /** Receipts that matched no message when they came. */
  parked: 1_000,
  /** Sessions that are watched here. */
  watch: 200,
} as const;

export type Sweep = keyof typeof sweeps;

/** Numbers of an engine that the metrics show. */
export interface Gauges {
  /** Receipts in the database that match no message. */
  parked: number;
  /** Messages on their way out here. */
  backlog: number;
  /** Sessions in memory. */
  sessionsHeld: number;
}

/** The engine, the intake of carriers' reports for its channels, and its gauges. */
export function createEngine(options: EngineOptions): {
  engine: Engine;
  intake: KnownIntake;
  gauges(): Promise<Gauges>;
} {
  const rooms = openRooms(options);
  const { receipts, parking, dispatcher, sessions } = rooms;
  return {
    engine: faceOf(rooms),
    intake: receipts,
    gauges: async () => ({ parked: await parking.count(), backlog: dispatcher.size, sessionsHeld: sessions.held }),
  };
}

export function faceOf(rooms: Rooms): Engine {
  const { starter, checker, lookup, watches, deadlines, dispatcher } = rooms;
  return {
    send: (request) => starter.send(request),
    check: (request) => checker.check(request),
    cancel: (name) => checker.cancel(name),
    find: (name) => lookup.find(name),
    list: (filter, page) => lookup.list(filter, page),
    watch: (name, signal) => watches.watch(name, signal),
    sweep: (kind) => sweep(rooms, kind),
    drain: async (graceMs) => {
      deadlines.stop();
      dispatcher.stop();
      await isDoneWithin(dispatcher.idle(), graceMs);
    },
  };
}

async function sweep({ takeover, backlog, receipts, watches }: Rooms, kind: Sweep): Promise<void> {
  switch (kind) {
    case 'sweep':
      return takeover.sweep();
    case 'claim':
      return takeover.claim();
    case 'route_loads':
      return backlog.exchange();
    case 'parked':
      await receipts.retryParked();
      return;
    case 'watch':
      return watches.runOnce();
  }
}
