// What goes into the story of a session and what comes out of it. The input is the JSON of a session, of which a field may be absent: the
// doors leave out different ones.

import { noReason, type Why } from './reasons.ts';

/** The part of a session's JSON that the story needs. */
export interface StorySession {
  status: string;
  delivery: string;
  created_at?: string | null | undefined;
  expires_at?: string | null | undefined;
  run?: number | null | undefined;
  cascade?: readonly { channel: string; timeout_seconds?: number | null | undefined }[] | null | undefined;
  messages?: readonly StoryMessage[] | null | undefined;
  timeline?: readonly StoryEntry[] | null | undefined;
}

export interface StoryMessage {
  id: string;
  run: number;
  position?: number | null | undefined;
  attempt?: number | null | undefined;
  channel: string;
  operator?: string | null | undefined;
  status: string;
  cost?: { amount: string; currency: string } | null | undefined;
  receipts?: readonly StoryReceipt[] | null | undefined;
  call?: StoryCall | null | undefined;
}

export interface StoryReceipt {
  status: string;
  provider_status?: string | null | undefined;
  error_code?: string | null | undefined;
  operator_timestamp?: string | null | undefined;
}

export interface StoryCall {
  state: string;
  answered_at?: string | null | undefined;
  ring_ms?: number | null | undefined;
  talk_seconds?: number | null | undefined;
  /** Times that the code was read out to its end. */
  readings?: number | null | undefined;
  ended?: boolean | null | undefined;
}

export interface StoryEntry {
  at?: string | null | undefined;
  kind: string;
  run?: number | null | undefined;
  position?: number | null | undefined;
  channel?: string | null | undefined;
  message_id?: string | null | undefined;
  reason?: string | null | undefined;
  detail?: string | null | undefined;
  call?: StoryCall | null | undefined;
}

export type Outcome =
  | 'under_way'
  | 'delivered'
  /** The carrier said that it was not delivered, or the call did not reach its person. */
  | 'failed'
  | 'timed_out'
  /** Refused before it was taken. */
  | 'refused'
  | 'skipped'
  /** Not waited for any more, for a reason that is not its own. */
  | 'stopped';

export type MarkKind =
  | 'opened'
  | 'resent'
  | 'started'
  | 'skipped'
  | 'submitted'
  /** Whether the carrier took it is not known. */
  | 'unknown'
  | 'refused'
  | 'withdrawn'
  /** The sender was refused, and it goes out once more under the default one. */
  | 'fallback'
  /** The carrier had asked to slow down; `detail`: how often, and with which status. */
  | 'busy'
  | 'receipt'
  /** A change of a call; `word` is its state. */
  | 'call'
  | 'timed_out'
  | 'delivered'
  | 'exhausted'
  | 'check_failed'
  | 'verified'
  | 'expired'
  | 'canceled'
  | 'failed'
  /** An entry of a kind that is newer than this file; `word` is the kind. */
  | 'other';

export interface Mark {
  atMs: number;
  kind: MarkKind;
  tone: 'good' | 'bad' | 'neutral';
  /** The word of the wire: DELIVRD, UNDELIV, ringing, …; empty where there is none. */
  word: string;
  /** More for the reader, e.g. an error code with its text. */
  detail: string;
  /** Why, where the mark is the end of something. */
  why: Why | null;
  /** The carrier's own time of a receipt; null where it gave none. */
  operatorMs: number | null;
  call: StoryCall | null;
}

export interface Lane {
  /** `run.position`, and `run.position.2` for the message after one in doubt; no two lanes share it. */
  id: string;
  run: number;
  position: number;
  channel: string;
  /** Empty for channels without operators, and for legs that were not taken. */
  operator: string;
  messageId: string;
  startMs: number;
  /** When the cascade stopped waiting for it; null while it waits. Marks may be later: late receipts, the end of a call. */
  endMs: number | null;
  /** When its time is up, or was; null where that is not known, or a call that was answered holds it. */
  timeoutAtMs: number | null;
  outcome: Outcome;
  /** How it stands or ended, in a sentence. */
  reason: string;
  why: Why;
  /** Why the cascade went on from here; `to` is the lane it went on to, null where none was left. */
  moved: { atMs: number; to: string | null; reason: string; why: Why } | null;
  marks: Mark[];
  cost: { amount: string; currency: string } | null;
  /** A call of it is up. */
  isCallUp: boolean;
}

export interface Story {
  startMs: number;
  /** The last thing that happened, or now while time changes the picture. */
  endMs: number;
  lanes: Lane[];
  /** What happened to the session itself. */
  marks: Mark[];
  /** Legs of the run under way that have not begun. */
  ahead: { channel: string; timeoutMs: number | null }[];
  /** No code can be checked any more. */
  isOver: boolean;
  /** A leg is waited for, or a call is up: the picture changes with time. */
  isMoving: boolean;
}

/** null where the text is no time. */
export function timeOf(text: string | null | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** How long a leg is waited for; null where the session does not say so: a resend may go by a channel outside of the cascade. */
export function timeoutMsOf({ cascade }: StorySession, channel: string): number | null {
  const timeoutSeconds = cascade?.find((leg) => leg.channel === channel)?.timeout_seconds;
  return timeoutSeconds == null ? null : timeoutSeconds * 1000;
}

/** What a mark, and a lane, begin as. */
export const blankMark: Omit<Mark, 'atMs' | 'kind'> = {
  tone: 'neutral',
  word: '',
  detail: '',
  why: null,
  operatorMs: null,
  call: null,
};

export const blankLane: Omit<Lane, 'id' | 'run' | 'position' | 'channel' | 'startMs' | 'endMs' | 'marks'> = {
  operator: '',
  messageId: '',
  timeoutAtMs: null,
  outcome: 'stopped',
  reason: '',
  why: noReason,
  moved: null,
  cost: null,
  isCallUp: false,
};

/** The ends of a session, by their entry of the timeline, with the mark of each. */
export type SessionEnd = 'session_verified' | 'session_expired' | 'session_canceled' | 'session_failed';
export const sessionEnds: Readonly<Record<SessionEnd, Pick<Mark, 'kind' | 'tone'>>> = {
  session_verified: { kind: 'verified', tone: 'good' },
  session_expired: { kind: 'expired', tone: 'bad' },
  session_canceled: { kind: 'canceled', tone: 'neutral' },
  session_failed: { kind: 'failed', tone: 'bad' },
};
