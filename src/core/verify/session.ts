// The records of the domain: session, leg, message, receipt, and their words. They are data only; advance.ts changes them.
// All times are Unix milliseconds: core has no clock, and its callers pass the time.

import type { Reserve } from '../limits/budget.ts';
import type { GuardRule } from '../limits/verdict.ts';
import type { Cost, Tariff } from '../money/cost.ts';
import type { CallReport } from './call.ts';

export type Mode = 'live' | 'test';
export type Channel = 'sms' | 'whatsapp' | 'voice';
export type Language = 'ar' | 'fr' | 'en';

export type SessionStatus = 'pending' | 'verified' | 'expired' | 'canceled' | 'failed';
export type StatusReason = 'too_many_attempts' | CancelReason;
export type CancelReason = 'canceled_by_client' | 'replaced' | 'superseded' | 'reported_fraud' | 'number_erased';
/** Whether a code reached the phone; beside the session's status, because a code that never arrived may still be typed late. */
export type Delivery = 'sending' | 'delivered' | 'exhausted';

export type MessageStatus =
  | 'queued'
  | 'submitting'
  | 'submitted'
  | 'delivered'
  | 'undelivered'
  | 'rejected'
  | 'expired'
  | 'unknown'
  | 'withdrawn'
  | 'read'
  | 'answered';

/** Why a message's status is what it is, where the status does not say it. */
export type MessageReason =
  | 'sender_id_refused'
  | 'submit_refused'
  | 'timeout'
  | 'connection_lost'
  | 'process_lost'
  | 'unreadable_answer'
  | 'unencodable'
  | 'not_on_app'
  | 'throttled'
  | 'channel_down'
  | 'misconfigured'
  | 'internal_error'
  | 'account_suspended'
  | 'in_country_only'
  | 'not_delivered_in_time';

/** Why a leg of the cascade is not taken. */
export type SkipReason =
  | 'channel_not_configured'
  | 'channel_down'
  | 'no_operator'
  | 'sender_id_not_approved'
  | 'in_country_only'
  | 'account_suspended'
  | 'operator_down'
  | 'operator_maintenance'
  | 'budget_exhausted';

/** Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them. */
export type ReceiptStatus =
  | 'ENROUTE'
  | 'DELIVRD'
  | 'EXPIRED'
  | 'DELETED'
  | 'UNDELIV'
  | 'ACCEPTD'
  | 'UNKNOWN'
  | 'REJECTD';

/** One step of the cascade: a channel, and how long its receipt is waited for. */
export interface Leg {
  channel: Channel;
  timeoutMs: number;
}

/** The parts of an SMS by which a phone fills the code in by itself. */
export interface Autofill {
  androidAppHash?: string;
  webOrigin?: string;
}

/** The caller's own data about a verification: returned, and never read. In no log. */
export type Metadata = Readonly<Record<string, string>>;

/** What of an SMS is the account's own; the deployment's stands in for what is absent. */
export interface Wording {
  brand?: string;
  /** In the session's language, with `{code}` and perhaps `{brand}`. */
  text?: string;
}

/** One try on one channel: leg (run, position), each once, and a second time only where the first is in doubt. */
export interface Message {
  id: string;
  run: number;
  position: number;
  /** 1, or 2 where the leg's first message is in doubt. */
  attempt: number;
  channel: Channel;
  /** Where it goes, as the channel named it when the leg was planned, e.g. an operator's id. */
  route: string;
  operator: string | null;
  status: MessageStatus;
  /** Why the status is what it is, where that is not plain from the status. */
  reason: MessageReason | null;
  errorCode: string | null;
  /** How often its carrier has put it off ("too fast", "try later"); the last of those answers is in `errorCode` while it waits. */
  refusals: number;
  senderId: string | null;
  /** True once the account's sender was refused and the default one is used in its place. */
  senderFallback: boolean;
  providerMessageId: string | null;
  parts: number | null;
  createdAt: number;
  submittedAt: number | null;
  finalAt: number | null;
  tariff: Tariff | null;
  cost: Cost | null;
  /** What budgets keep for it until its cost is final; null where nothing is counted. */
  reserve: Reserve | null;
  /** How its call went so far; null where it is no call, or the phone has not rung yet. */
  call: CallReport | null;
  /** Id of the process that writes it, from `submitting` to the carrier's answer; of a call, whose it is, to the call's end. Else null. */
  holder: string | null;
  /** Fingerprints of the receipts already taken in, so that a repeated one changes nothing. */
  receipts: string[];
}

/** A delivery report of any channel, normalised and masked, before it is applied to its message. */
export interface IncomingReceipt {
  status: ReceiptStatus;
  /** The channel's own word where it is not SMPP's. */
  providerStatus: string | null;
  /** The channel's finer word for a delivered message, where it knows one. */
  detail: 'read' | 'answered' | null;
  errorCode: string | null;
  /** The meaning of the code, in the words of the service's operator. */
  errorText?: string;
  operatorTimestamp: number | null;
  receivedAt: number;
  providerMessageId: string | null;
  /** The carrier's own price of the message, as a decimal string. */
  operatorAmount: { amount: string; currency: string } | null;
  /** Whether the carrier charges for the message at all, where it states that; the amount then follows from the tariff. */
  billable?: boolean;
  /** How the call stands; its last report has `ended`. Absent where it was no call. */
  call?: CallReport;
  /** The sender is refused for every recipient, and the message may go out once from this other one. Only of a `REJECTD`. */
  elsewhere?: { route: string; senderId: string };
  /** The report as it came, digits of the code masked. */
  raw: string;
}

