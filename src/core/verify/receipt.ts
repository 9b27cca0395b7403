// The effect of a delivery receipt on its message, its session and the bill. The effect is idempotent and monotonic, because carriers
// repeat and reorder: any sequence of the same receipts ends in the same message (the rank below is a total order, and the highest wins).

import { isErased, storableId } from '../erasure/number-forms.ts';
import { chargedParts, costAtReceipt } from '../money/cost.ts';
import { callAfter, markOf, secondsOf } from './call.ts';
import { endDoubt, isCurrentLeg, moveOn, sendElsewhere, stopSending } from './cascade.ts';
import { type Draft, emit, messageOf, note, patchMessage, settleDeadline } from './draft.ts';
import type { Event, Outcome } from './event.ts';
import {
  type IncomingReceipt,
  isDelivered,
  type Message,
  type MessageStatus,
  type Receipt,
  type ReceiptStatus,
  type Session,
} from './session.ts';

/**
 * Receipts of one message beyond this are dropped: no carrier has that much to say, a broken one may never stop. One that
 * raises the status or ends a call is always taken (that can't happen often), or twenty ENROUTEs would hide the DELIVRD behind them.
 */
const maxReceipts = 20;

const statusOf: Record<ReceiptStatus, MessageStatus | null> = {
  ENROUTE: null, // not final (SMPP v3.4 5.2.28)
  ACCEPTD: null, // not final either, whatever its name says
  UNKNOWN: 'unknown',
  EXPIRED: 'expired',
  DELETED: 'undelivered',
  UNDELIV: 'undelivered',
  REJECTD: 'rejected',
  DELIVRD: 'delivered',
};

/** Delivered overrides an earlier negative final, never the reverse. */
const rank: Record<MessageStatus, number> = {
  queued: 0,
  withdrawn: 1,
  submitting: 2,
  submitted: 3,
  unknown: 4,
  expired: 5,
  undelivered: 6,
  rejected: 7,
  delivered: 8,
  answered: 9,
  read: 10,
};

const isNegative = (status: MessageStatus): boolean => rank[status] >= rank.expired && !isDelivered(status);

/** Whether the carrier says that it has not delivered the message, and will not. */
export const saysFailed = (receipt: IncomingReceipt): boolean => isNegative(wordOf(receipt) ?? 'queued');

export function takeReceipt(draft: Draft, event: Extract<Event, { kind: 'receipt' }>): Outcome {
  const before = messageOf(draft, event.messageId);
  if (!before) return { kind: 'ignored', reason: 'no such message' };
  // Any phone could have written it: it may move a message on, and never change how one has ended.
  if (event.unmarked && rank[before.status] >= rank.expired) return { kind: 'ignored', reason: 'message has ended' };
  const mark = fingerprint(event.receipt);
  if (before.receipts.includes(mark)) return { kind: 'ignored', reason: 'repeated receipt' };
  const raises = rank[wordOf(event.receipt) ?? 'queued'] > rank[before.status] || event.receipt.call?.ended === true;
  if (before.receipts.length >= maxReceipts && !raises) {
    return { kind: 'ignored', reason: 'too many receipts' };
  }

  const wasCurrent = isCurrentLeg(draft.session, before);
  endDoubt(draft, before, { failed: saysFailed(event.receipt) });
  const after = patchMessage(draft, before.id, {
    ...messageAfter(before, event.receipt),
    receipts: [...before.receipts, mark],
  });
  const receipt = receiptRow(event, after, draft.session);
  draft.effects.push({ kind: 'receipt', receipt });
  const { run, position, channel, id } = after;
  note(draft, {
    kind: 'receipt_received',
    run,
    position,
    channel,
    messageId: id,
    reason: event.receipt.status,
    ...errorDetail(event.receipt),
    ...(event.receipt.call ? { call: event.receipt.call } : {}),
  });
  emit(draft, 'receipt.updated', { messageId: id, receipt });

  if (isDelivered(after.status) && !isDelivered(before.status)) delivered(draft, after);
  else if (wasCurrent && isNegative(after.status)) {
    const { elsewhere } = event.receipt;
    if (elsewhere && after.status === 'rejected' && !after.senderFallback) sendElsewhere(draft, after, elsewhere);
    else moveOn(draft);
  }
  return { kind: 'done' };
}

const errorDetail = ({ errorCode, errorText }: IncomingReceipt): { detail?: string } =>
  errorCode ? { detail: errorText ? `${errorCode}: ${errorText}` : errorCode } : {};

/** Stops further legs, whichever leg it was. The session stays pending: the code has still to come back. */
function delivered(draft: Draft, message: Message): void {
  if (draft.session.delivery === 'delivered') return; // by another leg, whose receipt has stopped everything
  draft.session.delivery = 'delivered';
  note(draft, { kind: 'delivery_delivered' });
  stopSending(draft, 'delivered_elsewhere', message);
  settleDeadline(draft);
}

function wordOf(receipt: IncomingReceipt): MessageStatus | null {
  return receipt.status === 'DELIVRD' && receipt.detail ? receipt.detail : statusOf[receipt.status];
}

