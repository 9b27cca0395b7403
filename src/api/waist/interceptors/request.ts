// Checks of a request before its handler: the field rules of the contract, and the Idempotency-Key. What the key does is up
// to the handler, which commits it with its effect.

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Interceptor } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail } from '../errors.ts';
import { methodRules } from '../method-options.ts';
import { violationIn } from '../validate/message.ts';

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
