// The check of a code: its try is counted in the same step that decides whether the code was right, and the caller answers only
// after that step is committed, because a try that is not counted must reveal nothing.

import { stopSending } from './cascade.ts';
import { by, type Draft, emit, note } from './draft.ts';
import type { CheckReason, Event, Outcome } from './event.ts';
import type { Session } from './session.ts';

export function check(draft: Draft, { correct, operation }: Extract<Event, { kind: 'check' }>): Outcome {
  const { session, world } = draft;
  const counted = operation === undefined ? null : countedBefore(session, operation, world.rules.maxAttempts);
  if (counted) return counted;
  const remaining = () => Math.max(0, world.rules.maxAttempts - session.attempts);
  if (session.status !== 'pending') {
    return { kind: 'checked', valid: false, reason: reasonOf(session), attemptsRemaining: remaining() };
  }
  session.attempts += 1;
  note(draft, { kind: 'code_checked', reason: correct ? 'correct_code' : 'incorrect_code', ...by(operation) });
  if (correct) {
    endVerified(draft);
    return { kind: 'checked', valid: true, reason: null, attemptsRemaining: remaining() };
  }
  if (session.attempts >= world.rules.maxAttempts) {
    session.status = 'failed';
    session.statusReason = 'too_many_attempts';
    note(draft, { kind: 'session_failed', reason: 'too_many_attempts' });
    stopSending(draft, 'session_over');
    emit(draft, 'session.failed');
  }
  return { kind: 'checked', valid: false, reason: 'incorrect_code', attemptsRemaining: remaining() };
}

/** `reason`: `reported` where the client has checked the code by itself. */
export function endVerified(draft: Draft, reason?: 'reported'): void {
  const { session, world } = draft;
  session.status = 'verified';
  session.statusReason = reason ?? null;
  session.verifiedAt = world.now;
  note(draft, { kind: 'session_verified', ...(reason ? { reason } : {}) });
  stopSending(draft, 'session_over');
  emit(draft, 'session.verified');
}

/** The answer that this very call has had from another process; null where it was not counted. */
function countedBefore({ timeline }: Session, operation: string, maxAttempts: number): Outcome | null {
  const tries = timeline.filter(({ kind }) => kind === 'code_checked');
  const index = tries.findIndex((entry) => entry.operation === operation);
  if (index < 0) return null;
  const valid = tries[index]?.reason === 'correct_code';
  const attemptsRemaining = Math.max(0, maxAttempts - index - 1);
  return { kind: 'checked', valid, reason: valid ? null : 'incorrect_code', attemptsRemaining };
}

/** The reason why a code for a session that is over is not valid. */
function reasonOf(session: Session): CheckReason {
  switch (session.status) {
    case 'verified':
      return 'already_verified';
    case 'expired':
      return 'expired';
    case 'canceled':
      return 'canceled';
    default:
      return 'too_many_attempts';
  }
}
