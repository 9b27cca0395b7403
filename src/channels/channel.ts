// The contract between the engine and a channel: planning, places, sending, and the reports that come back. It is in the domain's
// words only, so that a carrier's words stop inside its channel.

import type { Cost, Tariff } from '../core/money/cost.ts';
import type { CallReport, StopReason } from '../core/verify/call.ts';
import type { Plan } from '../core/verify/event.ts';
import type {
  Autofill,
  Channel as ChannelName,
  IncomingReceipt,
  Language,
  MessageReason,
  Mode,
  SkipReason,
  Wording,
} from '../core/verify/session.ts';

export type { StopReason };

/** The recipient of a planned message, and the part of its account that limits the plan. */
export interface PlanRequest {
  mode: Mode;
  channel: ChannelName;
  to: string;
  /** The name the client asked for; null = the account's, then the platform's. */
  senderId: string | null;
  language: Language;
  account: PlanAccount;
}

/** The part of an account that decides routes and sender names. */
export interface PlanAccount {
  id: string;
  defaultSenderId: string | null;
  inCountryOnly: boolean;
  /** Approved names by operator. */
  approvedSenders: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Whether legs that go by a carrier are taken now. */
export interface CarrierState {
  /** An operator or a trunk; empty where the channel has but one carrier. */
  carrier: string;
  /** Why legs are skipped; null where they are taken. */
  reason: SkipReason | null;
}

/** One message on its way out. This is the only record that holds the code: never log it. */
export interface OutgoingMessage {
  id: string;
  sessionId: string;
  accountId: string;
  mode: Mode;
  channel: ChannelName;
  route: string;
  to: string;
  senderId: string | null;
  language: Language;
  code: string;
  autofill: Autofill;
  wording: Wording | null;
  /** Unix ms. A late message must still be worth reading: its validity at the carrier is the session's remaining life. */
  expiresAt: number;
}

/** The carrier took the message. `reference` is what its receipts will be matched by, in one canonical form; null when it gave no id. */
export interface Accepted {
  kind: 'accepted';
  providerMessageId: string | null;
  reference: string | null;
  parts: number;
  tariff: Tariff | null;
  /** The call as it rings. */
  call?: CallReport;
}

export type SendOutcome =
  | Accepted
  | { kind: 'rejected'; reason: MessageReason; errorCode: string | null; call?: CallReport }
  /** The carrier refused the sender name. `route`: the route for the other name; absent = the same route. */
  | { kind: 'sender_refused'; fallback: string | null; errorCode: string | null; route?: string }
  /** The message may have been sent: it must not be sent again. */
  | { kind: 'unknown'; reason: MessageReason; call?: CallReport }
  /** The message was certainly not taken. `busy`: the carrier's status by which it puts the message off. */
  | { kind: 'not_sent'; reason: string; busy?: string };

/** A place on the wire. Exactly one of its two functions must be called. */
export interface Place {
  send(message: OutgoingMessage): Promise<SendOutcome>;
  release(): void;
}

export interface Channel {
  plan(request: PlanRequest): Plan;
  /** Every carrier of the channel, as `plan` would find it now; none where the channel is not configured. Absent where all legs can be taken. */
  carriers?(account: PlanAccount, language: Language): CarrierState[];
  /** Whether this process could send on the route now, e.g. has a live bind with that operator. */
  canSend(route: string): boolean;
  /** Routes this process can send on now. What waits in their queues is claimed. */
  routes(): string[];
  /** The route in whose queue messages of this one wait: one that is among the `routes` of others. Absent = each route has its own queue. */
  queueOf?(route: string): string;
  /** Routes whose leg `plan` would skip now, although messages may wait for them: those are to be looked at again. Absent = none ever is. */
  outages?(): string[];
  /** Messages a second the route takes, by which a queue's length becomes a waiting time; null = not known. */
  ratePerSecond(route: string): number | null;
  /** What one message by the route costs at most, by the tariff in force; null = not known. Absent where messages cost nothing. */
  expectedCost?(route: string): Pick<Cost, 'amount' | 'currency'> | null;
  /** Waits for a place in the route's window and rate. Null when the route is lost or `signal` is aborted first. */
  reserve(route: string, signal: AbortSignal): Promise<Place | null>;
  /** A place that is free at this moment and that no message waits for; else null. Absent on channels where a place always has to be waited for. */
  reserveNow?(route: string, signal: AbortSignal): Place | null;
  /**
   * True where receipts name our own message id beside the carrier's: then a message is filed under it, and its route, before it
   * is sent (`echoedReference`).
   */
  readonly echoesMessageId?: boolean;
  /**
   * True where a message stays with the process that sent it until its last receipt, as a call does. The message then names its
   * process, and other processes have it stopped there.
   */
  readonly staysHere?: boolean;
  /** Stops what can still be stopped, e.g. a ringing call. Called for messages of this process only; repeated calls change nothing. */
  cancel?(messageId: string, why: StopReason): void;
}

/** Binds of a channel that opens no more of them than its operators allow: which ones this process has is decided by its slots. */
export interface Binds {
  /**
   * Opens and closes binds until this process has exactly these slots of the operator. Resolves once those lost are closed, which waits
   * for the messages under way on them, `graceMs` at most where that is given.
   */
  setSlots(operator: string, slots: readonly number[], graceMs?: number): Promise<void>;
  /** Whether the bind of a slot is up. */
  isBound(operator: string, slot: number): boolean;
}

/** A receipt as a channel hands it over, still to be matched with its message. */
export interface CarrierReceipt {
  /** Namespace of the references, see `referenceSpaceOf`: the operator's id for SMS, else the channel's name. */
  operator: string;
  /** Forms the carrier's message id may have been stored under, likeliest first. */
  references: string[];
  /** The phone in E.164, where the report names it: it distinguishes messages whose carrier reuses ids. */
  number: string | null;
  /** True where the carrier did not mark it as a receipt: it is taken in only for the message with its id and phone, while that is open. */
  unmarked?: true;
  /** The carrier's answer to the submission, where the report implies it: it replaces an answer that was lost. */
  accepted?: Accepted;
  receipt: IncomingReceipt;
}

/** A report that cannot be read. It is stored and acknowledged, or the carrier would send it again and again. */
export interface UnreadableReport {
  operator: string;
  raw: string;
  reason: string;
  receivedAt: number;
}

/** An answer that came after the message had been given up as unknown: it was taken after all, or refused. */
export interface LateAnswer {
  accountId: string;
  sessionId: string;
  messageId: string;
  operator: string;
  outcome: Accepted | Extract<SendOutcome, { kind: 'rejected' }>;
}

/** A call that was answered. */
export interface AnsweredCall {
  accountId: string;
  sessionId: string;
  messageId: string;
  call: CallReport;
  /** Unix ms: the call's own limit, until which its leg holds. */
  holdUntil: number;
  /** The answer that the dispatcher gets, with the call as it rang: this report may be faster than that one. */
  accepted?: Accepted;
}

/** The intake of the reports of a channel's carriers. Each call resolves once the report is committed: acknowledge only then. */
export interface ReceiptIntake {
  take(receipt: CarrierReceipt): Promise<void>;
  takeUnreadable(report: UnreadableReport): Promise<void>;
  takeLateAnswer(answer: LateAnswer): Promise<void>;
  takeAnswered(answered: AnsweredCall): Promise<void>;
}

/** The intake for carriers that also report on messages of others. */
export interface KnownIntake extends ReceiptIntake {
  /** Like `take`, but a receipt that matches no message is not kept; resolves to whether it matched. */
  takeKnown(receipt: CarrierReceipt): Promise<boolean>;
}
