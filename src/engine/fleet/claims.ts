// What nobody else does: deadlines whose owner died, messages left by dead processes or waiting for a route this process
// has, receipts that can be matched by now. Each sweep finds nothing on a quiet, healthy day.

import { processHolder, routeHolder } from '../../db/fleet/holder.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionKey } from '../../db/verify/load.ts';

interface KeyRow {
  account_id: string;
  id: string;
}

const toKey = ({ account_id, id }: KeyRow): SessionKey => ({ accountId: account_id, id });

/** Sessions whose deadline passed `graceMs` ago and is still there: their process's own timer should have done it. */
export async function overdue(db: Queryable, graceMs: number, limit: number): Promise<SessionKey[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'sweep.overdue',
    text: `select account_id, id from verify_session
      where next_at < now() - $1::integer * interval '1 millisecond' order by next_at limit $2`,
    values: [graceMs, limit],
  });
  return rows.map(toKey);
}

/** Takes over what waits for a route: the rows become this process's, so that two processes never send one message. */
export function claimRoutes(db: Queryable, processId: string, routes: readonly string[], limit: number) {
  return claim(db, 'sweep.routes', processId, [routes.map(routeHolder), limit], `holder = any ($2::text[])`);
}

/** Takes over what processes held whose lease has ended. */
export function claimOrphans(db: Queryable, processId: string, limit: number) {
  const held = `holder >= 'process/' and holder < 'process0' and holder <> $1
    and not exists (select from process p where p.lease_until > now() and holder = 'process/' || p.id)`;
  return claim(db, 'sweep.orphans', processId, [limit], held);
}

/** What this process holds, by session id; `after` the last one of the page before. */
export async function heldBy(db: Queryable, processId: string, after: string, limit: number): Promise<SessionKey[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'sweep.held',
    text: 'select account_id, id from verify_session where holder = $1 and id > $2 order by id limit $3',
    values: [processHolder(processId), after, limit],
  });
  return rows.map(toKey);
}

/** The version is raised: whoever still has the session in memory finds out at its next save. */
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

export interface Repeated {
  everyMs: number;
  /** The pause after a run that threw. Default: as after any other. */
  afterErrorMs?: number;
  run(): Promise<unknown>;
  onError(error: unknown): void;
}

/** Repeats `run` with a pause between two runs, until stopped. A run that throws is reported and the loop goes on. */
export function repeat({ everyMs, afterErrorMs = everyMs, run, onError }: Repeated): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let wake = () => {};
  const loop = async () => {
    while (!stopped) {
      let pauseMs = everyMs;
      await run().catch((error: unknown) => {
        pauseMs = afterErrorMs;
        onError(error);
      });
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopped = true;
      wake();
      return done;
    },
  };
}
