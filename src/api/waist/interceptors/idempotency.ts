// Takes the Idempotency-Key of methods that take one. What it does is up to their handlers: it is committed with their effect.

import type { Interceptor } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail } from '../errors.ts';
import { methodRules } from '../rules.ts';

/** 1 to 256 printable ASCII characters. */
const allowed = /^[\x20-\x7e]{1,256}$/;

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
