// When a call is repeated, and after which pause: sdks/README.md. Pure, but for the randomness it is given.

import { ApiError, NetworkError } from './errors.ts';
import { errorCodes } from './gen/words.ts';

const firstPauseMs = 500;
const longestPauseMs = 8_000;
const longestRetryAfterSeconds = 60;

/**
 * How long to wait before the `repeat`-th repeat (from 1), in milliseconds; undefined: the error is the caller's.
 * @param random from 0 to 1
 */
export function pauseMs(error: unknown, repeat: number, isRepeatable: boolean, random: number): number | undefined {
  if (!isWorthIt(error, isRepeatable)) return undefined;
  const told = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  if (told !== undefined)
    return told > longestRetryAfterSeconds ? undefined : Math.floor(told * 1000 * (1 + random / 10));
  return Math.floor(Math.min(longestPauseMs, firstPauseMs * 2 ** (repeat - 1)) * (0.5 + random / 2));
}

/** The service may have done what the attempt asked for: it did not answer, or failed on the way (docs/errors.md). */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.status >= 500 && error.code !== 'overloaded');

/** What the call names is not there. Not `not_found` alone, which is an address that the service does not have. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code.endsWith('_not_found');

function isWorthIt(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof NetworkError) return isRepeatable;
  if (!(error instanceof ApiError)) return false;
  // The service did not take it, so it can't be done twice.
  if (error.code === 'rate_limited') return true;
  if (!isRepeatable) return false;
  if (error.status === 408) return true; // The request did not arrive, whoever says so.
  if (Object.hasOwn(errorCodes, error.code)) return errorCodes[error.code]?.retry ?? false;
  return [500, 502, 503, 504].includes(error.status) || (error.code === '' && isOfAProxy(error));
}

/** What a proxy says of a call that did not reach the service. A limit without a time to wait would only be met again. */
const isOfAProxy = ({ status, retryAfterSeconds }: ApiError): boolean =>
  status === 425 || (status === 429 && retryAfterSeconds !== undefined);
