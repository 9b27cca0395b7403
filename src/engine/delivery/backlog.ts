// How long a route's queue is: here, for a route that this process can send on, else in the whole fleet.

import type { RouteLoad } from '../../db/delivery/route-loads.ts';
import type { EngineContext } from '../context.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { RouteLoads } from './route-loads.ts';

/** Of a route with a longer queue here nothing more is claimed: it may wait in the database, where others may find it. */
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

  /** Says what waits for this process's routes, and asks what waits for those of the others. Once a second. */
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
