// Bodies of webhook events about a session, as proto/ramz/v1/webhook.proto declares them (a test holds the two equal).
// They are rendered when the event happens: a body shows the state of that moment, however late it is delivered.

import type { SnakeCased } from '../snake-case.ts';
import { type CallView, callView } from '../verify/call.ts';
import type { Effect } from '../verify/event.ts';
import { type CostView, costView, type ReceiptView, receiptView } from '../verify/receipt.ts';
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

/** Fields in the order they have always had; one without a value is absent. */
function receiptData(session: Session, receipt: Receipt): SnakeCased<ReceiptView> {
  const view = receiptView(session, receipt);
  return {
    session_id: view.sessionId,
    message_id: view.messageId,
    run: view.run,
    channel: view.channel,
    operator: view.operator,
    sender_id: view.senderId,
    to: view.to,
    status: view.status,
    provider_status: view.providerStatus,
    error_code: view.errorCode,
    operator_timestamp: view.operatorTimestamp === null ? undefined : iso(view.operatorTimestamp),
    received_at: iso(view.receivedAt),
    cost: costOf(view.cost),
    provider_message_id: view.providerMessageId,
    client_reference: view.clientReference,
    raw: view.raw,
    call: callOf(view.call),
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
    cost: costOf(message.cost && costView(message.cost)),
    client_reference: session.clientReference,
    call: callOf(message.call && callView(message.call)),
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

function costOf(cost: CostView | null): SnakeCased<CostView> | undefined {
  if (!cost) return undefined;
  const { billedBy, ...rest } = cost;
  return { ...rest, billed_by: billedBy };
}

/** What is not known is absent. */
function callOf(call: CallView | null): object | undefined {
  if (!call) return undefined;
  return {
    state: call.state,
    ring_ms: call.ringMs ?? undefined,
    answered_at: call.answeredAt === null ? undefined : iso(call.answeredAt),
    talk_seconds: call.talkSeconds ?? undefined,
    sip_code: call.sipCode ?? undefined,
    q850: call.q850 ?? undefined,
    keys: call.keys,
    readings: call.readings,
    trunk: call.trunk,
    ended: call.ended,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
