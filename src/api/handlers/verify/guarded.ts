// The error of a send that a rule against abuse has refused. It names the rule and its reason, and nothing that the account does not know of itself.

import type { ConnectError } from '@connectrpc/connect';
import type { Finding, GuardRule } from '../../../core/limits/verdict.ts';
import { type ErrorCode, fail } from '../../waist/errors.ts';

interface Answer {
  code: ErrorCode;
  message: string;
}

const stopped = 'numbers that begin like to are stopped for an hour: what was sent to them looks like SMS pumping';

/** The platform's block list answers as the account's own. */
const answers: Partial<Record<GuardRule, Answer>> = {
  key_restriction: { code: 'key_restricted', message: 'to is outside the prefixes that the API key is restricted to' },
  allowed_prefixes: { code: 'destination_not_allowed', message: 'to is outside the allowed_prefixes of the account' },
  budget: { code: 'budget_exhausted', message: 'a budget of the account or the key is used up' },
  sequential_numbers: { code: 'fraud_guard', message: stopped },
  prefix_conversion: { code: 'fraud_guard', message: stopped },
  block_list: { code: 'destination_not_allowed', message: 'to is blocked' },
  client_limit: { code: 'client_rate_limited', message: 'too many codes were sent for this end user' },
};

/** Where the rule was enforced between the authorisation of the call and its send. */
const keyElsewhere: Answer = { code: 'key_restricted', message: 'the API key may not be used from this address' };
const keySpent: Answer = { code: 'rate_limited', message: 'the API key has made its sends of the day' };

const ofKey: Partial<Record<string, Answer>> = { sends_per_day: keySpent, address: keyElsewhere };

export function guarded({ rule, reason, field, retryAfterMs, stopId }: Finding): ConnectError {
  const answer = (rule === 'key_restriction' && ofKey[reason]) || answers[rule];
  if (!answer) throw new Error(`the rule ${rule} has no error`);
  return fail(answer.code, answer.message, {
    metadata: { rule, reason, ...(stopId === undefined ? {} : { stop_id: stopId }) },
    ...(field === undefined ? {} : { field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: retryAfterMs / 1000 }),
  });
}
