// Stops: parts of the numbers that an account sends to, closed for an hour because what is sent there looks like pumping (SMS sent for the
// sake of being charged). How wide a stop is, and which of an account's stops a number meets.

import type { Finding, RuleModes } from './verdict.ts';

export const stopIdPrefix = 'stop_';

/** Rules that make stops. */
export const stopRules = ['sequential_numbers', 'prefix_conversion'] as const;
export type StopRule = (typeof stopRules)[number];

export const stopMs = 3_600_000;

export interface Stop {
  /** `stop_…`. */
  id: string;
  rule: StopRule;
  /** A word of the rule's own. */
  reason: string;
  /** The numbers that begin so, with the plus sign. */
  prefix: string;
  /** Unix ms. */
  startedAt: number;
  endsAt: number;
  /** Unix ms; null = it was not lifted. */
  liftedAt: number | null;
}

/** When it holds no more, or held no more, Unix ms. */
const overAt = ({ endsAt, liftedAt }: Pick<Stop, 'endsAt' | 'liftedAt'>): number =>
  liftedAt === null ? endsAt : Math.min(endsAt, liftedAt);

export const isActive = (stop: Pick<Stop, 'endsAt' | 'liftedAt'>, now: number): boolean => now < overAt(stop);

/** The stop that the number meets; of several the one that ends last. */
export function stopOf<Each extends Stop>(to: string, stops: readonly Each[], now: number): Each | null {
  let last: Each | null = null;
  for (const stop of stops) {
    if (!to.startsWith(stop.prefix) || !isActive(stop, now)) continue;
    if (!last || stop.endsAt > last.endsAt) last = stop;
  }
  return last;
}

/** The objections of stops that the number meets, one for each rule: one of them may be watched and the other enforced. */
export function stopFindings(to: string, stops: readonly Stop[], now: number): Finding[] {
  if (stops.length === 0) return [];
  return stopRules.flatMap((rule): Finding[] => {
    const stop = stopOf(to, madeBy([rule], stops), now);
    if (!stop) return [];
    const { reason, id, endsAt } = stop;
    return [{ rule, reason, field: 'to', retryAfterMs: endsAt - now, stopId: id }];
  });
}

/** Stops by these rules. */
export const madeBy = <Each extends Stop>(rules: readonly StopRule[], stops: readonly Each[]): Each[] =>
  stops.filter(({ rule }) => rules.includes(rule));

/** Stops that say from when on sends count: those by these rules, and those that were lifted, because what led to them was honest. */
export const heeded = (rules: readonly StopRule[], stops: readonly Stop[]): Stop[] =>
  stops.filter(({ rule, liftedAt }) => rules.includes(rule) || liftedAt !== null);

/** Rules whose stops leave `rule` nothing to close: its own, and any that refuses. What another one only watches is open. */
export const rulesBefore = (rule: StopRule, modes: Pick<RuleModes, StopRule>): StopRule[] =>
  stopRules.filter((each) => each === rule || modes[each] === 'enforce');

/** The beginning of a number that leaves at least four digits open, so that ten thousand numbers have it in common. */
const beginning = (e164: string, digits: number): string =>
  e164.slice(0, Math.max(2, Math.min(1 + digits, e164.length - 4)));

/** Block of a number: its first seven digits, which in most countries leave 100,000 numbers or fewer; of one that was erased, what is left of it. */
export const blockOf = (e164: string): string => beginning(e164, 7).replace(/\*+$/, '');

/** Range of a number or of a prefix: its first four digits, often all the numbers of an operator or of an area. */
export const rangeOf = (prefix: string): string => prefix.slice(0, 5);

/** Active stops in one range from which on the next one closes the range: a script that is stopped goes on in the next block. */
const stopsBeforeRange = 2;

/** What a new stop closes, given what is closed already. */
export function prefixToStop(prefix: string, stops: readonly Stop[], now: number): string {
  const range = rangeOf(prefix);
  const others = stops.filter((stop) => stop.prefix.startsWith(range) && isActive(stop, now));
  return others.length >= stopsBeforeRange ? range : prefix;
}

/**
 * From when on sends to the number or prefix count, Unix ms: not before the end of a stop that they met, or what led to that stop would lead to
 * a second one. Sends to a wider prefix count from the beginning of the stop, or from where it was lifted, which says that it was a mistake.
 */
export function countedSince(numberOrPrefix: string, stops: readonly Stop[]): number {
  const ends = stops.map((stop) => {
    if (numberOrPrefix.startsWith(stop.prefix)) return overAt(stop);
    return stop.prefix.startsWith(numberOrPrefix) ? (stop.liftedAt ?? stop.startedAt) : 0;
  });
  return Math.max(0, ...ends);
}
