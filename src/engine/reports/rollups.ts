// The projection of rollups: each committed change adds to counters what it changed, exactly once. A process adds up its own changes in
// memory; what one committed and had not added when it died is counted from the sessions themselves.
//
// Why once: a batch is added in one transaction with its number, so that one whose answer was lost is recognised. A change carries the id of
// the transaction that saved it; where its span was counted from the sessions meanwhile, the snapshot of that count says whether it is in it.

import { minuteOf, type Rollup, rollupsOf, summed } from '../../core/reports/rollup.ts';
import {
  addRollups,
  type BatchStart,
  hoursOfReceipts,
  type Purged,
  projector,
  type Rebuilt,
  rebuildRollups,
} from '../../db/reports/rollups.ts';
import type { UntypedDb } from '../../db/schema.ts';
import { hourMs, minuteMs } from '../../time/wall-clock.ts';
import type { Projection } from './projector.ts';

/** What a change adds to one row, and the transaction that saved the change (`pg_current_xact_id()`); null where there was none. */
export interface RollupChange {
  rollup: Rollup;
  transaction: string | null;
}

export interface RollupsOptions {
  db: UntypedDb;
  processId: string;
  /** Sessions that are kept no longer can't be counted once more. */
  settings: { readonly config: { readonly service: { readonly retentionDays: number } } };
  purged: Purged;
}

/** Longer than any session lives. Older ones change by their receipts alone. */
const longestLifeMs = 2 * hourMs;
/** Counted at once: at 1,000 sends a second, 300,000 sessions. */
const spanMs = 5 * minuteMs;
/** Minutes are kept for longer than this: spans that are older are whole hours. */
const minutesMs = 25 * hourMs;

export function rollups({ db, processId, settings, purged }: RollupsOptions): Projection<RollupChange> {
  let last = 0;
  /** Batches whose answer was lost, and of how many changes each was: those come again, in front of the others. */
  const unknown = new Map<number, number>();

  async function project(changes: readonly RollupChange[], at: number): Promise<void> {
    const choose = ({ batch: stored, rebuilt }: BatchStart) => {
      const done = unknown.get(stored ?? 0) ?? 0;
      last = Math.max(last, stored ?? 0) + 1;
      unknown.set(last, changes.length);
      const added = changes.slice(done).filter((change) => !isCounted(change, rebuilt));
      return { batch: last, rollups: summed(added.map(({ rollup }) => rollup)) };
    };
    await addRollups(db, { processId, doneUntil: at, choose });
    unknown.clear();
  }

  return {
    name: projector,
    everyMs: 1_000,
    mostWaiting: 200_000,
    rowsOf: ({ before, session, transaction }) =>
      rollupsOf(before, session).map((rollup) => ({ rollup, transaction: transaction ?? null })),
    project,
    /** Spans of sessions that may have changed since, oldest first; then the hours of older sessions that had receipts since. */
    async repair(since, after, at) {
      // Partitions go when all in them is older than that: an hour of which sessions are gone must not be counted again.
      const oldest = at - (settings.config.service.retentionDays * 24 - 1) * hourMs;
      const first = Math.floor((since - longestLifeMs) / hourMs) * hourMs;
      const begin = after === '' ? Math.max(first, Math.ceil(oldest / hourMs) * hourMs) : Number(after);
      if (begin <= at) {
        const end = begin + (begin < at - minutesMs ? hourMs : spanMs);
        await rebuildRollups(db, begin, end, purged);
        return String(end);
      }
      for (const hour of await hoursOfReceipts(db, since, first)) {
        if (hour >= oldest) await rebuildHour(hour, at);
      }
      return null;
    },
  };

  async function rebuildHour(hour: number, at: number): Promise<void> {
    if (hour < at - minutesMs) return rebuildRollups(db, hour, hour + hourMs, purged);
    for (let from = hour; from < hour + hourMs; from += spanMs) await rebuildRollups(db, from, from + spanMs, purged);
  }
}

/** Whether the change is in a count of its span that was made after it was committed. */
function isCounted({ rollup, transaction }: RollupChange, rebuilt: readonly Rebuilt[]): boolean {
  if (transaction === null) return false;
  const at = minuteOf(rollup.dimensions.at);
  return rebuilt.some(({ since, until, snapshot }) => since <= at && at < until && isVisible(transaction, snapshot));
}

/** `pg_visible_in_snapshot`: `snapshot` is `xmin:xmax:` and a list of those in between that were not committed. */
function isVisible(transaction: string, snapshot: string): boolean {
  const [xmin = '', xmax = '', underWay = ''] = snapshot.split(':');
  const id = BigInt(transaction);
  if (id < BigInt(xmin)) return true;
  return id < BigInt(xmax) && !underWay.split(',').includes(transaction);
}
