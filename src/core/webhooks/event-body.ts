// Bodies of webhook events about a session, as contract/ramz/v1/webhook.proto declares them (a test holds the two equal).
// They are rendered when the event happens: a body shows the state of that moment, however late it is delivered.

import type { SnakeCased } from '../snake-case.ts';
import type { EmitEffect } from '../verify/event.ts';
import type { Rules } from '../verify/rules.ts';
import type { Message, Receipt, Session } from '../verify/session.ts';
import { messageJson, receiptJson, sessionJson } from '../verify/session-json.ts';
import { messageView, type ReceiptView, receiptView, sessionView } from '../verify/view.ts';

export const apiVersion = 'v1';

export interface EventBody {
  id: string;
  type: string;
  json: string;
}

export function eventBody(event: EmitEffect, id: string, rules: Rules): EventBody {
  const { session, type } = event;
  const envelope = {
    id,
    type,
    api_version: apiVersion,
    account_id: session.accountId,
    test: session.mode === 'test',
    session_sequence: event.sequence,
    timestamp: new Date(event.at).toISOString(),
    data: dataOf(event, rules),
  };
  return { id, type, json: JSON.stringify(envelope) };
}

function dataOf({ session, receipt, messageId, at }: EmitEffect, rules: Rules): object {
  if (receipt) return receiptData(session, receipt);
  const message = session.messages.find(({ id }) => id === messageId);
  return message ? messageData(session, message) : sessionData(session, rules, at);
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
    timestamp: new Date(at).toISOString(),
    data: { to: session.to, session_id: session.id },
  };
  return { id, type: lockedType, json: JSON.stringify(envelope) };
}

const receiptData = (session: Session, receipt: Receipt): SnakeCased<ReceiptView> =>
  receiptJson(receiptView(session, receipt));

/** Receipts have an event of their own each, and are left out of the message. */
function messageData(session: Session, message: Message): object {
  return {
    session_id: session.id,
    to: session.to,
    client_reference: session.clientReference,
    metadata: session.metadata ?? {},
    message: messageJson(messageView(message)),
  };
}

/** A session as lists show it: without messages and timeline. */
function sessionData(session: Session, rules: Rules, at: number): object {
  const costs = session.messages.map(({ cost }) => cost);
  return { session_id: session.id, session: sessionJson(sessionView(session, rules, costs, at)) };
}
