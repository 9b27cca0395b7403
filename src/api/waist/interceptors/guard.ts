// Guards around the authorisation. Before it, an address with too many failed guesses is refused, and failures are counted; after it, the
// connection is marked as one that carried a good key, and the rate limiter decides before any work is done for the caller.

import { ConnectError, type Interceptor } from '@connectrpc/connect';
import { isRefusal, type Refusals } from '../../clients/refusals.ts';
import { type CallOrigin, contextKeys } from '../context.ts';
import { fail, faultOf } from '../errors.ts';
import { type MethodRules, methodRules } from '../method-options.ts';
import type { Authenticator, RateLimiter } from '../ports.ts';
import { bearer, continueWith } from './authorise.ts';

export interface GuardOptions {
  authenticator: Authenticator;
  refusals: Refusals;
}

export function guard({ authenticator, refusals }: GuardOptions): Interceptor {
  /** An unknown key is not looked up. A call without any key is no guess, so it gets its usual answer. */
  const isLookedAt = ({ access }: MethodRules, token: string | undefined, { peer }: CallOrigin): boolean => {
    if (token === undefined || access === 'public') return true;
    return access === 'key' ? (authenticator.isKnown?.(token) ?? false) : refusals.isKnownAdmin(peer);
  };
  return (next) => async (request) => {
    const values = request.contextValues;
    const origin = values.get(contextKeys.origin);
    try {
      const leftMs = refusals.blockedForMs(origin.peer);
      const token = leftMs > 0 ? bearer(request.header.get('authorization') ?? '') : undefined;
      if (leftMs > 0 && !isLookedAt(methodRules(request.method), token, origin)) {
        const message = 'too many keys of this address were refused';
        throw fail('too_many_failures', message, { retryAfterSeconds: leftMs / 1000 });
      }
      return await next(request);
    } catch (reason) {
      const code = reason instanceof ConnectError ? faultOf(reason).code : undefined;
      if (code !== undefined && isRefusal(code) && !refusals.note(origin.peer, origin.door, code)) {
        values.set(contextKeys.unlogged, true);
      }
      throw reason;
    }
  };
}

/** Comes after the authorisation and before the handler: a call may take long, and its connection must not be cut meanwhile. */
export function shown(refusals: Refusals): Interceptor {
  return (next) => (request) => {
    const { peer, proven } = request.contextValues.get(contextKeys.origin);
    const { kind } = request.contextValues.get(contextKeys.principal);
    if (kind === 'admin') refusals.sawAdmin(peer);
    if (kind !== 'none') proven?.();
    return next(request);
  };
}

export function limit(limiter: RateLimiter): Interceptor {
  return (next) => (request) => {
    const { peer } = request.contextValues.get(contextKeys.origin);
    const principal = request.contextValues.get(contextKeys.principal);
    return continueWith(limiter.take({ principal, method: request.method, peer }), (allowance) => {
      if (allowance.kind === 'ok') return next(request);
      const { retryAfterSeconds } = allowance;
      throw fail('rate_limited', 'too many calls', { retryAfterSeconds });
    });
  };
}
