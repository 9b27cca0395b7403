// The course of a call: one record in its message, its receipts and the timeline.

/** The word for how a call stands. `heard`: the first reading of the code was played to its end. */
export const callStates = [
  'ringing',
  'answered',
  'heard',
  'busy',
  'no_answer',
  /** Declined by the person, or refused by the network after it rang. */
  'rejected',
  /** The callee hung up before the code was heard. */
  'hung_up',
  /** No key was pressed, as on a voicemail box: nothing of the code was spoken. */
  'no_key',
  /** Stopped by us while it rang. */
  'canceled',
  'unreachable',
  /** No audio came from there while the call was up, and it was hung up. */
  'media_lost',
] as const;

export type CallState = (typeof callStates)[number];

export interface CallReport {
  state: CallState;
  /** From the INVITE to the answer or the end of the ringing, ms; null while it rings. */
  ringMs: number | null;
  /** Unix ms; null = not answered. */
  answeredAt: number | null;
  /** From the answer to the hang-up, started seconds; null while the call is up, 0 when it was never answered. */
  talkSeconds: number | null;
  /** The final answer to the INVITE (RFC 3261 section 21); null while there is none. */
  sipCode: number | null;
  /** Cause of a Reason header (RFC 3326, ITU-T Q.850); null where there was none. */
  q850: number | null;
  /** Keys pressed: a count, never the digits. */
  keys: number;
  /** Readings of the code played to their end. */
  readings: number;
  /** Name of the trunk that the call went out by. */
  trunk: string;
  /** True in the last report of a call. */
  ended: boolean;
}
