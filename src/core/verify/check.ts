// The check of a code: its try is counted in the same step that decides whether the code was right, and the caller answers only
// after that step is committed, because a try that is not counted must reveal nothing.

import { stopSending } from './cascade.ts';
import { type Draft, emit, note } from './draft.ts';
import type { CheckReason, Outcome } from './event.ts';
import type { Session } from './session.ts';

export function check(draft: Draft, correct: boolean): Outcome {
  const { session, world } = draft;
  const remaining = () => Math.max(0, world.rules.maxAttempts - session.attempts);
  if (session.status !== 'pending') {
    return { kind: 'checked', valid: false, reason: reasonOf(session), attemptsRemaining: remaining() };
  }
  session.attempts += 1;
  note(draft, { kind: 'code_checked', reason: correct ? 'correct_code' : 'incorrect_code' });
  if (correct) {
    session.status = 'verified';
    session.verifiedAt = world.now;
    note(draft, { kind: 'session_verified' });
    stopSending(draft, 'session_over');
    emit(draft, 'session.verified');
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
