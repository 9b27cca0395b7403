// The life of a message between the queue and the carrier's answer. Each outcome says how much is known of it, because a message
// that may have reached the carrier must never be sent again.

import { storableId } from '../erasure/number-forms.ts';
import { type Cost, chargedParts, costAtReceipt } from '../money/cost.ts';
import { callAfter, lostCall, secondsOf } from './call.ts';
import {
  askToStop,
  doubt,
  endDoubt,
  isAnswered,
  isCallInHand,
  isCalling,
  isCurrentLeg,
  isInDoubt,
  moveOn,
  noteBusy,
  reasonOfLost,
  stoppedByAccount,
  unwantedAt,
  whySkipped,
} from './cascade.ts';
import { type Draft, emit, legOverAt, messageOf, note, patchMessage } from './draft.ts';
import type { AcceptedEvent, Event, Outcome, RejectedEvent, SkippedLeg } from './event.ts';
import { isDelivered, isOutgoing, type Message, type MessageReason, type TimelineEntry } from './session.ts';

const done: Outcome = { kind: 'done' };
const ignored = (reason: string): Outcome => ({ kind: 'ignored', reason });

type SubmitEvent = Extract<
  Event,
  {
    kind:
      | 'submitting'
      | 'accepted'
      | 'answered'
      | 'holder_lost'
      | 'rejected'
      | 'sender_refused'
      | 'unknown'
      | 'not_sent';
  }
>;

export function submit(draft: Draft, event: SubmitEvent): Outcome {
  const message = messageOf(draft, event.messageId);
  if (!message) return ignored('no such message');
  switch (event.kind) {
    case 'submitting':
      return toSubmitting(draft, message, event.holder);
    case 'accepted':
      return accepted(draft, message, event);
    case 'answered':
      return answered(draft, message, event);
    case 'holder_lost':
      return holderLost(draft, message, event.holder);
    case 'rejected':
      return rejected(draft, message, event);
    case 'sender_refused':
      return senderRefused(draft, message, event);
    case 'unknown':
      return unknown(draft, message, event);
    case 'not_sent':
      return notSent(draft, message, event);
  }
}

/** Why a call is passed over while the one before it rings or talks. */
export const callBefore = 'the call before it is not over';

/**
 * Only the leg that is still waited for goes out: nothing is sent after the session ended or the code arrived, nor once the
 * leg's time is up: its deadline is about to withdraw the message and start the next leg.
 */
function toSubmitting(draft: Draft, message: Message, holder: string): Outcome {
  if (message.status !== 'queued') return ignored(`message is ${message.status}`);
  const overAt = legOverAt(draft.session, draft.world.rules);
  const timeIsUp = overAt !== null && draft.world.now >= overAt;
  if (timeIsUp || !isCurrentLeg(draft.session, message)) return ignored('leg is over');
  const stopped = stoppedByAccount(draft, message);
  if (stopped && stopped !== 'budget_exhausted') return takenBack(draft, message, stopped);
  if (message.channel === 'voice' && isCalling(draft.session)) return ignored(callBefore);
  patchMessage(draft, message.id, { status: 'submitting', holder });
  return done;
}

/** The next leg is taken, where the account may have one. */
function takenBack(draft: Draft, message: Message, reason: MessageReason): Outcome {
  noteBusy(draft, message);
  patchMessage(draft, message.id, { status: 'withdrawn', reason, finalAt: draft.world.now });
  note(draft, { kind: 'message_withdrawn', ...leg(message), reason });
  moveOn(draft);
  return ignored(`the account stops it: ${reason}`);
}

/** True while neither an answer nor a receipt has settled the message. */
const isUnanswered = ({ status, finalAt }: Message): boolean =>
  status === 'submitting' || (status === 'unknown' && finalAt === null);

