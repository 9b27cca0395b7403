// The record of a session: its columns, and the way back from a row with its messages.

import type { Session } from '../../core/verify/session.ts';
import { type RowOf, record } from '../record.ts';
import { message } from './message.record.ts';

/** A session without its messages, which are rows of their own. */
export type SessionRecord = Omit<Session, 'messages'>;

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
  senderId: 'text',
  clientReference: 'text',
  autofill: 'json',
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
  timeline: 'json',
});

/** What rows of other tables carry of the session they belong to. */
export const ofSession = record<Pick<Session, 'accountId' | 'id'>>()({ accountId: 'text', id: ['text', 'session_id'] });

export interface SessionRow {
  session: RowOf<typeof session>;
  /** null where there are none, or none were read. */
  messages: RowOf<typeof message>[] | null;
}

export const toSession = ({ session: row, messages }: SessionRow): Session => ({
  ...session.fromRow(row),
  messages: (messages ?? []).map(message.fromRow),
});
