// The record of a message. Whose it is stands beside it (`ofSession`): core's message knows no session. `first_send_at` is projected (db/reports).

import type { Message } from '../../core/verify/session.ts';
import { record } from '../record.ts';

export const message = record<Message>()({
  id: 'text',
  run: 'integer',
  position: 'integer',
  channel: 'text',
  route: 'text',
  operator: 'text',
  status: 'text',
  reason: 'text',
  errorCode: 'text',
  senderId: 'text',
  senderFallback: 'boolean',
  providerMessageId: 'text',
  parts: 'integer',
  createdAt: 'ms',
  submittedAt: 'ms',
  finalAt: 'ms',
  tariff: 'json',
  cost: 'json',
  receipts: 'json',
});
