// What a receipt says to an account, with the session it belongs to: the one list of fields behind `receipt.updated` and the message Receipt
// of the API. Each of them writes times and absent values in its own way.

import type { Cost } from '../money/cost.ts';
import type { Session, StoredReceipt } from './session.ts';

export const receiptView = (session: Pick<Session, 'id' | 'to' | 'clientReference'>, receipt: StoredReceipt) => ({
  sessionId: session.id,
  messageId: receipt.messageId,
  run: receipt.run,
  channel: receipt.channel,
  operator: receipt.operator ?? '',
  senderId: receipt.senderId ?? '',
  to: session.to,
  status: receipt.status,
  providerStatus: receipt.providerStatus ?? '',
  errorCode: receipt.errorCode ?? '',
  operatorTimestamp: receipt.operatorTimestamp,
  receivedAt: receipt.receivedAt,
  cost: receipt.cost && costView(receipt.cost),
  providerMessageId: receipt.providerMessageId ?? '',
  clientReference: session.clientReference,
  raw: receipt.raw,
});

/** What a cost says to an account; of a receipt and of a message. */
export const costView = ({ amount, currency, parts, source, final, revision, billedBy }: Cost) => ({
  amount,
  currency,
  parts,
  source,
  final,
  revision,
  billedBy,
});

export type ReceiptView = ReturnType<typeof receiptView>;
export type CostView = ReturnType<typeof costView>;
