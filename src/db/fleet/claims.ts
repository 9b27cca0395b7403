// Sessions that need another process's attention: overdue deadlines, and messages left by dead processes or waiting for a route. A claim
// makes the rows this process's in one statement, so that two processes never send one message. On a healthy day there are few.

import type { Queryable } from '../queryable.ts';
import type { SessionKey } from '../verify/load.ts';
import { heldByProcess, holderOfProcess, processHolder, routeHolder } from './holder.ts';

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

/** Claims what waits for one of the routes. */
export function claimRoutes(db: Queryable, processId: string, routes: readonly string[], limit: number) {
  return claim(db, 'sweep.routes', processId, [routes.map(routeHolder), limit], `holder = any ($2::text[])`);
}

/** Claims what processes held whose lease has ended. */
export function claimOrphans(db: Queryable, processId: string, limit: number) {
  const held = `${heldByProcess('holder')} and holder <> $1
    and not exists (select from process p where p.lease_until > now() and holder = ${holderOfProcess('p.id')})`;
  return claim(db, 'sweep.orphans', processId, [limit], held);
}

/** What this process holds, in the order of session ids, from the one behind `after` on. */
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
