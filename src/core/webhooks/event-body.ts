// Bodies of webhook events about a session, as proto/ramz/v1/webhook.proto declares them (a test holds the two equal).
// Rendered when the event happens: a body tells the state of that moment, however late it is delivered.

import type { Cost } from '../money/cost.ts';
import type { Effect } from '../verify/event.ts';
import type { Message, Receipt, Session } from '../verify/session.ts';

export const apiVersion = 'v1';

export interface EventBody {
  id: string;
  type: string;
  json: string;
}

type Emit = Extract<Effect, { kind: 'emit' }>;

export function eventBody(session: Session, event: Emit, id: string): EventBody {
  const message = session.messages.find((each) => each.id === event.messageId);
  const envelope = {
    id,
    type: event.type,
    api_version: apiVersion,
    account_id: session.accountId,
    test: session.mode === 'test',
    session_sequence: event.sequence,
    timestamp: iso(event.at),
    data: dataOf(session, event, message),
  };
  return { id, type: event.type, json: JSON.stringify(envelope) };
}

export const lockedType = 'number.locked';

/**
 * Made for every wrong code; stored only for the one that locks its number. Only the statement that counts wrong codes knows their number
 * and the end of the lock: it completes `data` (db/verify/failures-text.ts). Not numbered: it is about the number, not about one session.
 */
export function numberLocked(session: Session, id: string, at: number): EventBody {
  const envelope = {
    id,
    type: lockedType,
    api_version: apiVersion,
    account_id: session.accountId,
    test: session.mode === 'test',
    session_sequence: 0,
    timestamp: iso(at),
    data: { to: session.to, session_id: session.id },
  };
  return { id, type: lockedType, json: JSON.stringify(envelope) };
}

function dataOf(session: Session, event: Emit, message: Message | undefined): object {
  if (event.receipt) return receiptData(session, event.receipt);
  return message ? messageData(session, message) : sessionData(session);
}

function receiptData(session: Session, receipt: Receipt): object {
  return {
    session_id: session.id,
    message_id: receipt.messageId,
    run: receipt.run,
    channel: receipt.channel,
    operator: receipt.operator ?? '',
    sender_id: receipt.senderId ?? '',
    to: session.to,
    status: receipt.status,
    provider_status: receipt.providerStatus ?? '',
    error_code: receipt.errorCode ?? '',
    ...(receipt.operatorTimestamp === null ? {} : { operator_timestamp: iso(receipt.operatorTimestamp) }),
    received_at: iso(receipt.receivedAt),
    ...costOf(receipt.cost),
    provider_message_id: receipt.providerMessageId ?? '',
    client_reference: session.clientReference,
    raw: receipt.raw,
  };
}

function messageData(session: Session, message: Message): object {
  return {
    session_id: session.id,
    message_id: message.id,
    run: message.run,
    channel: message.channel,
    operator: message.operator ?? '',
    sender_id: message.senderId ?? '',
    to: session.to,
    status: message.status,
    reason: message.reason ?? '',
    error_code: message.errorCode ?? '',
    provider_message_id: message.providerMessageId ?? '',
    ...costOf(message.cost),
    client_reference: session.clientReference,
  };
}

function sessionData(session: Session): object {
  return {
    session_id: session.id,
    to: session.to,
    purpose: session.purpose,
    status: session.status,
    status_reason: session.statusReason ?? '',
    delivery: session.delivery,
    run: session.run,
    created_at: iso(session.createdAt),
    ...(session.verifiedAt === null ? {} : { verified_at: iso(session.verifiedAt) }),
    client_reference: session.clientReference,
  };
}

function costOf(cost: Cost | null): object {
  if (!cost) return {};
  const { amount, currency, parts, source, final, revision, billedBy } = cost;
  return { cost: { amount, currency, parts, source, final, revision, billed_by: billedBy } };
}

const iso = (ms: number): string => new Date(ms).toISOString();