/** A message that the carrier took counts as sent, even where its record says otherwise; only a receipt's status is not overruled. */
function accepted(draft: Draft, message: Message, event: AcceptedEvent): Outcome {
  if (message.submittedAt !== null) return renamed(draft, message, event);
  const { session, world } = draft;
  // An SMS in doubt was taken at any time since its leg began, before a later leg maybe: the earliest is kept, or its carrier would look faster than
  // it was. Of one that is being written the answer has come, and is about to be stored.
  const isLost = event.reported && message.channel === 'sms' && message.status !== 'submitting';
  const submittedAt = isLost ? message.createdAt : world.now;
  const staysInDoubt = event.failed === true && isInDoubt(message);
  const isWaiting = isUnanswered(message) || message.status === 'queued' || message.status === 'withdrawn';
  const call = callAfter(message.call, event.call);
  if (!staysInDoubt) endDoubt(draft, message);
  const after = patchMessage(draft, message.id, {
    ...(isWaiting && !staysInDoubt
      ? ({ status: 'submitted', reason: null, errorCode: null, finalAt: null } as const)
      : {}),
    providerMessageId: storableId(session.to, message.channel, event.providerMessageId ?? message.providerMessageId),
    parts: chargedParts(event.tariff, event.parts, call && secondsOf(call)),
    submittedAt,
    tariff: event.tariff,
    call,
    cost: costOnceAccepted({ ...message, call }, event),
  });
  session.firstSendAt = Math.min(session.firstSendAt ?? submittedAt, submittedAt);
  noteBusy(draft, message);
  note(draft, {
    kind: 'message_submitted',
    ...leg(message),
    ...(event.call ? { detail: event.call.state } : {}),
    ...callOf(event),
  });
  emit(draft, 'message.submitted', { messageId: message.id });
  // Its channel may be about to try it again after an answer that was wrong.
  const isTriedAgain = event.reported && message.status === 'submitting' && message.channel !== 'voice';
  const why = isTriedAgain ? 'leg_over' : unwantedAt(session, after);
  // The process that tries it has it in hand no longer by the answer, and still has to hear of it.
  if (why) askToStop(draft, isTriedAgain ? message : after, why);
  return done;
}

/**
 * The carrier's own answer has the last word on its id. A receipt that came before may have the id in another form, or be that of another message
 * and taken for this one by its phone.
 */
function renamed(draft: Draft, message: Message, { providerMessageId, reported }: AcceptedEvent): Outcome {
  const id = storableId(draft.session.to, message.channel, providerMessageId);
  if (reported || id === null || id === message.providerMessageId) return ignored('already submitted');
  patchMessage(draft, message.id, { providerMessageId: id });
  return done;
}

/** The cost once the tariff is known: a receipt that was faster than the submit answer was taken in without it. */
function costOnceAccepted(
  { cost, status, finalAt, call }: Message,
  { tariff, parts: counted }: AcceptedEvent,
): Cost | null {
  const seconds = call && secondsOf(call);
  if (!cost) {
    const final = call ? seconds !== null : finalAt !== null && status !== 'unknown';
    return costAtReceipt({ current: null, tariff, parts: counted, seconds, delivered: isDelivered(status), final });
  }
  const parts = chargedParts(tariff, counted, seconds);
  const final = cost.final || tariff?.charged === 'submit';
  const revision = cost.revision + (final === cost.final ? 0 : 1);
  return { ...cost, parts, final, revision, billedBy: tariff?.billedBy ?? cost.billedBy };
}

/** The leg holds until the call's own limit, so that no other message follows while the callee listens. */
function answered(draft: Draft, message: Message, event: Extract<Event, { kind: 'answered' }>): Outcome {
  if (isAnswered(message) || message.call?.ended) return ignored('already answered, or over');
  const { session } = draft;
  const call = callAfter(message.call, event.call);
  if (call !== message.call) patchMessage(draft, message.id, { call });
  note(draft, { kind: 'call_answered', ...leg(message), ...callOf(event) });
  if (isCurrentLeg(session, message)) session.legEndsAt = Math.max(session.legEndsAt ?? 0, event.holdUntil);
  return done;
}

/** Nobody knows whether it was written, and it never is again. After a call the cascade goes on at once: no receipt will end it. */
function holderLost(draft: Draft, message: Message, holder: string): Outcome {
  if (message.holder !== holder) return ignored('another process holds the message');
  // A process that was only asleep hears it when it wakes up.
  const why = reasonOfLost(draft.session);
  if (isCallInHand(message) && (why === 'session_over' || !isAnswered(message))) askToStop(draft, message, why);
  const call = lostCall(message.call);
  if (message.status === 'submitting' || message.status === 'submitted') {
    return inDoubt(draft, message, { reason: 'process_lost', call });
  }
  patchMessage(draft, message.id, { call });
  return done;
}

