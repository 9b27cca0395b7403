// The state machine of a session: advance(session, event, world). It is pure: the same arguments give the same result and nothing is
// changed, so every story of a session can be replayed in a test.

import { isCalling, isCurrentLeg, isInDoubt, moveOn, sendWaitingCall, stopSending } from './cascade.ts';
import { check, endVerified } from './check.ts';
import { forgottenCode } from './code.ts';
import { type Draft, emit, legOverAt, note, settleDeadline, startDraft } from './draft.ts';
import type { Advance, Event, Outcome, World } from './event.ts';
import { takeReceipt } from './receipt.ts';
import { resend } from './resend.ts';
import { type CancelReason, isTerminal, type Session } from './session.ts';
import { submit } from './submit.ts';
import { endUndelivered } from './undelivered.ts';

/**
 * The state after `event`, the effects to carry out, and the outcome for the caller.
 * When nothing changed and nothing is to be done, `next` is the very session passed in.
 */
export function advance(session: Session, event: Event, world: World): Advance {
  const draft = startDraft(session, world);
  const expired = expireIfDue(draft);
  const outcome = apply(draft, event, expired);
  if (isCalling(session) && !isCalling(draft.session)) sendWaitingCall(draft);
  if (draft.effects.length === 0 && !changed(session, draft.session) && !isMoved(session, event, world))
    return { next: session, effects: [], outcome };
  settleDeadline(draft);
  forgetCode(draft);
  return { next: draft.session, effects: draft.effects, outcome };
}

/**
 * Whether a change of the rules has moved the deadline, which is then set again: one that rings in vain, or one that comes later than that of a
 * call which may not begin any more.
 */
function isMoved(session: Session, { kind }: Event, { now, rules }: World): boolean {
  const { nextAt } = session;
  if (nextAt === null) return false;
  if (kind === 'deadline') return nextAt <= now;
  const overAt = legOverAt(session, rules);
  return kind === 'submitting' && overAt !== null && overAt <= now && overAt < nextAt;
}

function apply(draft: Draft, event: Event, expired: boolean): Outcome {
  switch (event.kind) {
    case 'deadline':
      return deadline(draft, expired);
    case 'check':
      return check(draft, event);
    case 'cancel':
      return cancel(draft, event.reason);
    case 'reported_verified':
      return verify(draft);
    case 'resend':
      return resend(draft, event);
    case 'receipt':
      return takeReceipt(draft, event);
    default:
      return submit(draft, event);
  }
}

/** The session's own end comes before anything else that happens at the same time: no code verifies after it. */
function expireIfDue(draft: Draft): boolean {
  const { session, world } = draft;
  if (session.status !== 'pending' || world.now < session.expiresAt) return false;
  session.status = 'expired';
  note(draft, { kind: 'session_expired' });
  stopSending(draft, 'session_over');
  emit(draft, 'session.expired');
  return true;
}

/** What was due before may have ended the leg, or begun the next one. */
function deadline(draft: Draft, expired: boolean): Outcome {
  const ended = endUndelivered(draft);
  const overAt = legOverAt(draft.session, draft.world.rules);
  const isLegOver = !isTerminal(draft.session) && overAt !== null && draft.world.now >= overAt;
  if (isLegOver) endLeg(draft);
  return expired || ended || isLegOver ? { kind: 'done' } : { kind: 'ignored', reason: 'nothing is due' };
}

function endLeg(draft: Draft): void {
  const { session } = draft;
  const { position } = session;
  const leg = session.legs[position];
  const isDoubted = session.messages.some((each) => isCurrentLeg(session, each) && isInDoubt(each));
  // Behind the last leg a message in doubt is waited for, and no leg has timed out.
  if (leg)
    note(draft, {
      kind: 'leg_timed_out',
      position,
      channel: leg.channel,
      ...(isDoubted ? { reason: 'in_doubt' } : {}),
    });
  moveOn(draft);
}

/** The caller's own code is stored for as long as it can be checked, and not a save longer. */
function forgetCode({ session }: Draft): void {
  if (isTerminal(session) && session.sealedCode !== null) session.sealedCode = forgottenCode;
}

function verify(draft: Draft): Outcome {
  if (draft.session.status !== 'pending') return { kind: 'ignored', reason: `session is ${draft.session.status}` };
  endVerified(draft, 'reported');
  return { kind: 'done' };
}

function cancel(draft: Draft, reason: CancelReason): Outcome {
  if (draft.session.status !== 'pending') return { kind: 'ignored', reason: `session is ${draft.session.status}` };
  draft.session.status = 'canceled';
  draft.session.statusReason = reason;
  note(draft, { kind: 'session_canceled', reason });
  stopSending(draft, 'session_over');
  emit(draft, 'session.canceled');
  return { kind: 'done' };
}

/** Every change of state leaves a line in the timeline or replaces a message. */
function changed(before: Session, after: Session): boolean {
  return (
    before.timeline.length !== after.timeline.length ||
    before.messages.some((message, index) => message !== after.messages[index])
  );
}
