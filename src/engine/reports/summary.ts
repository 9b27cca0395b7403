// Summaries for accounts: sums of their rollups over a time, from every database, and until when they are complete. The times are those at
// which rows begin: minutes, and hours once minutes are folded.

import { coveredBy } from '../../core/reports/rollup.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Reads } from '../../db/queryable.ts';
import { countedUntil, type Division, type ReportRow, readReport } from '../../db/reports/report.ts';
import { dayMs, minuteMs } from '../../time/wall-clock.ts';

export type SummaryGroup = Extract<Division, 'day' | 'hour' | 'operator' | 'channel'>;

export interface SummaryRequest {
  accountId: string;
  mode: Mode;
  /** Unix ms; null = a day before `until`. */
  since: number | null;
  /** Unix ms; null = now. */
  until: number | null;
  groupBy: readonly SummaryGroup[];
}

export interface Summary {
  kind: 'summed';
  /** As they were counted, Unix ms. */
  since: number;
  until: number;
  countedUntil: number | null;
  /** `by` is in the order of `groups`. */
  groups: readonly SummaryGroup[];
  rows: readonly ReportRow[];
}

/** A clause that says what is wrong with the field. */
export interface SummaryRefused {
  kind: 'refused';
  field: 'since' | 'group_by';
  reason: string;
}

const mostDays = { byHour: 31, other: 400 };
/** Rows of one answer. */
const mostRows = 10_000;
/** The highest count of a row: counts are int32 in the contract. */
const mostCounted = 2 ** 31 - 1;

/** Rows are in this order. */
const order: readonly SummaryGroup[] = ['day', 'hour', 'operator', 'channel'];

export class Summaries {
  readonly #dbs: readonly Reads[];
  readonly #now: () => number;

  /** `dbs`: each of the deployment, for lists. */
  constructor(dbs: readonly Reads[], now: () => number) {
    this.#dbs = dbs;
    this.#now = now;
  }

  async of({ accountId, mode, groupBy, ...asked }: SummaryRequest): Promise<Summary | SummaryRefused> {
    const now = this.#now();
    const asUntil = asked.until ?? now + 1;
    const asSince = asked.since ?? asUntil - dayMs;
    const { since, until } = coveredBy({ since: asSince, until: asUntil }, now);
    if (asSince >= asUntil) return { kind: 'refused', field: 'since', reason: 'must be before until' };
    const most = groupBy.includes('hour') ? mostDays.byHour : mostDays.other;
    // What was rounded is not the caller's.
    if (asUntil - asSince > most * dayMs + minuteMs) {
      const rows = groupBy.includes('hour') ? ' where rows are hours' : '';
      return { kind: 'refused', field: 'since', reason: `must be at most ${most} days before until${rows}` };
    }
    const groups = order.filter((each) => groupBy.includes(each));
    if (groups.includes('day') && groups.includes('hour')) {
      return { kind: 'refused', field: 'group_by', reason: 'can not have both day and hour' };
    }
    // First, so that what it says is true of the rows.
    const counted = await countedUntil(this.#dbs);
    const request = { since, until, accountId, mode, by: groups, limit: mostRows + 1 };
    const rows = await readReport(this.#dbs, request);
    if (rows.length > mostRows) {
      return { kind: 'refused', field: 'group_by', reason: `gives more than ${mostRows} rows: ask for a shorter time` };
    }
    if (rows.some(({ counts }) => Math.max(...Object.values(counts)) > mostCounted)) {
      return {
        kind: 'refused',
        field: 'since',
        reason: `must be later: a row counts more than ${mostCounted}`,
      };
    }
    const sorted = rows.toSorted(({ by: one }, { by: other }) => (one.join('\n') < other.join('\n') ? -1 : 1));
    return { kind: 'summed', since, until, countedUntil: counted, groups, rows: sorted };
  }
}