/** An operator's clock, or the zone it is read in, may be hours off: beyond this our own time holds. */
const mostOffMs = 600_000;

/** When it happened, as far as it can be known. The operator's own time is told as it came, in the receipt. */
export function believedTime({
  operatorTimestamp,
  receivedAt,
}: Pick<IncomingReceipt, 'operatorTimestamp' | 'receivedAt'>) {
  const isBelieved = operatorTimestamp !== null && Math.abs(operatorTimestamp - receivedAt) <= mostOffMs;
  return isBelieved ? operatorTimestamp : receivedAt;
}

const hasEnded = (word: MessageStatus | null): boolean => word !== null && word !== 'unknown';

const minuteMs = 60_000;

/**
 * When the message ended, as far as it can be known. Many SMSCs write dates without seconds: of such a minute it is the latest moment that the
 * receipt allows, so that no carrier looks faster than it was. Other carriers always state the second. A time before the carrier accepted the message can't be true:
 * then the time is that of the receipt, or that of the answer where the receipt was faster.
 */
function endOf({ channel, submittedAt }: Message, receipt: IncomingReceipt): number {
  const { receivedAt } = receipt;
  const at = believedTime(receipt);
  const isWholeMinute = channel === 'sms' && at % minuteMs === 0;
  const latest = isWholeMinute ? Math.max(at, Math.min(at + minuteMs - 1, receivedAt)) : at;
  const least = submittedAt ?? 0;
  return latest < least ? Math.max(receivedAt, least) : latest;
}

function messageAfter(message: Message, receipt: IncomingReceipt): Partial<Message> {
  const word = wordOf(receipt);
  const call = callAfter(message.call, receipt.call);
  const seconds = call && secondsOf(call);
  const cost = costAtReceipt({
    current: message.cost,
    tariff: message.tariff,
    parts: message.parts ?? 1,
    seconds,
    delivered: isDelivered(message.status) || (word !== null && isDelivered(word)),
    // Final once any receipt has said how the message ended: a late ENROUTE takes nothing back, and one that is not understood may have meant
    // that it was delivered. That of a call is final with its length.
    final: call ? seconds !== null : hasEnded(word) || (message.finalAt !== null && hasEnded(message.status)),
    operatorAmount: receipt.operatorAmount,
    billable: receipt.billable,
    statedAt: believedTime(receipt),
  });
  const known = {
    cost,
    call,
    parts: message.parts === null ? null : chargedParts(message.tariff, message.parts, seconds),
  };
  if (word === null) return known;
  const at = endOf(message, receipt);
  const wins = outranks(word, at, receipt.errorCode, message);
  const end = wins ? { status: word, reason: null, errorCode: receipt.errorCode } : {};
  return { ...known, ...end, finalAt: finalAtOf(message, word, at, wins) };
}

/**
 * When the message ended. A message is delivered once, at the earliest time that any of its receipts has: a `read` hours later, the end of a
 * call or a second device makes no delivery slower.
 */
function finalAtOf(message: Message, word: MessageStatus, at: number, wins: boolean): number | null {
  if (isDelivered(word) && isDelivered(message.status)) return Math.min(message.finalAt ?? at, at);
  return wins ? at : message.finalAt;
}

/**
 * Higher status first; of two alike the later, then the greater error code, so that no order of arrival matters. Of a delivered message the time
 * that is kept may be another receipt's (`finalAtOf`), so it decides nothing.
 */
function outranks(status: MessageStatus, at: number, errorCode: string | null, message: Message): boolean {
  if (rank[status] !== rank[message.status]) return rank[status] > rank[message.status];
  if (at !== message.finalAt && !isDelivered(status)) return at > (message.finalAt ?? 0);
  return (errorCode ?? '') > (message.errorCode ?? '');
}

/** The report names the phone as well: of a session whose number was erased it is not kept. */
function receiptRow(event: Extract<Event, { kind: 'receipt' }>, message: Message, { to }: Session): Receipt {
  const { elsewhere, ...received } = event.receipt;
  return {
    ...received,
    raw: isErased(to) ? '' : received.raw,
    id: event.receiptId,
    messageId: message.id,
    run: message.run,
    channel: message.channel,
    operator: message.operator,
    senderId: message.senderId,
    cost: message.cost,
    call: received.call ?? null,
    providerMessageId: storableId(to, message.channel, message.providerMessageId ?? received.providerMessageId),
  };
}

function fingerprint(receipt: IncomingReceipt): string {
  const { status, providerStatus, detail, errorCode, operatorTimestamp, operatorAmount, billable, call } = receipt;
  const { amount, currency } = operatorAmount ?? {};
  // Without a call as it has always been: what is stored with a message is compared with what comes after an update of the service.
  const ofCall = call ? [markOf(call)] : [];
  return [status, providerStatus, detail, errorCode, operatorTimestamp, amount, currency, billable, ...ofCall]
    .map((x) => x ?? '')
    .join('|');
}
