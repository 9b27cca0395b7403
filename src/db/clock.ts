// The earlier or the later of two times, this host's and the database's. Rows are deleted by their age: on a host whose clock jumps ahead
// everything looks old, and a process that went by that clock alone would delete what all others are still to keep.

import { type Kysely, sql } from 'kysely';

/** How far the clocks of a host and of the database may be apart at a start, ms: as long as a lease. */
export const mostApartMs = 3_000;

/** `now` (Unix ms), or the database's time where that is earlier. */
export async function earlierTime<Schema>(db: Kysely<Schema>, now: number): Promise<number> {
  return Math.min(now, await databaseTime(db));
}

async function databaseTime<Schema>(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as at`.execute(db);
  return Math.floor(rows[0]?.at ?? 0);
}

/** `now` (Unix ms), or the database's time where that is later: by a clock that is behind, what was stored just now would lie in the future. */
export const laterTime = async <Schema>(db: Kysely<Schema>, now: number): Promise<number> =>
  Math.max(now, await databaseTime(db));
