// Backlogs of routes: how long a new message would wait, here for a route that this process can send on, else in the whole fleet. A process
// without a bind has no other way to know, so processes exchange the loads of their routes through the database.

import { Counter } from '../../collections/small-maps.ts';
import type { RouteLoad } from '../../db/delivery/route-loads.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { EngineContext } from '../context.ts';
import type { Dispatcher } from './dispatcher.ts';

/** Messages of a route with a longer queue here are not claimed: they wait in the database, where other processes may claim them. */
const claimAheadMs = 1_000;

export class Backlog {
  readonly #context: EngineContext;
  readonly #dispatcher: Dispatcher;
  readonly #routeLoads: RouteLoads;

  constructor(context: EngineContext, dispatcher: Dispatcher, routeLoads: RouteLoads) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#routeLoads = routeLoads;
  }

  /** Ms until the route's queue, with so many `more` before it, would reach a new message; null when that is not known. */
  ms(route: string, more = 0): number | null {
    const rate = this.#rateOf(route);
    if (rate !== null) return ((this.#dispatcher.backlog(route) + more) / rate) * 1000;
    return this.#context.channels.canSend(route) ? null : this.#routeLoads.backlogMs(route, more);
  }

  /** Routes of this process that are free to take what waits in the database. */
  shortRoutes(): string[] {
    return this.#context.channels.routes().filter((route) => (this.ms(route) ?? 0) < claimAheadMs);
  }

  /** Stores the loads of this process's routes, and reads those of the others. Called once a second. */
  exchange(): Promise<void> {
    return this.#routeLoads.exchange(this.#own());
  }

  #own(): Record<string, RouteLoad> {
    const loads = this.#context.channels.routes().flatMap((route): [string, RouteLoad][] => {
      const perSecond = this.#rateOf(route);
      return perSecond === null ? [] : [[route, { waiting: this.#dispatcher.backlog(route), perSecond }]];
    });
    return Object.fromEntries(loads);
  }

  #rateOf(route: string): number | null {
    return this.#context.channels.ofRoute(route)?.ratePerSecond(route) ?? null;
  }
}

interface RouteLoadsOptions {
  db: EngineStore;
  processId: string;
}

/** Loads of routes that this process has no bind for: stored once a second by the processes with a bind, plus what waits in the database. */
export class RouteLoads {
  readonly #options: RouteLoadsOptions;
  #loads = new Map<string, RouteLoad>();
  /** Messages left by this process to others since `#loads` were read, by route. */
  #left = new Counter();
  /** Whether a caller has wanted another process's load since the last exchange. */
  #isWanted = false;
  /** This process's loads as they are stored. */
  #stored = '{}';

  constructor(options: RouteLoadsOptions) {
    this.#options = options;
  }

  /** A message was stored for a process that has the route. */
  leftToOthers(route: string): void {
    this.#left.add(route, 1);
  }

  /** Ms until the fleet would send a new message with `more` before it; null while no process has stored the route's load. At most a second old. */
  backlogMs(route: string, more: number): number | null {
    this.#isWanted = true;
    const load = this.#loads.get(route);
    if (!load || load.perSecond <= 0) return null;
    return ((load.waiting + this.#left.of(route) + more) / load.perSecond) * 1000;
  }

  /** Stores this process's loads where they have changed, and reads those of the others where a caller has wanted one since. */
  async exchange(own: Readonly<Record<string, RouteLoad>>): Promise<void> {
    const { db, processId } = this.#options;
    const text = JSON.stringify(own);
    if (text !== this.#stored) {
      await db.storeRouteLoads(processId, text);
      this.#stored = text;
    }
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.#left = new Counter();
    this.#loads = await db.readRouteLoads();
  }
}
