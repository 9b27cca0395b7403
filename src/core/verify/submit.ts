// The life of a message between the queue and the carrier's answer. Each outcome says how much is known of it, because a message
// that may have reached the carrier must never be sent again.

import { type Cost, costAtReceipt } from '../money/cost.ts';
import { isCurrentLeg, moveOn } from './cascade.ts';
import { type Draft, emit, messageOf, note, patchMessage } from './draft.ts';
import type { Event, Outcome } from './event.ts';
import { isDelivered } from './receipt.ts';
import { isOutgoing, type Message, type MessageReason } from './session.ts';

const done: Outcome = { kind: 'done' };
const ignored = (reason: string): Outcome => ({ kind: 'ignored', reason });

type SubmitEvent = Extract<
  Event,
  { kind: 'submitting' | 'accepted' | 'rejected' | 'sender_refused' | 'unknown' | 'not_sent' }
>;

export function submit(draft: Draft, event: SubmitEvent): Outcome {
  const message = messageOf(draft, event.messageId);
  if (!message) return ignored('no such message');
  switch (event.kind) {
    case 'submitting':
      return toSubmitting(draft, message);
    case 'accepted':
      return accepted(draft, message, event);
    case 'rejected':
      return rejected(draft, message, event.reason, event.errorCode);
    case 'sender_refused':
      return senderRefused(draft, message, event);
    case 'unknown':
      return unknown(draft, message, event.reason);
    case 'not_sent':
      return notSent(draft, message);
  }
}

/**
 * Only the leg that is still waited for goes out: nothing is sent after the session ended or the code arrived, nor once the
 * leg's time is up: its deadline is about to withdraw the message and start the next leg.
 */
function toSubmitting(draft: Draft, message: Message): Outcome {
  if (message.status !== 'queued') return ignored(`message is ${message.status}`);
  const { legEndsAt } = draft.session;
  const timeIsUp = legEndsAt !== null && draft.world.now >= legEndsAt;
  if (timeIsUp || !isCurrentLeg(draft.session, message)) return ignored('leg is over');
  if (draft.world.suspended) return suspended(draft, message);
  patchMessage(draft, message.id, { status: 'submitting' });
  return done;
}

/** The account is suspended: messages in line are not written any more, and no leg follows. */
function suspended(draft: Draft, message: Message): Outcome {
  const reason = 'account_suspended';
  patchMessage(draft, message.id, { status: 'withdrawn', reason, finalAt: draft.world.now });
  note(draft, { kind: 'message_withdrawn', ...leg(message), reason });
  moveOn(draft);
  return ignored('the account is suspended');
}

/** True while neither an answer nor a receipt has settled the message. */
const isUnanswered = ({ status, finalAt }: Message): boolean =>
  status === 'submitting' || (status === 'unknown' && finalAt === null);

/** A message that the carrier took counts as sent, even where its record says otherwise; only a receipt's status is not overruled. */
function accepted(draft: Draft, message: Message, event: Extract<Event, { kind: 'accepted' }>): Outcome {
  if (message.submittedAt !== null) return ignored('already submitted');
  const { session, world } = draft;
  const waiting = isUnanswered(message) || message.status === 'queued' || message.status === 'withdrawn';
  patchMessage(draft, message.id, {
    status: waiting ? 'submitted' : message.status,
    reason: waiting ? null : message.reason,
    finalAt: waiting ? null : message.finalAt,
    providerMessageId: event.providerMessageId ?? message.providerMessageId,
    parts: event.parts,
    submittedAt: world.now,
    tariff: event.tariff,
    cost: costOnceAccepted(message, event),
  });
  session.firstSendAt ??= world.now;
  note(draft, { kind: 'message_submitted', ...leg(message) });
  emit(draft, 'message.submitted', { messageId: message.id });
  return done;
}

/** The cost once the tariff is known: a receipt that was faster than the submit answer was taken in without it. */
function costOnceAccepted(
  { cost, status, finalAt }: Message,
  { tariff, parts }: Extract<Event, { kind: 'accepted' }>,
): Cost | null {
  if (!cost) {
    return costAtReceipt({ current: null, tariff, parts, delivered: isDelivered(status), final: finalAt !== null });
  }
  const final = cost.final || tariff?.charged === 'submit';
  const revision = cost.revision + (final === cost.final ? 0 : 1);
  return { ...cost, parts, final, revision, billedBy: tariff?.billedBy ?? cost.billedBy };
}

function rejected(draft: Draft, message: Message, reason: MessageReason, errorCode: string | null): Outcome {
  if (!isUnanswered(message) && message.status !== 'queued') return ignored(`message is ${message.status}`);
  const wasCurrent = isCurrentLeg(draft.session, message);
  patchMessage(draft, message.id, { status: 'rejected', reason, errorCode, finalAt: draft.world.now });
  note(draft, { kind: 'message_failed', ...leg(message), reason, ...(errorCode ? { detail: errorCode } : {}) });
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
    return rejected(draft, message, 'sender_id_refused', errorCode);
  }
  patchMessage(draft, message.id, { status: 'queued', senderId: fallback, senderFallback: true, route });
  note(draft, { kind: 'sender_fallback', ...leg(message), reason: 'sender_id_refused', detail: fallback });
  draft.effects.push({ kind: 'send', messageId: message.id, route });
  return done;
}

/** The leg's clock runs on: a receipt may still come, else the deadline moves the cascade. */
function unknown(draft: Draft, message: Message, reason: MessageReason): Outcome {
  if (message.status !== 'submitting') return ignored(`message is ${message.status}`);
  patchMessage(draft, message.id, { status: 'unknown', reason });
  note(draft, { kind: 'message_unknown', ...leg(message), reason });
  return done;
}

/** Returns the message to the queue, or withdraws it where its leg is over; the process that saves this decides which one sends it. */
function notSent(draft: Draft, message: Message): Outcome {
  if (!isOutgoing(message)) return ignored(`message is ${message.status}`);
  if (!isCurrentLeg(draft.session, message)) {
    patchMessage(draft, message.id, { status: 'withdrawn', finalAt: draft.world.now });
    note(draft, { kind: 'message_withdrawn', ...leg(message) });
    return done;
  }
  if (message.status !== 'queued') patchMessage(draft, message.id, { status: 'queued' });
  draft.effects.push({ kind: 'send', messageId: message.id, route: message.route });
  return done;
}

const leg = ({ run, position, channel, id }: Message) => ({ run, position, channel, messageId: id });
