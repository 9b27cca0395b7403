// The rule `allowed_prefixes`: an account that sends to a few ranges only closes all others, so that a stolen key is worth little.

import { beginsWithNumber } from '../whole-numbers.ts';
import type { Finding } from './verdict.ts';

/** The beginning of many numbers: a plus sign and digits, e.g. `+21355`. A whole number is none: prefixes are stored in clear. */
export const isNumberPrefix = (text: string): boolean => /^\+[1-9]\d{0,14}$/.test(text) && !beginsWithNumber(text);

/** `prefixes`: of the account; empty = every number that the deployment serves. `to` in E.164. */
export function allowedPrefixes(to: string, prefixes: readonly string[]): Finding | null {
  if (prefixes.length === 0 || prefixes.some((prefix) => to.startsWith(prefix))) return null;
  return { rule: 'allowed_prefixes', reason: 'allowed_prefixes', field: 'to' };
}
