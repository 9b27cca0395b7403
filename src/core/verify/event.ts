// Events of a session, the effects that follow from them, and the outcomes for the caller, refusals included. The engine and `advance`
// exchange nothing else, so this file is the whole vocabulary of the state machine.

import type { Finding } from '../limits/verdict.ts';
import type { Tariff } from '../money/cost.ts';
import type { CallReport, StopReason } from './call.ts';
import type { Rules } from './rules.ts';
import type {
  CancelReason,
  Channel,
  IncomingReceipt,
  Leg,
  MessageReason,
  Metadata,
  Receipt,
  Session,
  SkipReason,
  TimelineEntry,
} from './session.ts';

/** Everything that can happen to a session after it was opened. */
export type Event =
  /** The dispatcher of the process `holder` has a place on the wire for a queued message and is about to write it. */
  | { kind: 'submitting'; messageId: string; holder: string }
  /** The carrier took the message. */
  | AcceptedEvent
  /** The callee took up the phone: the leg holds until `holdUntil` (Unix ms), the call's own limit. */
  | { kind: 'answered'; messageId: string; call: CallReport; holdUntil: number }
  /** The process that was writing the message, or whose call it was, is dead: it will not say what became of it. */
  | { kind: 'holder_lost'; messageId: string; holder: string }
  /** The carrier refused it for good, or it could not be sent at all. */
  | RejectedEvent
  /** The carrier refused the sender name; `fallback` is the name to try once instead, by `route` where it is another one. */
  | { kind: 'sender_refused'; messageId: string; fallback: string | null; errorCode: string | null; route?: string }
  /** Bytes may or may not have reached the carrier: never send again on this channel. */
  | { kind: 'unknown'; messageId: string; reason: MessageReason; call?: CallReport }
  /**
   * The process `holder` knows that the message was not taken: it may go out by another process or bind, or later. One that is another's by
   * now is left alone. `busy`: the answer by which the carrier has put it off.
   */
  | { kind: 'not_sent'; messageId: string; holder: string; busy?: string }
  /** `unmarked`: the carrier did not say that it is a receipt. */
  | { kind: 'receipt'; messageId: string; receipt: IncomingReceipt; receiptId: string; unmarked?: boolean }
  /** Time passed; whatever is due at `now` is done. */
  | { kind: 'deadline' }
  /** `operation`: id of the client's call, which may be done by two processes and counts once. */
  | { kind: 'check'; correct: boolean; operation?: string }
  | { kind: 'cancel'; reason: CancelReason }
  /** The client has checked the code by itself, and it was right. */
  | { kind: 'reported_verified' }
  | ResendEvent;

export interface ResendEvent {
  kind: 'resend';
  channel: Channel | null;
  asked: AskedAgain;
  /** The client has brought a code that is not the session's. */
  otherCode?: boolean;
  operation?: string;
  /** What rules that are only watched have found of this send. */
  findings?: readonly Finding[];
}

export interface AcceptedEvent {
  kind: 'accepted';
  messageId: string;
  providerMessageId: string | null;
  parts: number;
  tariff: Tariff | null;
  call?: CallReport;
  /** A report says so in place of the answer, which may still be waited for or have said otherwise. */
  reported?: true;
  /** The report, whose receipt comes next, says that the message failed: a doubt about it ends with that, and not before. */
  failed?: boolean;
}

export interface RejectedEvent {
  kind: 'rejected';
  messageId: string;
  reason: MessageReason;
  errorCode: string | null;
  call?: CallReport;
}

/** The explicit fields of a second send, which may not differ from those the session was opened with. Absent = not given. */
export interface AskedAgain {
  /** As the client names it. */
  language?: string;
  /** What a call speaks in its place; absent where that is the same. */
  spoken?: string;
  codeLength?: number;
  ttlMs?: number;
  senderId?: string;
  cascade?: Leg[];
  clientReference?: string;
  metadata?: Metadata;
  androidAppHash?: string;
  webOrigin?: string;
}

