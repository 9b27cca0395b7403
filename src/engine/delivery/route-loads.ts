// How long a message would wait for a route this process has no bind for: what those that have one tell once a second, and
// what lies in the database for them.

import { Counter } from '../../collections/counter.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Messages waiting in one process, and how many a second it can send. */
export interface RouteLoad {
  waiting: number;
  perSecond: number;
}

export interface RouteLoadsOptions {
  db: Queryable;
  processId: string;
}

/** Stored messages counted: at any rate there is, more is more than a leg lasts. */
const mostCounted = 10_000;

const tellText = 'update process set routes = $2::jsonb where id = $1';

const askText = `
with told as (
  select r.key as route, (r.value ->> 'waiting')::double precision as waiting, (r.value ->> 'perSecond')::double precision as per_second
  from process p cross join lateral jsonb_each(p.routes) r where p.lease_until > now()
),
stored as (
  select substr(holder, 7) as route, 1 as waiting, 0 as per_second
  from (select holder from verify_session where holder >= 'route/' and holder < 'route0' limit ${mostCounted}) s
)
select route, sum(waiting) as waiting, sum(per_second) as per_second
from (select * from told union all select * from stored) loads group by route`;

export class RouteLoads {
  readonly #options: RouteLoadsOptions;
  #loads = new Map<string, RouteLoad>();
  /** Left by this process for others since `#loads` were read, by route. */
  #left = new Counter();
  #asked = false;
  #told = '{}';

  constructor(options: RouteLoadsOptions) {
    this.#options = options;
  }

  /** A message was stored for whoever has the route. */
  left(route: string): void {
    this.#left.add(route, 1);
  }

  /** Ms until the fleet would send a new message with `more` before it; null while nobody has said. At most a second old. */
  backlogMs(route: string, more: number): number | null {
    this.#asked = true;
    const load = this.#loads.get(route);
    if (!load || load.perSecond <= 0) return null;
    return ((load.waiting + this.#left.of(route) + more) / load.perSecond) * 1000;
  }

  /** Tells the others what waits here, where it has changed, and asks them where somebody here wants to know. Once a second. */
  async exchange(own: Readonly<Record<string, RouteLoad>>): Promise<void> {
    const { db, processId } = this.#options;
    const text = JSON.stringify(own);
    if (text !== this.#told) {
      await db.query({ name: 'routes.tell', text: tellText, values: [processId, text] });
      this.#told = text;
    }
    if (!this.#asked) return;
    this.#asked = false;
    this.#left = new Counter();
    const { rows } = await db.query<{ route: string; waiting: number; per_second: number }>({
      name: 'routes.ask',
      text: askText,
      values: [],
    });
    this.#loads = new Map(rows.map((row) => [row.route, { waiting: row.waiting, perSecond: row.per_second }]));
  }
}
