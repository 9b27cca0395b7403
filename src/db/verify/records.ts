// Records of a session, its messages and its receipts: the columns of each, and the way back from a session's row with its messages.

import type { Message, Session, StoredReceipt } from '../../core/verify/session.ts';
import { type RowOf, record } from '../record.ts';
import { decodeTimeline, type StoredEntry } from './timeline.ts';

/** A session without its messages and its timeline, which are rows of their own. */
export type SessionRecord = Omit<Session, 'messages' | 'timeline'>;

export const session = record<SessionRecord>()({
  accountId: 'text',
  id: 'text',
  version: 'integer',
  mode: 'text',
  to: ['text', 'number'],
  purpose: 'text',
  channel: 'text',
  language: 'text',
  codeLength: 'integer',
  keyId: 'text',
  salt: 'hex',
  sealedCode: 'text',
  senderId: 'text',
  clientReference: 'text',
  metadata: 'json',
  autofill: 'json',
  wording: 'json',
  cascade: 'json',
  status: 'text',
  statusReason: 'text',
  delivery: 'text',
  legs: 'json',
  run: 'integer',
  position: 'integer',
  sends: 'integer',
  attempts: 'integer',
  createdAt: 'ms',
  expiresAt: 'ms',
  lastSendAt: 'ms',
  firstSendAt: 'ms',
  verifiedAt: 'ms',
  legEndsAt: 'ms',
  nextAt: 'ms',
  eventSequence: 'integer',
});

/** What rows of other tables carry of the session they belong to. */
export const ofSession = record<Pick<Session, 'accountId' | 'id'>>()({ accountId: 'text', id: ['text', 'session_id'] });

/** The columns `account_id` and `session_id` come from `ofSession`: core's message knows no session. `first_send_at` is projected (db/reports). */
export const message = record<Message>()({
  id: 'text',
  run: 'integer',
  position: 'integer',
  attempt: 'integer',
  channel: 'text',
  route: 'text',
  operator: 'text',
  status: 'text',
  reason: 'text',
  errorCode: 'text',
  refusals: 'integer',
  senderId: 'text',
  senderFallback: 'boolean',
  providerMessageId: 'text',
  parts: 'integer',
  createdAt: 'ms',
  submittedAt: 'ms',
  finalAt: 'ms',
  tariff: 'json',
  cost: 'json',
  reserve: 'json',
  call: 'json',
  holder: 'text',
  receipts: 'json',
});

export const receipt = record<StoredReceipt>()({
  id: 'text',
  messageId: 'text',
  run: 'integer',
  channel: 'text',
  operator: 'text',
  senderId: 'text',
  status: 'text',
  providerStatus: 'text',
  errorCode: 'text',
  operatorTimestamp: 'ms',
  receivedAt: 'ms',
  providerMessageId: 'text',
  cost: 'json',
  call: 'json',
  raw: 'text',
});

export interface SessionRow {
  session: RowOf<typeof session>;
  /** null where there are none, or none were read. */
  messages: RowOf<typeof message>[] | null;
  /** What each save added, oldest first; null where it was not read. */
  timeline: StoredEntry[][] | null;
}

export const toSession = ({ session: row, messages, timeline }: SessionRow): Session => ({
  ...session.fromRow(row),
  timeline: decodeTimeline((timeline ?? []).flat()),
  messages: (messages ?? []).map(message.fromRow),
});
