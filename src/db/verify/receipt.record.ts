// The record of a receipt, as it is stored and read back.

import type { StoredReceipt } from '../../core/verify/session.ts';
import { record } from '../record.ts';

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
  raw: 'text',
});
