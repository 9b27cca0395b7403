// The rule `prefix_conversion`: a prefix of one account whose codes are sent, delivered and hardly ever entered. It reads the rollups, so it
// counts what is committed in all processes, by the minute in which sessions were opened.

import { stopPoints, unverifiedPoints, verifiedPoints } from './points.ts';
import { rangeOf } from './stop.ts';

/** How far back sessions are looked at, ms. */
export const conversionMs = 7_200_000;

/** Sessions that were opened in one minute. */
export interface Cohort {
  /** The rollups' prefix: six digits, or fewer of short numbers. */
  prefix: string;
  /** Beginning of the minute, Unix ms. */
  at: number;
  /**
   * Sessions whose outcome says something: a message of theirs was delivered (an operator that delivers nothing looks like pumping), and their
   * code was made here. Of a code of the caller's own it is not known whether it was entered; only fraud that is reported counts.
   */
  counted: number;
  /** Those of them whose code was checked here: who reports on a code that was made here can't have compared it. */
  verified: number;
}

export interface ConversionFound {
  reason: 'low_conversion';
  prefix: string;
  points: number;
  sent: number;
  verified: number;
}

const minuteMs = 60_000;

/**
 * Each prefix and each range (four digits) with the points it has now, the strongest first; of equally strong ones the narrower.
 *
 * The points are those of the worst stretch of time that reaches to now, as in Page's CUSUM: what was verified before an attack began does
 * not cover for it.
 */
export function prefixConversion(cohorts: readonly Cohort[], now: number): ConversionFound[] {
  const wanted = Map.groupBy(cohorts, ({ prefix }) => prefix);
  for (const [range, all] of Map.groupBy(cohorts, ({ prefix }) => rangeOf(prefix))) wanted.set(range, all);
  return [...wanted]
    .map(([prefix, all]) => worstStretch(prefix, all, now))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points || other.prefix.length - one.prefix.length);
}

/** Without sessions to numbers that are left alone. Those whose message was not delivered go, too: rather one too few counts than one too many. */
export function without(cohorts: readonly Cohort[], leftAlone: readonly Cohort[]): Cohort[] {
  const keyOf = ({ prefix, at }: Cohort) => `${prefix} ${at}`;
  const taken = Map.groupBy(leftAlone, keyOf);
  return cohorts.map((cohort) => {
    const same = taken.get(keyOf(cohort)) ?? [];
    const less = (what: 'counted' | 'verified') =>
      Math.max(0, cohort[what] - same.reduce((sum, each) => sum + each[what], 0));
    return { ...cohort, counted: less('counted'), verified: less('verified') };
  });
}

export const isCollapsed = ({ points }: ConversionFound): boolean => points >= stopPoints;

function worstStretch(prefix: string, cohorts: readonly Cohort[], now: number): ConversionFound {
  const worst: ConversionFound = { reason: 'low_conversion', prefix, points: 0, sent: 0, verified: 0 };
  let [points, sent, verified] = [0, 0, 0];
  const minutes = [...Map.groupBy(cohorts, ({ at }) => at)].sort(([one], [other]) => other - one);
  for (const [at, same] of minutes) {
    // As young as its youngest.
    const unverified = unverifiedPoints(now - at - minuteMs);
    for (const cohort of same) {
      points += Math.max(0, cohort.counted - cohort.verified) * unverified - cohort.verified * verifiedPoints;
      sent += cohort.counted;
      verified += cohort.verified;
    }
    if (points > worst.points) Object.assign(worst, { points, sent, verified });
  }
  return worst;
}
