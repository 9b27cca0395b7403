// Once an hour: partitions made and dropped, small tables trimmed. Nothing on the hot path waits for it.

import { type Kysely, sql } from 'kysely';
import type { Dropped } from '../../db/partitions/drop.ts';
import { dropExpiredPartitions, ensurePartitions } from '../../db/partitions.ts';

const dayMs = 86_400_000;

/** What was done with partitions, for the log. */
export interface Kept extends Dropped {
  made: string[];
}

/** Safe to run in several processes at once. @throws after everything was tried, when something of it failed. */
export async function keepHouse(db: Kysely<unknown>, now: number, retentionDays: number): Promise<Kept> {
  const kept: Kept = { made: [], dropped: [], postponed: [] };
  const before = (ms: number) => sql`to_timestamp(${(now - ms) / 1000})`;
  const tasks: (() => Promise<unknown>)[] = [
    async () => kept.made.push(...(await ensurePartitions(db, now, retentionDays))),
    async () => Object.assign(kept, await dropExpiredPartitions(db, now, retentionDays)),
    () => sql`delete from idempotency where created_at < ${before(dayMs)}`.execute(db),
    // Rows in use are left for the next hour: in which order a save locks its numbers is not the order here. A lock counts until it is
    // lifted, wrong codes in a row for as long as their number may be kept.
    () =>
      sql`delete from number_failure where ctid = any(array(
        select ctid from number_failure
        where window_ends_at < ${before(0)} and not needs_unlock
          and (failures_in_row = 0 or window_ends_at < ${before(retentionDays * dayMs)})
        for update skip locked))`.execute(db),
    // A bucket untouched for two days is full again, whatever its rate.
    () =>
      sql`delete from rate_bucket where ctid = any(array(
        select ctid from rate_bucket where updated_at < ${before(2 * dayMs)} for update skip locked))`.execute(db),
    () => sql`delete from parked_receipt where received_at < ${before(retentionDays * dayMs)}`.execute(db),
  ];
  const failures: unknown[] = [];
  for (const task of tasks) {
    await task().catch((error) => {
      failures.push(error);
    });
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'housekeeping failed');
  return kept;
}
