// From a state and the one after it to the rows that are saved: pure, so that what is stored can be tested without a database.

import type { Effect } from '../../core/verify/event.ts';
import { isOutgoing, type Message, type Receipt, type Session } from '../../core/verify/session.ts';
import { type EventBody, eventBody, lockedType, numberLocked } from '../../core/webhooks/event-body.ts';
import { limitValues, type NumberLimits } from '../../db/limits/number-tokens.ts';
import type { OpenItem } from '../../db/verify/open.ts';
import type { SavedKeyRow, SavedMessageRow, SavedReceiptRow } from '../../db/verify/rows.ts';
import type { SaveItem } from '../../db/verify/save.ts';
import type { Idempotency } from './idempotency.ts';

/** What a change needs to know beside the two states. */
export interface ChangeContext {
  now: number;
  holder: string | null;
  /** True while the account may still be waiting for its first live SMS. */
  maybeFirst: boolean;
  /** The same for its first session sent from the business's own messaging-app number. */
  maybeAppFirst: boolean;
  newEventId(): string;
  /** Who posts the webhooks, and until when (Unix ms): what it does not get to is taken up by another. */
  deliveryHolder: string;
  deliveryLeaseUntil: number;
  /** What sends to the number are held against; null where they are not counted. */
  numberLimits: NumberLimits | null;
}

export interface Change {
  item: SaveItem;
  bodies: EventBody[];
}

/** Parts of a save that do not come from the state machine. */
export interface Extras {
  /** References the carrier's receipts will name, by message. */
  references: { messageId: string; operator: string; reference: string }[];
  idempotency: (Idempotency & { answer: unknown }) | null;
  /** True where a check is in it: refused while the number is locked. */
  guarded: boolean;
  /** 1 where that check was wrong. */
  failures: number;
  /** 1 where a resend is in it: it takes a token of its number. */
  sends: number;
}

export function toSaveItem(
  before: Session,
  next: Session,
  effects: readonly Effect[],
  extras: Extras,
  context: ChangeContext,
): Change {
  const bodies = effects.flatMap((effect) =>
    effect.kind === 'emit' ? [eventBody(next, effect, context.newEventId())] : [],
  );
  const locks = extras.failures > 0 ? [numberLocked(next, context.newEventId(), context.now)] : [];
  const item: SaveItem = {
    session: {
      account_id: next.accountId,
      id: next.id,
      version: before.version,
      mode: next.mode,
      number: next.to,
      purpose: next.purpose,
      status: next.status,
      status_reason: next.statusReason,
      delivery: next.delivery,
      legs: next.legs === before.legs ? null : next.legs,
      run: next.run,
      position: next.position,
      sends: next.sends,
      attempts: next.attempts,
      last_send_at: next.lastSendAt,
      first_send_at: next.firstSendAt,
      verified_at: next.verifiedAt,
      leg_ends_at: next.legEndsAt,
      next_at: next.nextAt,
      event_sequence: next.eventSequence,
      timeline: next.timeline.slice(before.timeline.length),
      holder: next.messages.some(isOutgoing) ? context.holder : null,
      guarded: extras.guarded,
      failures: extras.failures,
      now: context.now,
    },
    messages: next.messages
      .filter((message, index) => message !== before.messages[index])
      .map((message) => messageRow(next, message, context)),
    receipts: effects.flatMap((effect) => (effect.kind === 'receipt' ? [receiptRow(next, effect.receipt)] : [])),
    references: extras.references.map(({ messageId, operator, reference }) => ({
      operator,
      reference,
      message_id: messageId,
      account_id: next.accountId,
      session_id: next.id,
      number: next.to,
      submitted_at: context.now,
    })),
    events: [...bodies, ...locks].map((body) => ({
      account_id: next.accountId,
      session_id: next.id,
      mode: next.mode,
      id: body.id,
      type: body.type,
      body: body.json,
      created_at: context.now,
      next_at: context.deliveryLeaseUntil,
      delivery_holder: context.deliveryHolder,
      when_locked: body.type === lockedType,
    })),
    keys: extras.idempotency ? [keyRow(next, extras.idempotency, context.now)] : [],
    sends:
      extras.sends > 0 && context.numberLimits
        ? [{ account_id: next.accountId, id: next.id, number: next.to, ...limitValues(context.numberLimits) }]
        : [],
  };
  return { item, bodies: [...bodies, ...locks] };
}

