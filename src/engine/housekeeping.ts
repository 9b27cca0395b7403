// Once an hour: partitions made and dropped, small tables trimmed. Nothing on the hot path waits for it.

import { type Kysely, sql } from 'kysely';
import { dropExpiredPartitions, ensurePartitions } from '../db/partitions.ts';

const dayMs = 86_400_000;

/** Safe to run in several processes at once. */
export async function keepHouse(db: Kysely<unknown>, now: number, retentionDays: number): Promise<void> {
  await ensurePartitions(db, now, retentionDays);
  await dropExpiredPartitions(db, now, retentionDays);
  const before = (ms: number) => sql`to_timestamp(${(now - ms) / 1000})`;
  await sql`delete from idempotency where created_at < ${before(dayMs)}`.execute(db);
  await sql`delete from number_failure where window_ends_at < ${before(0)}`.execute(db);
  // A bucket untouched for two days is full again, whatever its rate.
  await sql`delete from rate_bucket where updated_at < ${before(2 * dayMs)}`.execute(db);
  await sql`delete from parked_receipt where received_at < ${before(retentionDays * dayMs)}`.execute(db);
}
