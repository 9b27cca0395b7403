// Guards of a call around its authorisation. Before it, an address with too many failed guesses is refused, and what is refused before a
// rate bounds it is counted; after it, the connection is marked as one that carried a good key, the rate limiter decides before any work is
// done for the caller, and the request is checked against the rules of the contract.

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { ConnectError, type Interceptor } from '@connectrpc/connect';
import { bootstrapId } from '../../../core/accounts/actor.ts';
import { isRefusal, type Refusals } from '../../clients/refusals.ts';
import { addQuota, type CallOrigin, contextKeys } from '../context.ts';
import { fail, faultOf } from '../errors.ts';
import { type MethodRules, methodRules } from '../method-options.ts';
import type { Authenticator, RateLimiter } from '../ports.ts';
import { violationIn } from '../validate.ts';
import { bearer, continueWith } from './authorise.ts';

export interface GuardOptions {
  authenticator: Authenticator;
  refusals: Refusals;
}

export function guard({ authenticator, refusals }: GuardOptions): Interceptor {
  /** An unknown key is not looked up. A call without any key is no guess, so it gets its usual answer. */
  const isLookedAt = ({ access }: MethodRules, token: string | undefined, { peer }: CallOrigin): boolean => {
    if (token === undefined || access === 'public') return true;
    return (authenticator.isKnown?.(token) ?? false) || (access !== 'key' && refusals.isKnownAdmin(peer));
  };
  return (next) => async (request) => {
    const values = request.contextValues;
    const origin = values.get(contextKeys.origin);
    const tokenShown = () => bearer(request.header.get('authorization') ?? '');
    try {
      const leftMs = refusals.blockedForMs(origin.peer);
      const token = leftMs > 0 ? tokenShown() : undefined;
      if (leftMs > 0 && !isLookedAt(methodRules(request.method), token, origin)) {
        const message = 'too many keys of this address were refused';
        throw fail('too_many_failures', message, { retryAfterSeconds: leftMs / 1000 });
      }
      return await next(request);
    } catch (reason) {
      const code = reason instanceof ConnectError ? faultOf(reason).code : 'internal';
      // A call that its rate has let in is bounded by that; a bug is always logged.
      const isNoted = isRefusal(code) || (code !== 'internal' && !values.get(contextKeys.admitted));
      const isLogged = !isNoted || refusals.note(origin.peer, origin.door, code, tokenShown() !== undefined);
      if (!isLogged) values.set(contextKeys.unlogged, true);
      throw reason;
    }
  };
}

/** Comes after the authorisation and before the handler: a call may take long, and its connection must not be cut meanwhile. */
export function shown(refusals: Refusals): Interceptor {
  return (next) => (request) => {
    const { peer, proven } = request.contextValues.get(contextKeys.origin);
    const caller = request.contextValues.get(contextKeys.principal);
    if (caller.kind === 'administrator' && caller.id === bootstrapId) refusals.sawAdmin(peer);
    // Anyone may have registered an account that waits: its key says as little of a caller as none.
    if (caller.kind !== 'none' && !(caller.kind === 'key' && caller.waits)) proven?.();
    return next(request);
  };
}

export function limit(limiter: RateLimiter): Interceptor {
  return (next) => (request) => {
    const { peer } = request.contextValues.get(contextKeys.origin);
    const principal = request.contextValues.get(contextKeys.principal);
    return continueWith(limiter.take({ principal, method: request.method, peer }), (allowance) => {
      if (allowance.quota) addQuota(request.contextValues, allowance.quota);
      if (allowance.kind === 'ok') {
        request.contextValues.set(contextKeys.admitted, true);
        return next(request);
      }
      const { retryAfterSeconds } = allowance;
      throw fail('rate_limited', 'too many calls', { retryAfterSeconds });
    });
  };
}

/** Holds a request, or each message of its stream, against the field rules of the contract. */
export function validate(): Interceptor {
  return (next) => (request) => {
    if (!request.stream) {
      check(request.method.input, request.message);
      return next(request);
    }
    return next({ ...request, message: checked(request.method.input, request.message) });
  };
}

function check<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): void {
  const violation = violationIn(desc, message);
  if (violation) throw fail(violation.code, violation.message, { field: violation.field });
}

async function* checked<Desc extends DescMessage>(desc: Desc, messages: AsyncIterable<MessageShape<Desc>>) {
  for await (const message of messages) {
    check(desc, message);
    yield message;
  }
}

/** 1 to 256 printable ASCII characters. */
const allowed = /^[\x20-\x7e]{1,256}$/;

/** Reads the Idempotency-Key. What the key does is up to the handler, which commits the key with its effect. */
export function idempotency(): Interceptor {
  return (next) => (request) => {
    if (methodRules(request.method).idempotencyKey) {
      const key = request.header.get('idempotency-key');
      if (key !== null && !allowed.test(key)) {
        throw fail('invalid_idempotency_key', 'Idempotency-Key must be 1 to 256 printable ASCII characters');
      }
      request.contextValues.set(contextKeys.idempotencyKey, key ?? undefined);
    }
    return next(request);
  };
}
