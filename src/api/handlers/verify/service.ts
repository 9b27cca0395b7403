// VerifyService put together from its handlers, and Check itself. A code that is not valid is an answer of Check; only a code
// that could not be compared is an error.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { CheckResult } from '../../../engine/engine.ts';
import {
  type CheckRequest,
  type CheckResponse,
  CheckResponseSchema,
  type VerifyService,
} from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { notFound, type VerifyContext, type VerifyServiceOptions, WatchPlaces } from './context.ts';
import { Once, type Tried } from './idempotent.ts';
import { send } from './send.ts';
import { cancelSession, getSession, listSessions, reportSession } from './sessions.ts';
import { toCheckResponse } from './to-proto.ts';
import { watchSession } from './watch.ts';

export type { VerifyServiceOptions } from './context.ts';
export { storedAnswers } from './idempotent.ts';

/** All but the summary, which the engine has no part in. */
export function verifyService(options: VerifyServiceOptions): Omit<ServiceImpl<typeof VerifyService>, 'getSummary'> {
  const context: VerifyContext = { ...options, once: new Once(), places: new WatchPlaces() };
  return {
    send: send(context),
    check: check(context),
    getSession: getSession(context),
    listSessions: listSessions(context),
    cancelSession: cancelSession(context),
    reportSession: reportSession(context),
    watchSession: watchSession(context),
  };
}

const check =
  ({ engine, once, now }: VerifyContext) =>
  (request: CheckRequest, context: HandlerContext) =>
    once.run(context, request, CheckResponseSchema, async (idempotency) => {
      const { accountId, mode } = keyOf(context);
      const { session, purpose, code } = request;
      const target = session.case === 'to' ? { to: session.value, purpose } : { id: session.value ?? '' };
      return triedOf(await engine.check({ accountId, mode, target, code, idempotency }), now());
    });

function triedOf(result: CheckResult, now: number): Tried<CheckResponse> {
  switch (result.kind) {
    case 'checked':
      return { kind: 'answered', answer: toCheckResponse(result.checked, result.session) };
    case 'replayed':
    case 'idempotency_conflict':
      return result;
    case 'refused':
      return { kind: 'failed', error: toError(result) };
    case 'not_found':
      return { kind: 'failed', error: notFound() };
    case 'malformed_code': {
      const message = `code must be ${result.length} digits; this cost no attempt`;
      return { kind: 'failed', error: fail('invalid_code', message, { field: 'code' }) };
    }
    case 'number_locked':
      return { kind: 'failed', error: lockedError(result.until, now) };
  }
}

/** When the operator unlocks a number is not known: looking once an hour is enough. */
const unlockSeconds = 3_600;

function lockedError(until: number | null, now: number) {
  if (until === null) {
    const message =
      'too many wrong codes in a row for this number: it stays locked until the operator of the service unlocks it';
    return fail('number_locked', message, { retryAfterSeconds: unlockSeconds, metadata: { needs_unlock: 'true' } });
  }
  const message = 'too many wrong codes for this number within the hour';
  return fail('number_locked', message, { retryAfterSeconds: (until - now) / 1000 });
}
