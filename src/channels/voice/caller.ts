// The seam between the channel and what makes calls: SipCaller today. The channel decides which trunk is tried and what is reported;
// a caller carries one call through one trunk.

import type { CallReport } from '../../core/verify/call.ts';

export interface CallScript {
  language: 'ar' | 'fr';
  /** Never logged. */
  code: string;
  /** The code is spoken only after a key was pressed. */
  requireKey: boolean;
}

export interface CallRequest {
  /** Id of the message. */
  id: string;
  /** Which try of the message, from 1: each has a Call-ID of its own, made from both. */
  attempt: number;
  trunk: string;
  /** E.164. */
  to: string;
  script: CallScript;
}

/** What became of one try. Exactly the first kind is followed by reports to the listener. */
export type Placed =
  /** A first provisional answer other than 100 came, or the call was answered at once. */
  | { kind: 'ringing'; callId: string; report: CallReport }
  /** A final answer came before anything rang, or the call was stopped before. */
  | { kind: 'refused'; callId: string; report: CallReport; status: number; retryAfterSeconds: number | null }
  /** Nothing was heard of the INVITE: a phone may ring. */
  | { kind: 'unknown'; callId: string; report: CallReport }
  /** `failure`: what failed, in words for a log; absent or null where there is nothing to say. */
  | { kind: 'not_placed'; why: NotPlaced; failure?: string | null };

/**
 * Why no phone rang. `trunk`: the trunk could not be reached, or still asked for credentials when the ring time was over. `media_lost`: the
 * media thread died under the call, and the trunk confirmed that it was canceled.
 */
export type NotPlaced = 'trunk' | 'no_port' | 'media_lost' | 'stopped';

/** Progress of a call that rang, in this order, each at most once; `ended` is the last and always comes. */
export interface CallListener {
  /** Called before anything else, at the moment that `place` resolves with `ringing`. */
  rang(callId: string, report: CallReport): void;
  /** `limitAt`: Unix ms at which the call ends at the latest. */
  answered(report: CallReport, limitAt: number): void;
  /** The first reading was played to its end. */
  heard(report: CallReport): void;
  ended(report: CallReport): void;
}

/** `if_ringing`: an answered call goes on. `after_phrase`: it ends after the phrase being spoken. `now`: it ends at once. */
export type EndHow = 'if_ringing' | 'after_phrase' | 'now';

export interface Caller {
  /** Never rejects. */
  place(call: CallRequest, listener: CallListener): Promise<Placed>;
  /** Ends the call of a message, whatever its try; does nothing where there is none. */
  end(id: string, how: EndHow): void;
}
