// Numbers and trunks: the trunks that serve a number, the route made of their names, and the number in a trunk's own form. A route is
// the order in which trunks are tried, written down.

import type { TrunkConfig } from '../../config.ts';

type Serving = Pick<TrunkConfig, 'name' | 'prefixes'>;

const prefix = 'voice/';

/** Trunks with a prefix that the number begins with: the longest prefixes first, those of one length in the order given. */
export function servingTrunks<T extends Serving>(e164: string, trunks: readonly T[]): T[] {
  const longest = (trunk: Serving) =>
    Math.max(0, ...trunk.prefixes.filter((each) => e164.startsWith(each)).map((each) => each.length));
  return trunks.filter((trunk) => longest(trunk) > 0).toSorted((a, b) => longest(b) - longest(a));
}

export const routeOf = (trunks: readonly Serving[]): string => prefix + trunks.map(({ name }) => name).join('+');

/** Names of the trunks of a route; none where it belongs to another channel. */
export const trunksOf = (route: string): string[] =>
  route.startsWith(prefix) ? route.slice(prefix.length).split('+') : [];

/** Every route that some number can have. */
export function allRoutes(trunks: readonly Serving[]): string[] {
  const prefixes = new Set(trunks.flatMap((trunk) => trunk.prefixes));
  return [...new Set([...prefixes].map((each) => routeOf(servingTrunks(each, trunks))))];
}

/** The number as the trunk takes it. The configuration holds that `national` is for numbers of `countryCode` alone. */
export function dialed(
  e164: string,
  { numberFormat, countryCode }: Pick<TrunkConfig, 'numberFormat' | 'countryCode'>,
): string {
  const digits = e164.slice(1);
  switch (numberFormat) {
    case 'plus':
      return e164;
    case 'double_zero':
      return `00${digits}`;
    case 'digits':
      return digits;
    case 'national':
      return countryCode !== null && digits.startsWith(countryCode) ? `0${digits.slice(countryCode.length)}` : e164;
  }
}
