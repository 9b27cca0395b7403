// `data` of the webhook events about a session: receipts flat, sessions and messages as the API answers them.

import type { SnakeCased } from '../snake-case.ts';
import type { Rules } from '../verify/rules.ts';
import type { Message, Receipt, Session } from '../verify/session.ts';
import { messageJson, receiptJson, sessionJson } from '../verify/session-json.ts';
import { messageView, type ReceiptView, receiptView, sessionView } from '../verify/view.ts';

export const receiptData = (session: Session, receipt: Receipt): SnakeCased<ReceiptView> =>
  receiptJson(receiptView(session, receipt));

/** Receipts have an event of their own each, and are left out of the message. */
export function messageData(session: Session, message: Message): object {
  return {
    session_id: session.id,
    to: session.to,
    client_reference: session.clientReference,
    metadata: session.metadata ?? {},
    message: messageJson(messageView(message)),
  };
}

/** As in lists: without messages and timeline. */
export function sessionData(session: Session, rules: Rules): object {
  const costs = session.messages.map(({ cost }) => cost);
  return { session_id: session.id, session: sessionJson(sessionView(session, rules, costs)) };
}