function rejected(
  draft: Draft,
  message: Message,
  { reason, errorCode, call }: Pick<RejectedEvent, 'reason' | 'errorCode' | 'call'>,
): Outcome {
  if (!isUnanswered(message) && message.status !== 'queued') return ignored(`message is ${message.status}`);
  const wasCurrent = isCurrentLeg(draft.session, message);
  noteBusy(draft, message);
  patchMessage(draft, message.id, {
    status: 'rejected',
    reason,
    errorCode,
    finalAt: draft.world.now,
    call: callAfter(message.call, call),
    holder: null,
  });
  const detail = [errorCode, call?.state].filter(Boolean).join(' ');
  note(draft, { kind: 'message_failed', ...leg(message), reason, ...(detail ? { detail } : {}), ...callOf({ call }) });
  emit(draft, 'message.failed', { messageId: message.id });
  if (wasCurrent) moveOn(draft);
  return done;
}

/** Sends the message once more under the default name, and notes it in the timeline; a second refusal is a rejection. */
function senderRefused(
  draft: Draft,
  message: Message,
  { fallback, errorCode, route = message.route }: Extract<Event, { kind: 'sender_refused' }>,
): Outcome {
  if (!isUnanswered(message)) return ignored(`message is ${message.status}`);
  const isOther = fallback !== message.senderId || route !== message.route;
  const again = message.status === 'submitting' && !message.senderFallback && isOther;
  if (!again || fallback === null || !isCurrentLeg(draft.session, message)) {
    return rejected(draft, message, { reason: 'sender_id_refused', errorCode });
  }
  patchMessage(draft, message.id, { status: 'queued', senderId: fallback, senderFallback: true, route, holder: null });
  note(draft, { kind: 'sender_fallback', ...leg(message), reason: 'sender_id_refused', detail: fallback });
  draft.effects.push({ kind: 'send', messageId: message.id, route });
  return done;
}

function unknown(draft: Draft, message: Message, event: Extract<Event, { kind: 'unknown' }>): Outcome {
  if (message.status !== 'submitting') return ignored(`message is ${message.status}`);
  return inDoubt(draft, message, { reason: event.reason, call: callAfter(message.call, event.call) });
}

/**
 * A receipt may still come; a short while without one moves the cascade. After a call in doubt the next leg starts at once: a call that
 * went well would have been answered or refused by now.
 */
function inDoubt(draft: Draft, message: Message, { reason, call }: Pick<Message, 'reason' | 'call'>): Outcome {
  const wasCurrent = isCurrentLeg(draft.session, message);
  noteBusy(draft, message);
  patchMessage(draft, message.id, { status: 'unknown', reason, call, holder: null });
  note(draft, { kind: 'message_unknown', ...leg(message), ...(reason ? { reason } : {}), ...callOf({ call }) });
  if (message.channel !== 'voice') doubt(draft, message);
  else if (wasCurrent) moveOn(draft);
  return done;
}

/**
 * Returns the message to the queue, or withdraws it where its leg is over or its operator is out; the process that saves this decides which
 * one sends it.
 */
function notSent(draft: Draft, before: Message, { holder, busy }: Extract<Event, { kind: 'not_sent' }>): Outcome {
  if (!isOutgoing(before)) return ignored(`message is ${before.status}`);
  if (before.status === 'submitting' && before.holder !== holder) return ignored('another process writes the message');
  const message =
    busy === undefined ? before : patchMessage(draft, before.id, { errorCode: busy, refusals: before.refusals + 1 });
  const isCurrent = isCurrentLeg(draft.session, message);
  const outage = isCurrent ? outageOf(draft, message) : null;
  if (!isCurrent || outage) {
    noteBusy(draft, message);
    patchMessage(draft, message.id, { status: 'withdrawn', finalAt: draft.world.now, holder: null });
    if (outage) note(draft, { kind: 'leg_skipped', ...leg(message), ...whySkipped(outage) });
    else note(draft, { kind: 'message_withdrawn', ...leg(message) });
    if (outage) moveOn(draft);
    return done;
  }
  if (message.status !== 'queued') patchMessage(draft, message.id, { status: 'queued', holder: null });
  draft.effects.push({ kind: 'send', messageId: message.id, route: message.route });
  return done;
}

/** Why nothing is to wait for the message's operator any longer; null while its leg would be taken now, too. */
function outageOf({ session, world }: Draft, { position }: Message): SkippedLeg | null {
  const planned = session.legs[position];
  const plan = planned && world.plan(session, planned);
  if (plan?.kind !== 'skip') return null;
  return plan.reason === 'operator_down' || plan.reason === 'operator_maintenance' ? plan : null;
}

const callOf = ({ call }: { call?: Message['call'] | undefined }): Pick<TimelineEntry, 'call'> =>
  call ? { call } : {};

const leg = ({ run, position, channel, id }: Message) => ({ run, position, channel, messageId: id });
