// The sends of accounts to numbers on an allow list, which the rule about conversion must not count. Rollups know no numbers, so these sessions
// are read themselves where a list is finer than a prefix. The rule asks every few seconds about two hours: minutes that are settled are read
// once and remembered, as counts without their numbers.

import { BoundedMap } from '../../collections/small-maps.ts';
import { isSameList, type NumberList } from '../../core/limits/lists.ts';
import { type Cohort, conversionMs } from '../../core/limits/prefix-conversion.ts';
import { minuteOf, prefixOf } from '../../core/reports/rollup.ts';
import { cohortAt, cohortsByNumber } from '../../db/limits/traffic.ts';
import type { Reads } from '../../db/queryable.ts';
import { elapsedMs } from '../../time/wall-clock.ts';

/** How long after its end a session may still change, ms: what is saved of it by then is committed in every process. */
const savedMs = 360_000;
/** How long a reading is good enough to see that no prefix has collapsed, ms. It lacks the newest sends, so no stop is made by it. */
const keptMs = 60_000;
/** Prefixes of accounts that are remembered, of each database. */
const mostPrefixes = 1_000;

export interface AskedCohorts {
  accountId: string;
  /** None within another. */
  prefixes: readonly string[];
  /** The allow lists in force. */
  lists: readonly NumberList[];
  isAllowed(number: string): boolean;
  /** The longest that a session lives. */
  longestMs: number;
  /** Unix ms. */
  at: number;
}

/** What is remembered of one prefix of one account, by minute. */
interface Remembered {
  /** The lists that the counts were made with. They are compared by identity: the same object is the same list. */
  lists: readonly NumberList[];
  readAt: number;
  /** What is older is not read again, Unix ms. */
  settledTo: number;
  settled: readonly Cohort[];
  /** Counts of the minutes from there on, as the last look found them. */
  fresh: readonly Cohort[];
}

export class AllowedTraffic {
  readonly #remembered = new Map<Reads, BoundedMap<string, Remembered>>();

  /** What a look within the last minute has found; null where there was none, or the lists have changed since. */
  known(cell: Reads, asked: AskedCohorts): Cohort[] | null {
    const { prefixes, at } = asked;
    const known = prefixes.flatMap((prefix) => this.#usable(cell, prefix, asked) ?? []);
    const isEnough = known.length === prefixes.length && known.every(({ readAt }) => elapsedMs(readAt, at) < keptMs);
    return isEnough ? known.flatMap((each) => shown(each, at)) : null;
  }

  /** Reads what is not settled, and what was never read. */
  async read(cell: Reads, asked: AskedCohorts): Promise<Cohort[]> {
    const each = await Promise.all(asked.prefixes.map((prefix) => this.#readOne(cell, prefix, asked)));
    return each.flat();
  }

  async #readOne(cell: Reads, prefix: string, asked: AskedCohorts): Promise<Cohort[]> {
    const { accountId, lists, isAllowed, longestMs, at } = asked;
    const oldest = at - conversionMs;
    const before = this.#usable(cell, prefix, asked) ?? { settledTo: oldest, settled: [] };
    const since = Math.max(before.settledTo, oldest);
    const rows = await cohortsByNumber(cell, { accountId, prefix, since });
    const read = rows.flatMap(({ number, ...cohort }): Cohort[] =>
      isAllowed(number) ? [{ ...cohort, prefix: prefixOf(number) }] : [],
    );
    const settledTo = Math.max(since, minuteOf(at - longestMs - savedMs));
    const remembered = {
      lists,
      readAt: at,
      settledTo,
      settled: summed([...before.settled, ...read.filter((cohort) => cohort.at < settledTo)], oldest),
      fresh: summed(read, settledTo),
    };
    this.#of(cell).set(keyOf(accountId, prefix), remembered);
    return shown(remembered, at);
  }

  /** Null where nothing is remembered, or by other lists, or by a clock that was ahead and has been set back. */
  #usable(cell: Reads, prefix: string, { accountId, lists, at }: AskedCohorts): Remembered | null {
    const remembered = this.#of(cell).get(keyOf(accountId, prefix));
    if (!remembered || remembered.readAt > at) return null;
    if (!remembered.lists.every((list, nth) => isSameList(list, lists[nth] as NumberList))) return null;
    remembered.lists = lists;
    return remembered;
  }

  #of(cell: Reads): BoundedMap<string, Remembered> {
    const known = this.#remembered.get(cell);
    if (known) return known;
    const made = new BoundedMap<string, Remembered>(mostPrefixes);
    this.#remembered.set(cell, made);
    return made;
  }
}

const keyOf = (accountId: string, prefix: string): string => `${accountId} ${prefix}`;

/** As rollups are read at that moment, which takes old minutes together. */
const shown = ({ settled, fresh }: Remembered, now: number): Cohort[] =>
  [...settled, ...fresh].flatMap(({ at, ...cohort }) =>
    at >= now - conversionMs ? [{ ...cohort, at: cohortAt(at, now) }] : [],
  );

/** One for each prefix and minute, without those before `since`. */
function summed(cohorts: readonly Cohort[], since: number): Cohort[] {
  const same = Map.groupBy(cohorts, ({ prefix, at }) => `${prefix} ${at}`);
  return [...same.values()].flatMap((each) => {
    const [{ prefix, at }] = each as [Cohort];
    const sum = (what: 'counted' | 'verified') => each.reduce((total, cohort) => total + cohort[what], 0);
    return at < since ? [] : [{ prefix, at, counted: sum('counted'), verified: sum('verified') }];
  });
}
