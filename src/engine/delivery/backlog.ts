// Backlogs of routes: how long a new message would wait, here for a route that this process can send on, else in the whole fleet. A process
// without a bind has no other way to know, so processes exchange the loads of their routes through the database.

import { Counter } from '../../collections/small-maps.ts';
import type { RouteLoad } from '../../db/delivery/route-loads.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { EngineContext } from '../context.ts';
import type { Dispatcher } from './dispatcher.ts';

/** Messages of a route with a longer queue here are not claimed: they wait in the database, where other processes may claim them. */
const claimAheadMs = 1_000;

export class Backlog {
  readonly #context: EngineContext;
  readonly #dispatcher: Dispatcher;
  readonly #routeLoads: RouteLoads;
  /** This process's loads as they are stored. */
  #stored = '{}';

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

  /** Whether this process, which can send on the route, is free to take what waits for it in the database. */
  isShort(route: string): boolean {
    return (this.ms(route) ?? 0) < claimAheadMs;
  }

  /** Loads of this process's routes for the others, in JSON; null = as they were last stored. */
  changed(): string | null {
    const loads = JSON.stringify(this.#own());
    return loads === this.#stored ? null : loads;
  }

  /** What `changed` said is stored. */
  stored(loads: string): void {
    this.#stored = loads;
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

/** Loads of routes that this process has no bind for: stored with each pulse of the processes with a bind, plus what waits in the database. */
export class RouteLoads {
  readonly #db: SessionStore;
  #loads = new Map<string, RouteLoad>();
  /** Messages left by this process to others since `#loads` were read, by route. */
  #left = new Counter();
  /** Set when a caller has wanted another process's load: `read` is to be called, once a second at most. */
  readonly wanted = new Wakeup();

  constructor(db: SessionStore) {
    this.#db = db;
  }

  /** A message was stored for a process that has the route. */
  leftToOthers(route: string): void {
    this.#left.add(route, 1);
  }

  /** Ms until the fleet would send a new message with `more` before it; null while no load of the route is known. */
  backlogMs(route: string, more: number): number | null {
    this.wanted.set();
    const load = this.#loads.get(route);
    if (!load || load.perSecond <= 0) return null;
    return ((load.waiting + this.#left.of(route) + more) / load.perSecond) * 1000;
  }

  async read(): Promise<void> {
    this.#left = new Counter();
    this.#loads = await this.#db.readRouteLoads();
  }
}
