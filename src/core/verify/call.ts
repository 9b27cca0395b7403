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
  /** Stopped by us before the code was heard, mostly while it rang. */
  'canceled',
  'unreachable',
  /** No audio came from there while the call was up, and it was hung up. */
  'media_lost',
] as const;

export type CallState = (typeof callStates)[number];

/**
 * Why a call is to be stopped. Only `session_over` ends one that was answered, and that after the phrase being spoken: a person who
 * listens is not cut off because a late receipt came or a leg's time is up.
 */
export type StopReason = 'leg_over' | 'delivered_elsewhere' | 'session_over';

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

const progress: Record<CallState, number> = {
  ringing: 0,
  answered: 1,
  heard: 2,
  busy: 0,
  no_answer: 0,
  rejected: 0,
  hung_up: 0,
  no_key: 0,
  canceled: 0,
  unreachable: 0,
  media_lost: 0,
};

/** Of two reports of one call the one that says more: a total order, so that no order of arrival matters. */
const weights = (report: CallReport): readonly (number | string)[] => [
  Number(report.ended),
  // A call that is up is never unanswered again; of one that is over the report that knows its length counts.
  report.ended ? (report.talkSeconds ?? -1) : Number(report.answeredAt !== null),
  progress[report.state],
  report.readings,
  report.keys,
  report.answeredAt ?? -1,
  report.talkSeconds ?? -1,
  report.ringMs ?? -1,
  report.sipCode ?? -1,
  report.q850 ?? -1,
  report.state,
  report.trunk,
];

/** Tells any two reports of a call apart. */
export const markOf = (report: CallReport): string => weights(report).join('|');

/** The call as it stands after a report; an older report that comes late changes nothing. */
export function callAfter(current: CallReport | null, report: CallReport | null | undefined): CallReport | null {
  if (!current || !report) return report ?? current;
  const had = weights(current);
  for (const [index, weight] of weights(report).entries()) {
    const other = had[index] as typeof weight;
    if (weight !== other) return weight > other ? report : current;
  }
  return current;
}

/** The call of a process that died: it is over, and what it cost is not known. */
export const lostCall = (call: CallReport | null): CallReport | null => call && { ...call, ended: true };

/**
 * Seconds that count for the cost: at least one of an answered call. Null while they are not known: the call is up, or its process died
 * before its last report.
 */
export function secondsOf({ ended, answeredAt, talkSeconds }: CallReport): number | null {
  if (!ended || talkSeconds === null) return null;
  return answeredAt === null ? talkSeconds : Math.max(talkSeconds, 1);
}
