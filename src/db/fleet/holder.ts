// Holders of rows: the format of the `holder` column, the leases of processes, and the claims that change the holder of a session.
// `process/<id>` stands for the process that acts on a row, `route/<route>` for a row that waits for a process with that route. Values and
// SQL fragments are made here alone, because rows of dead processes are found by comparing the two. A claim is
// one statement, so that two processes never send one message.

import type { Queryable } from '../queryable.ts';
import type { SessionKey } from '../verify/sessions.ts';

const processPrefix = 'process/';
const routePrefix = 'route/';

export const processHolder = (processId: string): string => processPrefix + processId;
const routeHolder = (route: string): string => routePrefix + route;

/** Holder of a message that is to go out: `self`, this process, where it has the route; else the route. */
export const holderForRoute = (route: string, self: string, canSend: (route: string) => boolean): string =>
  canSend(route) ? self : routeHolder(route);

/** A range over the column's index: '0' is the character after '/'. */
const startsWith = (column: string, prefix: string): string =>
  `${column} >= '${prefix}' and ${column} < '${prefix.slice(0, -1)}0'`;

/** SQL: holder of the process whose id is in column `id`. */
export const holderOfProcess = (id: string): string => `'${processPrefix}' || ${id}`;
/** SQL: whether a process holds the row. */
const heldByProcess = (column: string): string => startsWith(column, processPrefix);
/** SQL: whether the row waits for a route. */
export const waitsForRoute = (column: string): string => startsWith(column, routePrefix);
/** SQL: the route that a row waits for. */
export const routeOfHolder = (column: string): string => `substr(${column}, ${routePrefix.length + 1})`;

/** Another process. */
export interface OtherProcess {
  id: string;
  /** Until its lease ends, ms; zero or less where it has ended. */
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

interface KeyRow {
  account_id: string;
  id: string;
}

const toKey = ({ account_id, id }: KeyRow): SessionKey => ({ accountId: account_id, id });

/** Sessions whose deadline passed `graceMs` ago and still stands: the timer of their own process should have handled it. */
export async function overdue(db: Queryable, graceMs: number, limit: number): Promise<SessionKey[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'sweep.overdue',
    text: `select account_id, id from verify_session
      where next_at < now() - $1::integer * interval '1 millisecond' order by next_at limit $2`,
    values: [graceMs, limit],
  });
  return rows.map(toKey);
}

/** Claims sessions that wait for one of the routes. */
export function claimRoutes(db: Queryable, processId: string, routes: readonly string[], limit: number) {
  return claim(db, 'sweep.routes', processId, [routes.map(routeHolder), limit], `holder = any ($2::text[])`);
}

/** Claims sessions held by processes whose lease has ended. */
export function claimOrphans(db: Queryable, processId: string, limit: number) {
  const held = `${heldByProcess('holder')} and holder <> $1
    and not exists (select from process p where p.lease_until > now() and holder = ${holderOfProcess('p.id')})`;
  return claim(db, 'sweep.orphans', processId, [limit], held);
}

/** A call, its session, and the id of the process that made it. */
export interface HeldCall {
  session: SessionKey;
  messageId: string;
  holder: string;
}

/** Calls that are not over and whose process is dead. They are not claimed: only one process can save that a call is lost. */
export async function lostCalls(db: Queryable, processId: string, limit: number): Promise<HeldCall[]> {
  type Row = { account_id: string; session_id: string; id: string; holder: string };
  const { rows } = await db.query<Row>({
    name: 'sweep.calls',
    text: `select account_id, session_id, id, holder from message
      where holder is not null and holder <> $1
        and not exists (select from process p where p.lease_until > now() and p.id = holder) limit $2`,
    values: [processId, limit],
  });
  return rows.map(({ account_id, session_id, id, holder }) => ({
    session: { accountId: account_id, id: session_id },
    messageId: id,
    holder,
  }));
}

/** Sessions that this process holds, in the order of their ids, from the one after `after` on. */
export async function heldBy(db: Queryable, processId: string, after: string, limit: number): Promise<SessionKey[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'sweep.held',
    text: 'select account_id, id from verify_session where holder = $1 and id > $2 order by id limit $3',
    values: [processHolder(processId), after, limit],
  });
  return rows.map(toKey);
}

/** The version is raised: a process that still has the session in memory finds out at its next save. */
async function claim(
  db: Queryable,
  name: string,
  processId: string,
  values: unknown[],
  condition: string,
): Promise<SessionKey[]> {
  const { rows } = await db.query<KeyRow>({
    name,
    text: `with found as materialized (
        select account_id, id from verify_session where ${condition} order by id limit $${values.length + 1}
        for update skip locked)
      update verify_session s set holder = $1, version = s.version + 1
      from found f where s.account_id = f.account_id and s.id = f.id returning s.account_id, s.id`,
    values: [processHolder(processId), ...values],
  });
  return rows.map(toKey);
}
