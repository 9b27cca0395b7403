// How long a message would wait for a route this process has no bind for: what processes with a bind say once a second, and
// what lies in the database for them.

import { Counter } from '../../collections/counter.ts';
import { type RouteLoad, readRouteLoads, storeRouteLoads } from '../../db/delivery/route-loads.ts';
import type { Queryable } from '../../db/queryable.ts';

export interface RouteLoadsOptions {
  db: Queryable;
  processId: string;
}

export class RouteLoads {
  readonly #options: RouteLoadsOptions;
  #loads = new Map<string, RouteLoad>();
  /** Left by this process for others since `#loads` were read, by route. */
  #left = new Counter();
  #asked = false;
  #said = '{}';

  constructor(options: RouteLoadsOptions) {
    this.#options = options;
  }

  /** A message was stored for a process that has the route. */
  left(route: string): void {
    this.#left.add(route, 1);
  }

  /** Ms until the fleet would send a new message with `more` before it; null while no process has said. At most a second old. */
  backlogMs(route: string, more: number): number | null {
    this.#asked = true;
    const load = this.#loads.get(route);
    if (!load || load.perSecond <= 0) return null;
    return ((load.waiting + this.#left.of(route) + more) / load.perSecond) * 1000;
  }

  /** Says what waits here, where it has changed, and asks the others where a caller here wanted to know. Once a second. */
  async exchange(own: Readonly<Record<string, RouteLoad>>): Promise<void> {
    const { db, processId } = this.#options;
    const text = JSON.stringify(own);
    if (text !== this.#said) {
      await storeRouteLoads(db, processId, text);
      this.#said = text;
    }
    if (!this.#asked) return;
    this.#asked = false;
    this.#left = new Counter();
    this.#loads = await readRouteLoads(db);
  }
}
