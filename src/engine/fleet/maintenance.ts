// Hourly maintenance of the tables: partitions are made and dropped, small tables trimmed. Every task is tried, because none of them
// needs another.

import { forgetAuditEvents } from '../../db/accounts/audit-list.ts';
import { earlierTime } from '../../db/clock.ts';
import {
  deleteAnswers,
  deleteBuckets,
  deleteBudgets,
  deleteNumberFailures,
  deleteParked,
  deleteStranded,
  type Retention,
} from '../../db/fleet/maintenance.ts';
import type { Dropped } from '../../db/partitions/drop.ts';
import { dropExpiredPartitions, ensurePartitions } from '../../db/partitions.ts';
import { maintainRollups } from '../../db/reports/rollups.ts';
import type { UntypedDb } from '../../db/schema.ts';
import { deleteExpiredSecrets } from '../../db/webhooks/endpoints.ts';
import { dayMs } from '../../time/wall-clock.ts';

/** What was done with partitions, for the log. */
export interface Maintained extends Dropped {
  made: string[];
}

/**
 * Safe to run in several processes at once. Partitions are made for the ids that this process makes now, by its own clock; what is old enough
 * to be deleted the database's clock has to say, too. @throws after every task was tried, when one of them failed.
 * @param stopping once it is aborted, no task and no batch of one begins: the process is to end, and what is left is done an hour later.
 */
export async function runMaintenance(
  db: UntypedDb,
  now: number,
  { retentionDays, reportRetentionDays, auditRetentionDays }: Omit<Retention, 'closedAccountDays'>,
  stopping?: AbortSignal,
): Promise<Maintained> {
  const done: Maintained = { made: [], dropped: [], postponed: [] };
  const deletions = (at: number): (() => Promise<unknown>)[] => {
    const keptSince = at - retentionDays * dayMs;
    return [
      async () => Object.assign(done, await dropExpiredPartitions(db, at, retentionDays, stopping)),
      () => deleteAnswers(db, at - dayMs, stopping),
      () => deleteNumberFailures(db, { now: at, keptSince }, stopping),
      // A bucket untouched for two days is full again, whatever its rate.
      () => deleteBuckets(db, at - 2 * dayMs, stopping),
      () => deleteBudgets(db, stopping),
      () => deleteParked(db, keptSince, stopping),
      () => deleteStranded(db, keptSince, stopping),
      () => deleteExpiredSecrets(db, at, stopping),
      () => maintainRollups(db, at - reportRetentionDays * dayMs, stopping),
      () => forgetAuditEvents(db, at - auditRetentionDays * dayMs, stopping),
    ];
  };
  const failures: unknown[] = [];
  const tryEach = async (tasks: readonly (() => Promise<unknown>)[]) => {
    for (const task of tasks) {
      if (stopping?.aborted) return;
      await task().catch((error) => {
        failures.push(error);
      });
    }
  };
  await tryEach([
    async () => done.made.push(...(await ensurePartitions(db, now, retentionDays))),
    async () => tryEach(deletions(await earlierTime(db, now))),
  ]);
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'maintenance of the tables failed');
  return done;
}
