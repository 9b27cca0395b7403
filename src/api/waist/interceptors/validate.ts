// Refuses messages that break the field rules of the contract.

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Interceptor } from '@connectrpc/connect';
import { fail } from '../errors.ts';
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
