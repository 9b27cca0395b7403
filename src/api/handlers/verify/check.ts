// VerifyService.Check: compares a code. A code that is not valid is an answer; only what could not be compared is an error.

import type { HandlerContext } from '@connectrpc/connect';
import { readNumber } from '../../../core/verify/destination.ts';
import type { Refusal } from '../../../core/verify/refusal.ts';
import type { Session } from '../../../core/verify/session.ts';
import { latestSessionOf } from '../../../db/verify/sessions.ts';
import type { Idempotency } from '../../../engine/sessions/idempotency.ts';
import type { Checked } from '../../../engine/verify/check.ts';
import { type CheckRequest, type CheckResponse, CheckResponseSchema } from '../../../gen/ramz/v1/verify_pb.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { toError } from '../refusal.ts';
import { isSessionId, notFound } from './find.ts';
import { type Tried, toStored } from './once.ts';
import type { Handling } from './options.ts';
import { toCheckResponse } from './to-proto.ts';

export const check = (handling: Handling) => (request: CheckRequest, context: HandlerContext) =>
  handling.once.run(context, request, CheckResponseSchema, (idempotency) =>
    attempt(handling, request, keyOf(context), idempotency),
  );

async function attempt(
  handling: Handling,
  request: CheckRequest,
  principal: KeyPrincipal,
  idempotency: Idempotency | null,
): Promise<Tried<CheckResponse>> {
  const target = await findTarget(handling, request, principal);
  if (target.kind === 'refused') return { kind: 'failed', error: toError(target) };
  if (target.kind === 'none') return { kind: 'failed', error: notFound() };
  const { accountId, mode } = principal;
  const answer = (checked: Checked, session: Session) =>
    toStored(CheckResponseSchema, toCheckResponse(checked, session));
  const result = await handling.engine.checker.check({
    accountId,
    mode,
    target: { id: target.id },
    code: request.code,
    idempotency: idempotency ? { ...idempotency, answer } : null,
  });
  switch (result.kind) {
    case 'checked': {
      const { reason } = result.checked;
      // A session that was over already is left as it is: no try is counted, no answer stored.
      const kind = reason === null || reason === 'incorrect_code' ? 'answered' : 'unchanged';
      return { kind, answer: toCheckResponse(result.checked, result.session) };
    }
    case 'replayed':
    case 'idempotency_conflict':
      return result;
    case 'not_found':
      return { kind: 'failed', error: notFound() };
    case 'malformed_code': {
      const message = `code must be ${result.length} digits; this cost no try`;
      return { kind: 'failed', error: fail('invalid_code', message, { field: 'code' }) };
    }
    case 'number_locked': {
      return { kind: 'failed', error: lockedError(result.until, handling.now()) };
    }
  }
}

/** Nobody can say when the operator unlocks a number: looking once an hour is enough. */
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

/**
 * The session named by its id, or by number and purpose: the pending one, else the last one, so that a code that comes too late
 * or twice is told so and does not look unknown.
 */
async function findTarget(
  { engine, db }: Handling,
  { id, to, purpose }: CheckRequest,
  { accountId, mode }: KeyPrincipal,
): Promise<{ kind: 'found'; id: string } | { kind: 'none' } | Refusal> {
  if (!to) return isSessionId(id) ? { kind: 'found', id } : { kind: 'none' };
  const number = readNumber(to);
  if (number.kind === 'refused') return number;
  const place = { accountId, mode, number: number.e164, purpose };
  const found = (await engine.store.pending(place)) ?? (await latestSessionOf(db, place));
  return found === null ? { kind: 'none' } : { kind: 'found', id: found };
}
