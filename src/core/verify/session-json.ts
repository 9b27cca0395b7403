// Sessions, messages, receipts and timelines as JSON, for webhooks and exports: as the API answers them. Fields are in the order of the contract; what
// is absent is left out.

import type { SnakeCased } from '../snake-case.ts';
import type { TimelineEntry } from './session.ts';
import {
  type CallView,
  type CostView,
  callView,
  type MessageView,
  type ReceiptView,
  type SessionView,
} from './view.ts';

/** As in lists: without messages and timeline. */
export function sessionJson(view: SessionView): SnakeCased<SessionView> {
  const { autofill, cascade } = view;
  return {
    id: view.id,
    status: view.status,
    status_reason: view.statusReason,
    delivery: view.delivery,
    to: view.to,
    channel: view.channel,
    purpose: view.purpose,
    language: view.language,
    code_length: view.codeLength,
    sender_id: view.senderId,
    client_reference: view.clientReference,
    metadata: view.metadata,
    autofill: autofill ? { android_app_hash: autofill.androidAppHash, web_origin: autofill.webOrigin } : undefined,
    created_at: iso(view.createdAt),
    expires_at: iso(view.expiresAt),
    verified_at: iso(view.verifiedAt),
    first_send_at: iso(view.firstSendAt),
    run: view.run,
    sends: view.sends,
    attempts_remaining: view.attemptsRemaining,
    resend_after: iso(view.resendAfter),
    cascade: cascade.map(({ channel, timeoutSeconds }) => ({ channel, timeout_seconds: timeoutSeconds })),
    total_cost: view.totalCost,
    test: view.test,
  };
}

/** Without its receipts. */
export function messageJson(view: MessageView): SnakeCased<MessageView> {
  return {
    id: view.id,
    run: view.run,
    position: view.position,
    channel: view.channel,
    operator: view.operator,
    carrier: view.carrier,
    status: view.status,
    reason: view.reason,
    error_code: view.errorCode,
    provider_message_id: view.providerMessageId,
    sender_id: view.senderId,
    parts: view.parts,
    created_at: iso(view.createdAt),
    submitted_at: iso(view.submittedAt),
    final_at: iso(view.finalAt),
    cost: costOf(view.cost),
    call: callOf(view.call),
    attempt: view.attempt,
  };
}

export function receiptJson(view: ReceiptView): SnakeCased<ReceiptView> {
  return {
    session_id: view.sessionId,
    message_id: view.messageId,
    run: view.run,
    channel: view.channel,
    operator: view.operator,
    carrier: view.carrier,
    sender_id: view.senderId,
    to: view.to,
    status: view.status,
    provider_status: view.providerStatus,
    error_code: view.errorCode,
    operator_timestamp: iso(view.operatorTimestamp),
    received_at: iso(view.receivedAt),
    cost: costOf(view.cost),
    provider_message_id: view.providerMessageId,
    client_reference: view.clientReference,
    metadata: view.metadata,
    raw: view.raw,
    call: callOf(view.call),
  };
}

/** The id of a client's call is for processes alone. */
export function timelineJson(entry: TimelineEntry): SnakeCased<Omit<TimelineEntry, 'operation'>> {
  return {
    at: iso(entry.at),
    kind: entry.kind,
    run: entry.run,
    position: entry.position,
    channel: entry.channel ?? '',
    message_id: entry.messageId ?? '',
    reason: entry.reason ?? '',
    detail: entry.detail ?? '',
    call: callOf(entry.call ? callView(entry.call) : null),
    rule: entry.rule ?? '',
  };
}

function costOf(cost: CostView | null): SnakeCased<CostView> | undefined {
  if (!cost) return undefined;
  const { billedBy, ...rest } = cost;
  return { ...rest, billed_by: billedBy };
}

function callOf(call: CallView | null): SnakeCased<CallView> | undefined {
  if (!call) return undefined;
  return {
    state: call.state,
    ring_ms: call.ringMs ?? undefined,
    answered_at: iso(call.answeredAt),
    talk_seconds: call.talkSeconds ?? undefined,
    sip_code: call.sipCode ?? undefined,
    q850: call.q850 ?? undefined,
    keys: call.keys,
    readings: call.readings,
    trunk: call.trunk,
    ended: call.ended,
  };
}

const iso = (ms: number | null): string | undefined => (ms === null ? undefined : new Date(ms).toISOString());
