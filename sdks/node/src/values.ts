// Values of options, checked. No message shows a header's value: it may be secret.

import { ConfigurationError } from './errors.ts';
import type { OnResponse } from './response-info.ts';

export function positive(name: string, value: unknown): number {
  // A timer can't be longer than 2^31 - 1 ms.
  if (typeof value === 'number' && value > 0 && value < 2 ** 31) return value;
  throw new ConfigurationError(`${name} must be a positive number of milliseconds`);
}

export function count(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new ConfigurationError(`${name} must be 0 or a positive whole number`);
}

/** What the SDK sets itself, or the runtime's `fetch`. */
const ownHeaders = new Set(
  'accept accept-encoding authorization connection connect-protocol-version content-length content-type host idempotency-key transfer-encoding user-agent'.split(
    ' ',
  ),
);

/** Headers that the caller adds, with names in lower case. */
export function checkHeaders(given: unknown): Record<string, string> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigurationError('headers must be an object of names and values');
  // What is iterable, such as Headers and a Map, has no entries of an object's own: they would be lost.
  const pairs = Symbol.iterator in given ? [...(given as Iterable<unknown>)] : Object.entries(given);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value]: unknown[] = Array.isArray(pair) ? pair : [];
      if (typeof name !== 'string') throw new ConfigurationError('headers must be an object of names and values');
      const lower = name.toLowerCase();
      // RFC 9110, section 5.6.2.
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
        throw new ConfigurationError(`headers: ${JSON.stringify(name)} is not the name of a header`);
      if (ownHeaders.has(lower)) throw new ConfigurationError(`headers: ${name} is set by the SDK itself`);
      if (typeof value !== 'string' || !/^([!-~]([ -~]*[!-~])?)?$/.test(value))
        throw new ConfigurationError(`headers: ${name} must be printable ASCII, no space at either end`);
      return [lower, value];
    }),
  );
}

export function checkUserAgent(given: unknown): string {
  if (given === undefined) return '';
  if (typeof given === 'string' && /^[ -~]*[!-~][ -~]*$/.test(given)) return given.trim();
  throw new ConfigurationError('userAgent must be printable ASCII, such as my-shop/1.2');
}

export function checkHook(given: unknown): OnResponse | undefined {
  if (given === undefined || typeof given === 'function') return given as OnResponse | undefined;
  throw new ConfigurationError('onResponse must be a function');
}
