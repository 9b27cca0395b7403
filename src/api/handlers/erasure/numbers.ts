// NumberService: the erasure of a phone number from an account's data.

import { readNumber } from '../../../core/verify/request.ts';
import type { Erasure } from '../../../engine/erasure/erasure.ts';
import { NumberService } from '../../../gen/ramz/v1/number_pb.ts';
import { keyOf, seesNumbers } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';

/** Sessions of one call: each is a transaction of its own, and the caller waits. */
const perCall = 500;

export function numberService(erasure: Erasure): RegisteredService {
  return service(NumberService, {
    async eraseNumber({ to }, call) {
      const key = keyOf(call);
      if (!seesNumbers(key))
        throw fail('missing_scope', 'the API key lacks the scope numbers', { metadata: { scope: 'numbers' } });
      const number = readNumber(to);
      if (number.kind === 'refused') throw toError(number);
      const { accountId, mode } = key;
      const { rows, complete } = await erasure.erase({
        number: number.e164,
        scope: { accountId, mode },
        limit: perCall,
      });
      return {
        sessions: rows.verify_session ?? 0,
        receipts: rows.receipt ?? 0,
        webhookDeliveries: rows.webhook_delivery ?? 0,
        storedResponses: rows.idempotency ?? 0,
        complete,
      };
    },
  });
}
