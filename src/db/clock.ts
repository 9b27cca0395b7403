// The time by two clocks, wherever something is deleted. A clock of one host that jumps ahead makes everything look old: a process that believed it
// would delete, for all others too, what is to be kept.

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

/** `now` (Unix ms), or the database's time where that is later: what a clock that is behind would call still to come has been. */
export const laterTime = async <Schema>(db: Kysely<Schema>, now: number): Promise<number> =>
  Math.max(now, await databaseTime(db));