/** Types of event a client can subscribe to that come from a session. */
export type SessionEventType =
  | 'receipt.updated'
  | 'message.submitted'
  | 'message.failed'
  | 'session.verified'
  | 'session.expired'
  | 'session.canceled'
  | 'session.failed'
  | 'session.delivery_exhausted';

/** The work to do once the new state is committed; state and effects are saved together. */
export type Effect =
  | { kind: 'send'; messageId: string; route: string }
  /** `holder`: the process whose call it is, where it is one. */
  | { kind: 'withdraw'; messageId: string; channel: Channel; why: StopReason; holder: string | null }
  | { kind: 'receipt'; receipt: Receipt }
  | EmitEffect;

/** A webhook event to be stored. */
export interface EmitEffect {
  kind: 'emit';
  type: SessionEventType;
  sequence: number;
  /** Unix ms. */
  at: number;
  /** The session once its event was applied, and before what happened next: several events are often saved together. */
  session: Session;
  messageId?: string;
  receipt?: Receipt;
}

export type CheckReason = 'incorrect_code' | 'expired' | 'too_many_attempts' | 'already_verified' | 'canceled';

/** The result of an event for its caller. */
export type Outcome =
  | { kind: 'done' }
  /** The event changed nothing: repeated, late, or not meant for this state. */
  | { kind: 'ignored'; reason: string }
  | { kind: 'checked'; valid: boolean; reason: CheckReason | null; attemptsRemaining: number }
  /** `again`: the same call had done it before, so that nothing is sent by this one. */
  | { kind: 'resent'; again?: true }
  | { kind: 'resend_too_soon'; resendAfter: number }
  | { kind: 'too_many_sends' }
  | { kind: 'resend_differs'; field: string }
  /** Too little of the session is left, or none, or it has another code: open a new one. */
  | { kind: 'open_new'; reason: 'replaced' | 'superseded' }
  | { kind: 'no_route'; reason: string };

/** The result of a check, beside its session. */
export type Checked = Omit<Extract<Outcome, { kind: 'checked' }>, 'kind'>;

/** Whether a leg can be taken, and how. */
export type Plan = { kind: 'usable'; route: string; operator: string | null; senderId: string | null } | SkippedLeg;

export interface SkippedLeg {
  kind: 'skip';
  reason: SkipReason;
  /** The number's operator, where it can't be used, or the sender name can't be used there. */
  operator?: string;
}

/** Everything `advance` may ask of the world: the time, fresh ids, and which channels can be used. */
export interface World {
  now: number;
  rules: Rules;
  /** Behind `latest`, the session's latest message so far: ids tell the order of messages, and the clocks of hosts differ. */
  newMessageId(latest: string | null): string;
  plan(session: Session, leg: Leg): Plan;
}

export interface Advance {
  next: Session;
  effects: Effect[];
  outcome: Outcome;
}

/** A timeline entry without the fields that the draft fills in. */
export type Note = Omit<TimelineEntry, 'at' | 'run'> & { run?: number };

/** Codes of the contract that depend on the deployment, the account and the number. */
export type RefusalCode =
  | 'invalid_argument'
  | 'invalid_phone_number'
  | 'scenario_number'
  | 'unsupported_destination'
  | 'sender_id_not_approved'
  | 'autofill_not_registered'
  | 'custom_code_not_allowed';

/** The answer of the pure parts of a send to a request that can't be done. Only the API turns it into an error. */
export interface Refusal {
  kind: 'refused';
  code: RefusalCode;
  /** The field at fault, by its path on the wire. */
  field: string;
  message: string;
  metadata?: Record<string, string>;
}

/** `problem` is the end of a sentence that begins with the field's name. */
export function refused(code: RefusalCode, field: string, problem: string, metadata?: Refusal['metadata']): Refusal {
  return { kind: 'refused', code, field, message: `${field} ${problem}`, ...(metadata ? { metadata } : {}) };
}
