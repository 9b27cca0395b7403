// Loads of routes: what waits for them in each process and in the database, and how fast they send. Each process stores its loads in its
// row with its pulse (db/fleet/pulse.ts), because a process without a bind has no other way to know.

import type { Queryable } from '../queryable.ts';

/** Messages waiting, and how many a second are sent. */
export interface RouteLoad {
  waiting: number;
  perSecond: number;
}

/** Most stored messages counted: more of them wait longer than a leg lasts, at any rate. */
const mostCounted = 10_000;

const readText = `
with own as (
  select r.key as route, (r.value ->> 'waiting')::double precision as waiting, (r.value ->> 'perSecond')::double precision as per_second
  from process p cross join lateral jsonb_each(p.routes) r where p.lease_until > now()
),
stored as (
  select route, 1 as waiting, 0 as per_second from (select route from route_queue limit ${mostCounted}) q
)
select route, sum(waiting) as waiting, sum(per_second) as per_second
from (select * from own union all select * from stored) loads group by route`;

/** Sums over live processes and stored sessions, by route. */
export async function readRouteLoads(db: Queryable): Promise<Map<string, RouteLoad>> {
  type Row = { route: string; waiting: number; per_second: number };
  const { rows } = await db.query<Row>({ name: 'routes.ask', text: readText, values: [] });
  return new Map(rows.map((row) => [row.route, { waiting: row.waiting, perSecond: row.per_second }]));
}
