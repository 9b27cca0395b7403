// Asks the rate limiter before anything else is done for the caller.

import type { Interceptor } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail } from '../errors.ts';
import type { RateLimiter } from '../ports.ts';

export function limit(limiter: RateLimiter): Interceptor {
  return (next) => async (request) => {
    const { peer } = request.contextValues.get(contextKeys.origin);
    const principal = request.contextValues.get(contextKeys.principal);
    const allowance = await limiter.take({ principal, method: request.method, peer });
    if (allowance.kind === 'limited') {
      const { retryAfterSeconds } = allowance;
      throw fail('rate_limited', 'too many calls', { retryAfterSeconds });
    }
    return next(request);
  };
}
