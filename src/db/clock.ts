// The time that ages are counted to, wherever something is deleted for its age. A clock of one host that jumps ahead makes everything look
// old: a process that believed it would delete, for all others too, what is to be kept.

import { type Kysely, sql } from 'kysely';

/** `now` (Unix ms), or the database's time where that is earlier. */
export async function earlierTime<Schema>(db: Kysely<Schema>, now: number): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as at`.execute(db);
  return Math.min(now, Math.floor(rows[0]?.at ?? 0));
}