export function toOpenItem(
  session: Session,
  holder: string,
  idempotency: (Idempotency & { answer: unknown }) | null,
  numberLimits: NumberLimits | null = null,
): OpenItem {
  return {
    session: {
      account_id: session.accountId,
      id: session.id,
      mode: session.mode,
      number: session.to,
      purpose: session.purpose,
      channel: session.channel,
      language: session.language,
      code_length: session.codeLength,
      key_id: session.keyId,
      salt: session.salt === null ? null : Buffer.from(session.salt, 'hex'),
      sender_id: session.senderId,
      client_reference: session.clientReference,
      autofill: session.autofill,
      cascade: session.cascade,
      delivery: session.delivery,
      legs: session.legs,
      position: session.position,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      leg_ends_at: session.legEndsAt,
      next_at: session.nextAt,
      event_sequence: session.eventSequence,
      timeline: session.timeline,
      holder,
      ...idempotencyColumns(idempotency),
      ...limitValues(numberLimits),
    },
    messages: session.messages.map((message) => messageRow(session, message, nothingFirst)),
  };
}

function idempotencyColumns(idempotency: (Idempotency & { answer: unknown }) | null) {
  return {
    idempotency_route: idempotency?.route ?? null,
    idempotency_key: idempotency?.key ?? null,
    idempotency_hash: idempotency?.hash ?? null,
    idempotency_answer: idempotency?.answer ?? null,
  };
}

function keyRow(session: Session, kept: Idempotency & { answer: unknown }, now: number): SavedKeyRow {
  const { route, key, hash, answer } = kept;
  return {
    account_id: session.accountId,
    session_id: session.id,
    mode: session.mode,
    route,
    key,
    request_hash: hash,
    answer,
    created_at: now,
  };
}

type Firsts = Pick<ChangeContext, 'maybeFirst' | 'maybeAppFirst'>;
const nothingFirst: Firsts = { maybeFirst: false, maybeAppFirst: false };

function messageRow(session: Session, message: Message, { maybeFirst, maybeAppFirst }: Firsts): SavedMessageRow {
  const acceptedLive = session.mode === 'live' && message.submittedAt !== null;
  // Only a business's own number has a name there, and none is left once the message went out from the platform's.
  const own = message.channel === 'whatsapp' && message.senderId !== null && !message.senderFallback;
  return {
    account_id: session.accountId,
    id: message.id,
    session_id: session.id,
    run: message.run,
    position: message.position,
    channel: message.channel,
    route: message.route,
    operator: message.operator,
    status: message.status,
    reason: message.reason,
    error_code: message.errorCode,
    sender_id: message.senderId,
    sender_fallback: message.senderFallback,
    provider_message_id: message.providerMessageId,
    parts: message.parts,
    created_at: message.createdAt,
    submitted_at: message.submittedAt,
    final_at: message.finalAt,
    tariff: message.tariff,
    cost: message.cost,
    receipts: message.receipts,
    maybe_first: maybeFirst && acceptedLive && message.channel === 'sms',
    maybe_app_first: maybeAppFirst && acceptedLive && own,
  };
}

function receiptRow(session: Session, receipt: Receipt): SavedReceiptRow {
  return {
    account_id: session.accountId,
    id: receipt.id,
    session_id: session.id,
    message_id: receipt.messageId,
    run: receipt.run,
    channel: receipt.channel,
    operator: receipt.operator,
    sender_id: receipt.senderId,
    status: receipt.status,
    provider_status: receipt.providerStatus,
    error_code: receipt.errorCode,
    operator_timestamp: receipt.operatorTimestamp,
    received_at: receipt.receivedAt,
    provider_message_id: receipt.providerMessageId,
    cost: receipt.cost,
    raw: receipt.raw,
  };
}
