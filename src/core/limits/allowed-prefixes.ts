// The rule `allowed_prefixes`: an account that sends to a few ranges only closes all others, so that a stolen key is worth little.

import metadata from 'libphonenumber-js/metadata.max';
import type { Finding } from './verdict.ts';

/** The beginning of many numbers: a plus sign and digits, e.g. `+21355`. A whole number is none: prefixes are stored in clear. */
export const isNumberPrefix = (text: string): boolean => /^\+[1-9]\d{0,14}$/.test(text) && !beginsWithNumber(text);

/** `prefixes`: of the account; empty = every number that the deployment serves. `to` in E.164. */
export function allowedPrefixes(to: string, prefixes: readonly string[]): Finding | null {
  if (prefixes.length === 0 || prefixes.some((prefix) => to.startsWith(prefix))) return null;
  return { rule: 'allowed_prefixes', reason: 'allowed_prefixes', field: 'to' };
}

/** Numbering plans as the library packs them (its metadata, version 4): what is at these places of each. */
const place = { nationalPrefix: 5, types: 11 } as const;

const { countries, country_calling_codes: codes, nonGeographic } = metadata;

/** The plans of the countries that share a country code, or the one of a code that belongs to no country; empty where there is no such code. */
function plansOf(code: string): unknown[][] {
  const found = codes[code]?.map((country) => countries[country]) ?? [nonGeographic[code]];
  return found.filter((plan) => plan !== undefined);
}

const patterns = new Map<string, RegExp>();

/** What whole numbers behind a country code are, of whatever type, also with the national prefix in front that people leave in. */
function patternOf(code: string, plans: readonly unknown[][]): RegExp {
  const known = patterns.get(code);
  if (known) return known;
  const each = plans.map((plan) => {
    const types = (plan[place.types] as ([string] | 0)[]).flatMap((type) =>
      type === 0 || type[0] === '' ? [] : [type[0]],
    );
    return `(?:${plan[place.nationalPrefix] || ''})?(?:${types.join('|')})`;
  });
  const pattern = new RegExp(`^(?:${each.join('|')})`);
  patterns.set(code, pattern);
  return pattern;
}

/**
 * Whether digits behind a plus begin with a whole number, of whatever type: they say whose it is, and not only where numbers are. A call may bring
 * a hundred texts, and the parser takes up to half a millisecond for all beginnings of one: the patterns of its metadata say the same at once.
 */
function beginsWithNumber(text: string): boolean {
  // A country code has one to three digits, and no code begins with another one.
  for (let end = 2; end <= 4; end += 1) {
    const code = text.slice(1, end);
    const plans = plansOf(code);
    if (plans.length > 0) return patternOf(code, plans).test(text.slice(end));
  }
  return false;
}
