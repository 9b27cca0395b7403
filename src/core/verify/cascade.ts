// The cascade: the choice of the next leg, and the start, progress, exhaustion and stop of a run. Every event that ends a leg comes
// through here, so that a leg is never left with a message that nothing waits for.

import { type Draft, emit, note, patchMessage, settleDeadline } from './draft.ts';
import { isOutgoing, type Leg, type Message, type Session } from './session.ts';

/** Starts the leg at `position` of the run under way, or the next one that can be used; exhausts the run when there is none. */
export function startLeg(draft: Draft, position: number): void {
  const { session, world } = draft;
  for (let at = position; at < session.legs.length; at += 1) {
    const leg = session.legs[at] as Leg;
    const plan = world.plan(session, leg);
    if (plan.kind === 'skip') {
      note(draft, { kind: 'leg_skipped', position: at, channel: leg.channel, reason: plan.reason });
      continue;
    }
    const message = newMessage(draft, at, leg, plan);
    session.messages.push(message);
    session.position = at;
    session.legEndsAt = world.now + leg.timeoutMs;
    note(draft, { kind: 'leg_started', position: at, channel: leg.channel, messageId: message.id });
    draft.effects.push({ kind: 'send', messageId: message.id, route: plan.route });
    return;
  }
  exhaust(draft);
}

/** Ends the current leg (the caller has recorded why), and goes to the next one. */
export function moveOn(draft: Draft): void {
  withdrawQueued(draft);
  startLeg(draft, draft.session.position + 1);
}

/** Stops the run: a code arrived, or the session is over. Nothing further may be sent, and queued messages are withdrawn. */
export function stopSending(draft: Draft): void {
  withdrawQueued(draft);
  draft.session.position = draft.session.legs.length;
}

/** True while `message` is the leg whose receipt the run is waiting for. */
export function isCurrentLeg(session: Session, message: Message): boolean {
  return (
    session.status === 'pending' &&
    session.delivery === 'sending' &&
    message.run === session.run &&
    message.position === session.position
  );
}

function exhaust(draft: Draft): void {
  const { session } = draft;
  session.position = session.legs.length;
  session.delivery = 'exhausted';
  note(draft, { kind: 'delivery_exhausted' });
  emit(draft, 'session.delivery_exhausted');
  settleDeadline(draft);
}

/**
 * Withdraws every message that was not written yet, and asks the channels to stop what they can (ringing calls).
 * A message in `submitting` may already be on the wire, so its state is left to its answer.
 */
function withdrawQueued(draft: Draft): void {
  for (const message of draft.session.messages) {
    if (!isOutgoing(message) && !(message.status === 'submitted' && message.channel === 'voice')) continue;
    draft.effects.push({ kind: 'withdraw', messageId: message.id, channel: message.channel });
    if (message.status !== 'queued') continue;
    patchMessage(draft, message.id, { status: 'withdrawn', finalAt: draft.world.now });
    const { run, position, channel, id } = message;
    note(draft, { kind: 'message_withdrawn', run, position, channel, messageId: id });
  }
}

function newMessage(
  draft: Draft,
  position: number,
  leg: Leg,
  plan: { route: string; operator: string | null; senderId: string | null },
): Message {
  return {
    id: draft.world.newMessageId(),
    run: draft.session.run,
    position,
    channel: leg.channel,
    route: plan.route,
    operator: plan.operator,
    status: 'queued',
    reason: null,
    errorCode: null,
    senderId: plan.senderId,
    senderFallback: false,
    providerMessageId: null,
    parts: null,
    createdAt: draft.world.now,
    submittedAt: null,
    finalAt: null,
    tariff: null,
    cost: null,
    receipts: [],
  };
}
