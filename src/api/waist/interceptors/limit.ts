// Asks the rate limiter before anything else is done for the caller.

import type { Interceptor } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail } from '../errors.ts';
import type { RateLimiter } from '../ports.ts';
import { soon } from '../soon.ts';

export function limit(limiter: RateLimiter): Interceptor {
  return (next) => (request) => {
    const { peer } = request.contextValues.get(contextKeys.origin);
    const principal = request.contextValues.get(contextKeys.principal);
    return soon(limiter.take({ principal, method: request.method, peer }), (allowance) => {
      if (allowance.kind === 'ok') return next(request);
      const { retryAfterSeconds } = allowance;
      throw fail('rate_limited', 'too many calls', { retryAfterSeconds });
    });
  };
}
