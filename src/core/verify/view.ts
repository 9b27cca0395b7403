// Views of a session, its messages, receipts, calls and costs: the one list of the fields that accounts get, behind the API and the bodies of
// webhooks. Times are Unix ms and what is absent is null here; each of the two writes them in its own way. Never a code.

import { type Cost, totals } from '../money/cost.ts';
import type { CallReport } from './call.ts';
import { resendAfterOf } from './resend.ts';
import type { Rules } from './rules.ts';
import type { Message, Session, StoredReceipt } from './session.ts';

/** As it is at `now`, without messages and timeline. `costs`: of its messages, as far as they are known. */
export const sessionView = (session: Session, rules: Rules, costs: Iterable<Cost | null>, now: number) => ({
  id: session.id,
  status: session.status,
  statusReason: session.statusReason === 'reported' ? '' : (session.statusReason ?? ''),
  delivery: session.delivery,
  to: session.to,
  channel: session.channel,
  purpose: session.purpose,
  language: session.language,
  codeLength: session.codeLength,
  senderId: session.senderId ?? '',
  clientReference: session.clientReference,
  metadata: session.metadata ?? {},
  autofill: autofillView(session),
  createdAt: session.createdAt,
  expiresAt: session.expiresAt,
  verifiedAt: session.verifiedAt,
  firstSendAt: session.firstSendAt,
  run: session.run,
  sends: session.sends,
  attemptsRemaining: Math.max(0, rules.maxAttempts - session.attempts),
  resendAfter: resendAfterOf(session, rules, now),
  cascade: session.cascade.map(({ channel, timeoutMs }) => ({ channel, timeoutSeconds: timeoutMs / 1000 })),
  totalCost: totals(costs),
  test: session.mode === 'test',
});

const autofillView = ({ autofill }: Session) => (autofill.androidAppHash || autofill.webOrigin ? autofill : null);

/**
 * Id of what carried a message: the operator of an SMS, the messaging platform, the trunk of a call. Empty where a call has no trunk yet: it
 * may go out by any of those that serve the number.
 */
const carrierOf = ({ operator, channel, call }: Pick<Message, 'operator' | 'channel' | 'call'>): string =>
  operator ?? (channel === 'voice' ? (call?.trunk ?? '') : channel);

/** Without its receipts. */
export const messageView = (message: Message) => ({
  id: message.id,
  run: message.run,
  position: message.position,
  channel: message.channel,
  operator: message.operator ?? '',
  carrier: carrierOf(message),
  status: message.status,
  reason: message.reason ?? '',
  errorCode: message.errorCode ?? '',
  providerMessageId: message.providerMessageId ?? '',
  senderId: message.senderId ?? '',
  parts: message.parts ?? 0,
  createdAt: message.createdAt,
  submittedAt: message.submittedAt,
  finalAt: message.finalAt,
  cost: message.cost && costView(message.cost),
  call: message.call && callView(message.call),
  attempt: message.attempt,
});

/** With what it repeats of its session. */
export const receiptView = (
  session: Pick<Session, 'id' | 'to' | 'clientReference' | 'metadata'>,
  receipt: StoredReceipt,
) => ({
  sessionId: session.id,
  messageId: receipt.messageId,
  run: receipt.run,
  channel: receipt.channel,
  operator: receipt.operator ?? '',
  carrier: carrierOf(receipt),
  senderId: receipt.senderId ?? '',
  to: session.to,
  status: receipt.status,
  providerStatus: receipt.providerStatus ?? '',
  errorCode: receipt.errorCode ?? '',
  operatorTimestamp: receipt.operatorTimestamp,
  receivedAt: receipt.receivedAt,
  cost: receipt.cost && costView(receipt.cost),
  call: receipt.call && callView(receipt.call),
  providerMessageId: receipt.providerMessageId ?? '',
  clientReference: session.clientReference,
  metadata: session.metadata ?? {},
  raw: receipt.raw,
});

export const costView = ({ amount, currency, parts, source, final, revision, billedBy }: Cost) => ({
  amount,
  currency,
  parts,
  source,
  final,
  revision,
  billedBy,
});

export const callView = (call: CallReport) => ({
  state: call.state,
  ringMs: call.ringMs,
  answeredAt: call.answeredAt,
  talkSeconds: call.talkSeconds,
  sipCode: call.sipCode,
  q850: call.q850,
  keys: call.keys,
  readings: call.readings,
  trunk: call.trunk,
  ended: call.ended,
});

export type SessionView = ReturnType<typeof sessionView>;
export type MessageView = ReturnType<typeof messageView>;
export type ReceiptView = ReturnType<typeof receiptView>;
export type CostView = ReturnType<typeof costView>;
export type CallView = ReturnType<typeof callView>;
