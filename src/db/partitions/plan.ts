// The plan of partitions: the ranges that are missing or expired. Pure. Existing ones count as they are, whatever settings they were made with.

import { lowestId, timeOf } from '../../core/ids.ts';

/** A partition holds ids from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  from: string;
  to: string;
}

/** Bounds that are open: before and behind every id. */
export const lowest = '';
export const highest = '~';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Partitions that hold rows stay few: a look-up without a time walks over all of them. */
const mostWithRows = 8;
/** There is room for at least this many spans after now, and for at least so many days. */
const spansAhead = 2;
const leastAheadMs = 3 * dayMs;
/** A process whose clock is late makes ids of the day before. */
const clockSlackMs = hourMs;

/** Length of a new partition, so that `retentionDays` of rows lie in few. */
export const spanMsFor = (retentionDays: number): number =>
  Math.max(1, Math.ceil(retentionDays / (mostWithRows - 2))) * dayMs;

/** The ranges to make so that every id from today on, and several spans ahead, has its partition: gaps first. */
export function missingRanges(prefix: string, have: readonly Range[], now: number, spanMs: number): Range[] {
  const sorted = inOrder(have);
  const until = lowestId(prefix, now + Math.max(spansAhead * spanMs, leastAheadMs));
  const unit = sorted.length === 0 ? spanMs : dayMs;
  const missing: Range[] = [];
  let at = lowestId(prefix, Math.floor((now - clockSlackMs) / unit) * unit);
  while (at < until) {
    const next = sorted.find(({ to }) => to > at);
    if (next && next.from <= at) {
      at = next.to;
      continue;
    }
    const whole = lowestId(prefix, timeOf(at) + spanMs);
    const to = next && next.from < whole ? next.from : whole;
    missing.push({ from: at, to });
    at = to;
  }
  return missing;
}

/** Until when every id from `now` on has its partition, Unix ms; `now` itself where there is none for it. */
export function coveredUntil(prefix: string, have: readonly Range[], now: number): number {
  let at = lowestId(prefix, now);
  for (const { from, to } of inOrder(have)) {
    if (to === highest && from <= at) return Number.POSITIVE_INFINITY;
    if (from <= at && to > at) at = to;
  }
  return timeOf(at);
}

/** Whether even its youngest row is past retention. */
export const isExpired = ({ to }: Range, now: number, retentionDays: number): boolean =>
  to !== highest && timeOf(to) < now - retentionDays * dayMs;

const inOrder = (ranges: readonly Range[]): Range[] =>
  ranges.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));

const bound = /^FOR VALUES FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$/;

/** The range in the text of `pg_get_expr(relpartbound, oid)`; null for a partition without bounds (DEFAULT). */
export function parseBound(text: string): Range | null {
  const found = bound.exec(text);
  return found && { from: found[1] ?? lowest, to: found[2] ?? highest };
}
