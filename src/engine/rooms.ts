// The wiring of the engine's rooms: each is made with the context and the rooms below it.

import { EventEmitter } from 'node:events';
import type { Queryable, Reads } from '../db/queryable.ts';
import type { EngineContext, EngineEvents } from './context.ts';
import { Backlog, RouteLoads } from './delivery/backlog.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { UnknownCommits } from './fleet/unknown-commits.ts';
import { Limits } from './limits/limits.ts';
import { Receipts } from './receipts/receipts.ts';
import { References } from './receipts/references.ts';
import { Parking } from './receipts/unmatched.ts';
import { Sessions } from './sessions/sessions.ts';
import { createStore } from './sessions/store.ts';
import { CarryOut } from './verify/carry-out.ts';
import { Checker } from './verify/check.ts';
import { Deadlines } from './verify/deadlines.ts';
import { Idempotent } from './verify/idempotent.ts';
import { Lookup } from './verify/lookup.ts';
import { Starter } from './verify/send.ts';
import { Takeover } from './verify/takeover.ts';
import { Watches } from './verify/watches.ts';

/** What an engine is made with: the context but for what the engine makes itself, and the connections. */
export interface EngineOptions extends Omit<EngineContext, 'store' | 'events'> {
  /** For what sends, checks and receipts need. */
  lanes: Queryable;
  /** For everything that is only read: whatever callers read, sends go on. */
  reads: Reads;
  /** For lists, which may be long. */
  lists: Reads;
}

export type Rooms = ReturnType<typeof openRooms>;

export function openRooms({ lanes: db, reads, lists, ...given }: EngineOptions) {
  const { settings, fleet, webhooks, reports, ids, observe } = given;
  const lane = observe.lane ? { observe: observe.lane } : {};
  const unknownCommits = new UnknownCommits({ now: given.now });
  const onUnknownCommit = () => {
    unknownCommits.add();
    webhooks.commitUnknown();
    reports?.commitUnknown();
  };
  const store = createStore(db, settings, { ...lane, onUnknownCommit });
  const context: EngineContext = { ...given, store, events: new EventEmitter<EngineEvents>() };

  const sessions = new Sessions(context);
  const references = new References(db, lane);
  const parking = new Parking(db, ids, lane);
  const receipts = new Receipts(context, sessions, references, parking);
  const dispatcher = new Dispatcher(context, sessions, references, receipts);
  const routeLoads = new RouteLoads({ db, processId: fleet.processId });
  const backlog = new Backlog(context, dispatcher, routeLoads);
  const deadlines = new Deadlines(context, sessions);
  new CarryOut(context, deadlines, dispatcher, routeLoads).listen();
  const idempotent = new Idempotent(context);
  const lookup = new Lookup(reads, lists);
  const starter = new Starter(context, { idempotent, limits: new Limits(db, lane), sessions, dispatcher, backlog });
  const checker = new Checker(context, { sessions, lookup, idempotent });
  const takeover = new Takeover(context, db, { sessions, dispatcher, deadlines, backlog, unknownCommits });
  const watches = new Watches(lookup, reads, observe);
  return {
    store,
    sessions,
    receipts,
    parking,
    dispatcher,
    backlog,
    deadlines,
    starter,
    checker,
    takeover,
    watches,
    lookup,
  };
}