/** A receipt that was taken in: the row, and the body of `receipt.updated`. */
export interface Receipt extends Omit<IncomingReceipt, 'call' | 'elsewhere'> {
  id: string;
  messageId: string;
  run: number;
  channel: Channel;
  operator: string | null;
  senderId: string | null;
  cost: Cost | null;
  call: CallReport | null;
}

/** A receipt as it is kept: the carrier's finer states and its price are in its message. */
export type StoredReceipt = Omit<Receipt, 'detail' | 'errorText' | 'operatorAmount' | 'billable'>;

export type TimelineKind =
  | 'session_opened'
  | 'resend_requested'
  | 'fraud_guard'
  | 'leg_started'
  | 'leg_skipped'
  | 'leg_timed_out'
  | 'in_doubt_resend'
  | 'message_submitted'
  | 'message_unknown'
  | 'message_failed'
  | 'message_withdrawn'
  | 'sender_fallback'
  | 'operator_busy'
  | 'call_answered'
  | 'receipt_received'
  | 'delivery_delivered'
  | 'delivery_exhausted'
  | 'code_checked'
  | 'session_verified'
  | 'session_expired'
  | 'session_canceled'
  | 'number_erased'
  | 'session_failed';

/** One event of a session's history and its reason; it never holds a code. */
export interface TimelineEntry {
  at: number;
  kind: TimelineKind;
  run: number;
  position?: number;
  channel?: Channel;
  messageId?: string;
  reason?: string;
  detail?: string;
  /** The rule that a `fraud_guard` is about. */
  rule?: GuardRule;
  /** Id of the client's call that made this entry: where two processes do that call, the second one finds it here and answers from it. */
  operation?: string;
  /** How the call stood at that moment. */
  call?: CallReport;
}

export interface Session {
  id: string;
  accountId: string;
  mode: Mode;
  to: string;
  purpose: string;
  /** Channel of the first leg. */
  channel: Channel;
  language: Language;
  codeLength: number;
  /** Key the code is derived with; it outlives a rotation of the ring. */
  keyId: string;
  /** Random bytes the code is derived with as well, in hexadecimal; null for a session opened before there were any. Never shown. */
  salt: string | null;
  /** The caller's own code, sealed; empty once the session is over. Null where the code is derived. Never shown. */
  sealedCode: string | null;
  /** The name the client asked for; null = account's, then platform's. */
  senderId: string | null;
  clientReference: string;
  /** null = none. */
  metadata: Metadata | null;
  autofill: Autofill;
  /** The account's brand and text as they were when the session was opened: a resend reads as the first message did. */
  wording: Wording | null;
  cascade: Leg[];
  status: SessionStatus;
  /** `reported`: it is verified by the caller's word. Of a verified session no reason is shown. */
  statusReason: StatusReason | 'reported' | null;
  delivery: Delivery;
  /** The legs of the run under way: the cascade from the run's first leg on. */
  legs: Leg[];
  run: number;
  /** Index into `legs` of the leg under way; `legs.length` when there is none left. */
  position: number;
  sends: number;
  attempts: number;
  createdAt: number;
  expiresAt: number;
  lastSendAt: number;
  firstSendAt: number | null;
  verifiedAt: number | null;
  /** When the leg under way gives up; null while none is waited for. */
  legEndsAt: number | null;
  /** The one durable deadline: the end of the leg, of the session or of a message at WhatsApp, whichever comes first; else null. */
  nextAt: number | null;
  /** Number of the last event emitted to the client about this session. */
  eventSequence: number;
  timeline: TimelineEntry[];
  messages: Message[];
  /** Raised by every save; the compare-and-set. 0 = not stored yet. */
  version: number;
}

/** The name space of the ids that carriers give to messages: the message's operator, where it has one, else its channel. */
export const referenceSpaceOf = ({ operator, channel }: Message): string => operator ?? channel;

export const isTerminal = (session: Session): boolean => session.status !== 'pending';

const deliveredStatuses: readonly MessageStatus[] = ['delivered', 'answered', 'read'];

export const isDelivered = (status: MessageStatus): boolean => deliveredStatuses.includes(status);

/** True for a message that is still on its way out: after a crash another process must take it over. */
export const isOutgoing = (message: Message): boolean => message.status === 'queued' || message.status === 'submitting';

/**
 * The reference of a message whose carrier brings our own id back. It has the route in it, because another sender by that carrier
 * (a business, from its own number) can write any id into its messages, and its receipts must not count for ours.
 */
export const echoedReference = (route: string, messageId: string): string => `${route} ${messageId}`;
