// Holders of rows: the format of the `holder` column, and the leases of processes. `process/<id>` stands for the process that acts on a row,
// `route/<route>` for a row that waits for a process with that route. Values and SQL fragments are made here alone, because
// rows of dead processes are found by comparing the two. Claims, which change holders: claims.ts.

import type { Queryable } from '../queryable.ts';

const processPrefix = 'process/';
const routePrefix = 'route/';

export const processHolder = (processId: string): string => processPrefix + processId;
const routeHolder = (route: string): string => routePrefix + route;

/** The route that a row with this holder waits for; null where it does not wait for one. */
export const routeHeldBy = (holder: string | null): string | null =>
  holder?.startsWith(routePrefix) ? holder.slice(routePrefix.length) : null;

/** What decides where a message waits. */
interface Routed {
  canSend(route: string): boolean;
  queueOf(route: string): string;
}

/** Holder of a message that is to go out: `self`, this process, where it has the route; else the route in whose queue the message waits. */
export const holderForRoute = (route: string, self: string, channels: Routed): string =>
  channels.canSend(route) ? self : routeHolder(channels.queueOf(route));

/**
 * A range: '0' is the octet after '/'. Of octets, also where the value is that of a parameter and not of the column: the database's own collation
 * may pass over '/'.
 */
const startsWith = (column: string, prefix: string): string =>
  `${column} collate "C" >= '${prefix}' and ${column} collate "C" < '${prefix.slice(0, -1)}0'`;

/** SQL: holder of the process whose id is in column `id`. */
export const holderOfProcess = (id: string): string => `'${processPrefix}' || ${id}`;
/** SQL: whether a process holds the row whose lease has ended. */
export const heldByDead = (column: string): string => `${startsWith(column, processPrefix)}
    and not exists (select from process p where p.id = substr(${column}, ${processPrefix.length + 1}) and p.lease_until > now())`;
/** SQL: whether the row waits for a route. */
export const waitsForRoute = (column: string): string => startsWith(column, routePrefix);
/** SQL: the holder of a row that waits for the route in a column. */
export const holderOfRoute = (route: string): string => `'${routePrefix}' || ${route}`;
/** SQL: the route that a row waits for. */
export const routeOfHolder = (column: string): string => `substr(${column}, ${routePrefix.length + 1})`;

/** Another process. */
export interface OtherProcess {
  id: string;
  /** Ms until its lease ends; zero or less where it has ended. */
  leftMs: number;
}

/**
 * Renews the lease of a process, or begins it, and deletes processes whose lease ended long ago. Returns the others whose lease runs, or
 * ended within the last minute. Leases are counted by the database's clock, because the clocks of hosts differ.
 */
export async function renewLease(db: Queryable, processId: string, leaseMs: number): Promise<OtherProcess[]> {
  const { rows } = await db.query<{ id: string; left_ms: number }>({
    name: 'process.renew',
    text: `with gone as (delete from process where lease_until < now() - interval '1 hour'),
        renewed as (
          insert into process (id, started_at, lease_until)
          values ($1, now(), now() + $2::integer * interval '1 millisecond')
          on conflict (id) do update set lease_until = excluded.lease_until)
      select id, (extract(epoch from lease_until - now()) * 1000)::double precision as left_ms
      from process where id <> $1 and lease_until > now() - interval '1 minute'`,
    values: [processId, leaseMs],
  });
  return rows.map(({ id, left_ms }) => ({ id, leftMs: left_ms }));
}

/** Ends the lease. The row stays: what the process held is found by it. */
export async function endLease(db: Queryable, processId: string): Promise<void> {
  const text = 'update process set lease_until = now() where id = $1';
  await db.query({ name: 'process.leave', text, values: [processId] });
}
