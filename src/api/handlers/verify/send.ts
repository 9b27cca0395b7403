// VerifyService.Send: opens a session, or resends the pending one. The request of the wire becomes plain values first, in which
// absent and empty fields are null.

import type { ConnectError, HandlerContext } from '@connectrpc/connect';
import type { Finding, GuardRule } from '../../../core/limits/verdict.ts';
import type { AskedLeg } from '../../../core/verify/legs.ts';
import type { AskedSend } from '../../../core/verify/request.ts';
import type { Channel, Language } from '../../../core/verify/session.ts';
import type { SendResult } from '../../../engine/engine.ts';
import type { CascadeLeg } from '../../../gen/ramz/v1/session_pb.ts';
import {
  type ClientInfo,
  type SendRequest,
  type SendResponse,
  SendResponseSchema,
} from '../../../gen/ramz/v1/verify_pb.ts';
import { addQuota, type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { type ErrorCode, fail, toError } from '../../waist/errors.ts';
import type { VerifyContext } from './context.ts';
import type { Tried } from './idempotent.ts';
import { toSendResponse } from './to-proto.ts';

export const send =
  ({ engine, once, settings, now }: VerifyContext) =>
  (request: SendRequest, context: HandlerContext) => {
    if (request.code !== '') requireOwnCodes(keyOf(context));
    return once.run(context, request, SendResponseSchema, async (idempotency): Promise<Tried<SendResponse>> => {
      const result = await engine.send({ ...toAsked(request, keyOf(context)), idempotency });
      if ('quota' in result && result.quota) addQuota(context.values, { name: 'sends', ...result.quota });
      switch (result.kind) {
        case 'sent':
          return { kind: 'answered', answer: toSendResponse(result.session, settings.rules, now()) };
        case 'replayed':
        case 'idempotency_conflict':
          return result;
        default:
          return { kind: 'failed', error: errorOf(result, now()) };
      }
    });
  };

/** A scope of its own: who may choose codes can choose one that is easy to guess. */
export function requireOwnCodes({ scopes }: Pick<KeyPrincipal, 'scopes'>): void {
  if (scopes.includes('custom_code')) return;
  const options = { field: 'code', metadata: { scope: 'custom_code' } };
  throw fail('missing_scope', 'the API key lacks the scope custom_code, so it can not send a code of its own', options);
}

type Refused = Exclude<SendResult, { kind: 'sent' | 'replayed' | 'idempotency_conflict' }>;

function errorOf(result: Refused, now: number) {
  switch (result.kind) {
    case 'refused':
      return toError(result);
    case 'no_route': {
      const reasons = [...new Set(result.reasons)].join(', ');
      const message = `no leg of the cascade can be used for this number: ${reasons}`;
      return fail('no_route', message, { metadata: { reasons } });
    }
    case 'number_limited': {
      const message = 'too many codes were sent to this number';
      return fail('number_rate_limited', message, { retryAfterSeconds: result.retryAfterMs / 1000 });
    }
    case 'account_limited': {
      const message = 'the account sends too many codes at once';
      return fail('rate_limited', message, { retryAfterSeconds: result.retryAfterMs / 1000 });
    }
    case 'guarded':
      return guarded(result.finding);
    case 'overloaded': {
      const message = 'too much load: more is queued than can be sent in time; nothing was stored';
      return fail('overloaded', message, { retryAfterSeconds: result.retryAfterMs / 1000 });
    }
    case 'resend_too_soon': {
      const resendAfter = new Date(result.resendAfter).toISOString();
      return fail('resend_too_soon', `a code was sent to this session too recently; resend after ${resendAfter}`, {
        retryAfterSeconds: (result.resendAfter - now) / 1000,
        metadata: { session_id: result.session.id, resend_after: resendAfter },
      });
    }
    case 'too_many_sends': {
      // A new session can be opened once this one is over.
      const message = 'this session has reached its maximum number of sends';
      return fail('too_many_sends', message, {
        retryAfterSeconds: (result.session.expiresAt - now) / 1000,
        metadata: { session_id: result.session.id },
      });
    }
    case 'resend_differs': {
      const message = `a pending session of this number and purpose was opened with another ${result.field}`;
      return fail('session_differs', message, { field: result.field, metadata: { session_id: result.session.id } });
    }
  }
}

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

/** The address of a call is checked when the call is authorised. This refusal comes where the rule began to be enforced between then and the send. */
const keyElsewhere: Answer = { code: 'key_restricted', message: 'the API key may not be used from this address' };
const keySpent: Answer = { code: 'rate_limited', message: 'the API key has made its sends of the day' };

const ofKey: Partial<Record<string, Answer>> = { sends_per_day: keySpent, address: keyElsewhere };

/** The error names the rule and its reason, and nothing that the account does not know of itself. */
function guarded({ rule, reason, field, retryAfterMs, stopId }: Finding): ConnectError {
  const answer = (rule === 'key_restriction' && ofKey[reason]) || answers[rule];
  if (!answer) throw new Error(`the rule ${rule} has no error`);
  return fail(answer.code, answer.message, {
    metadata: { rule, reason, ...(stopId === undefined ? {} : { stop_id: stopId }) },
    ...(field === undefined ? {} : { field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: retryAfterMs / 1000 }),
  });
}

/** The fields of a send, which a dry run has as well. */
type SendFields = Omit<SendRequest, '$typeName' | '$unknown'>;

export function toAsked(
  request: SendFields,
  caller: Pick<KeyPrincipal, 'accountId' | 'keyId' | 'mode' | 'restrictions' | 'elsewhere'>,
): AskedSend {
  const target = request.autofill?.target;
  return {
    accountId: caller.accountId,
    apiKeyId: caller.keyId,
    mode: caller.mode,
    to: request.to,
    purpose: request.purpose,
    language: (request.language || null) as Language | null,
    codeLength: request.codeLength ?? null,
    code: request.code || null,
    ttlSeconds: request.ttlSeconds ?? null,
    senderId: request.senderId || null,
    clientReference: request.clientReference,
    metadata: metadataOf(request),
    autofill: target?.value ? { [target.case]: target.value } : {},
    channel: (request.channel || null) as Channel | null,
    cascade: request.cascade.map(toAskedLeg),
    ...(request.client ? { client: toAskedClient(request.client) } : {}),
    ...(caller.restrictions ? { restrictions: caller.restrictions } : {}),
    ...(caller.elsewhere ? { elsewhere: true } : {}),
  };
}

const metadataOf = ({ metadata }: SendFields) => (Object.keys(metadata).length > 0 ? metadata : null);

const toAskedClient = ({ ip, userAgent, deviceId }: ClientInfo) => ({ ip, userAgent, deviceId });

/** The channel is one of the value set: the waist has seen to it. */
export const toAskedLeg = ({ channel, timeoutSeconds }: CascadeLeg): AskedLeg => ({
  channel: channel as Channel,
  timeoutSeconds: timeoutSeconds ?? null,
});
