// What the engine says of a send, in the words of the contract.
import { create } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { type VerifyServiceOptions, verifyService } from '../../../../src/api/handlers/verify/service.ts';
import { faultOf } from '../../../../src/api/waist/errors.ts';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import type { SendRequest, SendResult } from '../../../../src/engine/engine.ts';
import { SendRequestSchema, VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { Story } from '../../../support/session.ts';
import { callOf } from './call.ts';

const { session } = new Story();
const now = 10_000;

function sendTo(answer: SendResult, seen: SendRequest[] = []) {
  const engine = {
    send: async (request: SendRequest) => {
      seen.push(request);
      return answer;
    },
  };
  const handlers = verifyService({
    engine: engine as never as VerifyServiceOptions['engine'],
    settings: { rules: defaultRules, config: { service: { homeCountry: null } } },
    now: () => now,
  });
  return handlers.send(create(SendRequestSchema, { to: '+213551234567' }), callOf(VerifyService.method.send));
}

it.each<[SendResult, string, object]>([
  [{ kind: 'number_limited', retryAfterMs: 1500 }, 'number_rate_limited', { retryAfter: '2', metadata: {} }],
  [{ kind: 'account_limited', retryAfterMs: 20 }, 'rate_limited', { retryAfter: '1', metadata: {} }],
  [{ kind: 'overloaded', retryAfterMs: 4000 }, 'overloaded', { retryAfter: '4', httpStatus: 503 }],
  [
    { kind: 'resend_too_soon', session, resendAfter: 30_000 },
    'resend_too_soon',
    { retryAfter: '20', metadata: { session_id: 'vrf_1', resend_after: '1970-01-01T00:00:30.000Z' } },
  ],
  [{ kind: 'too_many_sends', session }, 'too_many_sends', { retryAfter: '590', metadata: { session_id: 'vrf_1' } }],
  [
    { kind: 'resend_differs', session, field: 'autofill.web_origin' },
    'session_differs',
    { retryAfter: null, field: 'autofill.web_origin', metadata: { session_id: 'vrf_1' } },
  ],
  [
    { kind: 'no_route', reasons: ['no_operator', 'channel_not_configured', 'channel_not_configured'] },
    'no_route',
    { retryAfter: null, metadata: { reasons: 'no_operator, channel_not_configured' } },
  ],
  [
    {
      kind: 'refused',
      code: 'sender_id_not_approved',
      field: 'sender_id',
      message: '',
      metadata: { operator: 'atlas' },
    },
    'sender_id_not_approved',
    { retryAfter: null, field: 'sender_id', metadata: { operator: 'atlas' } },
  ],
])('%j', async (result, code, expected) => {
  const error = await Promise.resolve(sendTo(result)).then(
    () => undefined,
    (reason: ConnectError) => reason,
  );
  expect({ ...faultOf(error!), retryAfter: error?.metadata.get('retry-after') }).toMatchObject({ code, ...expected });
});

it('hands the engine no idempotency where the call has no key', async () => {
  const seen: SendRequest[] = [];
  expect(await sendTo({ kind: 'sent', session }, seen)).toMatchObject({ id: 'vrf_1', status: 'pending' });
  expect(seen).toMatchObject([{ accountId: 'acct_1', to: '+213551234567', idempotency: null }]);
});
