// The walk through a timeline, entry by entry, which leaves lanes and marks behind. It knows of the state machine (src/core/verify) what an
// entry means for the leg under way: the timeline says what happened, and the walk which of it ended a leg.

import {
  badReceipt,
  callEnd,
  carrierName,
  givenReason,
  inEnglish,
  negative,
  noReason,
  type ReasonCode,
  refusals,
  seconds,
  type Why,
} from './reasons.ts';
import {
  blankLane,
  blankMark,
  type Lane,
  type Mark,
  type MarkKind,
  type Outcome,
  type SessionEnd,
  type StoryEntry,
  type StoryMessage,
  type StoryReceipt,
  type StorySession,
  sessionEnds,
  timeOf,
  timeoutMsOf,
} from './shapes.ts';

/** What a leg had come to when its time was up, by its last mark. */
const timedOut: Partial<Record<MarkKind, ReasonCode>> = { submitted: 'no_receipt', call: 'not_picked_up' };

export class Walk {
  readonly #session: StorySession;
  readonly #messages: ReadonlyMap<string, StoryMessage>;
  /** Rows of receipts, by message, that no entry has had yet. */
  readonly #receipts: ReadonlyMap<string, StoryReceipt[]>;
  readonly #lanes = new Map<string, Lane>();
  readonly #marks: Mark[] = [];
  /** The leg that is waited for. */
  #current: Lane | null = null;
  /** The leg that ended or was skipped last, from which the cascade is about to go on. */
  #left: Lane | null = null;
  /** The time of the last entry, for one without a time. */
  #lastMs: number;

  constructor(session: StorySession) {
    const messages = session.messages ?? [];
    this.#session = session;
    this.#messages = new Map(messages.map((message) => [message.id, message]));
    this.#receipts = new Map(messages.map(({ id, receipts }) => [id, [...(receipts ?? [])]]));
    this.#lastMs = timeOf(session.created_at) ?? 0;
  }

  take(entry: StoryEntry): void {
    const atMs = timeOf(entry.at) ?? this.#lastMs;
    this.#lastMs = atMs;
    const lane = this.#laneOf(entry, atMs);
    if (lane) this.#ofLane(lane, entry, atMs);
    else this.#ofSession(entry, atMs);
  }

  /** `current`: the leg that is still waited for. */
  finish(): { lanes: Lane[]; marks: Mark[]; current: Lane | null } {
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.reason = inEnglish(lane.why);
    return { lanes, marks: this.#marks, current: this.#current };
  }

  #ofSession(entry: StoryEntry, atMs: number): void {
    const { kind } = entry;
    const note = (mark: Pick<Mark, 'kind' | 'tone'>, word = entry.reason ?? '') =>
      this.#marks.push({ ...blankMark, ...mark, atMs, word, detail: entry.detail ?? '' });
    if (Object.hasOwn(sessionEnds, kind)) {
      this.#stop(kind as SessionEnd, atMs);
      note(sessionEnds[kind as SessionEnd]);
    } else if (kind === 'session_opened') {
      note({ kind: 'opened', tone: 'neutral' });
    } else if (kind === 'resend_requested') {
      this.#stop('resent', atMs);
      note({ kind: 'resent', tone: 'neutral' });
    } else if (kind === 'delivery_delivered') {
      this.#stop('delivered_elsewhere', atMs);
      note({ kind: 'delivered', tone: 'good' });
    } else if (kind === 'delivery_exhausted') {
      this.#moveTo(null, atMs);
      note({ kind: 'exhausted', tone: 'bad' });
    } else if (kind === 'code_checked') {
      // A right code says so itself, by the end of the session.
      if (entry.reason !== 'correct_code') note({ kind: 'check_failed', tone: 'bad' });
    } else {
      note({ kind: 'other', tone: 'neutral' }, kind);
    }
  }

  #ofLane(lane: Lane, entry: StoryEntry, atMs: number): void {
    const { kind, call } = entry;
    const carrier = carrierName(lane.channel, lane.operator);
    const given = givenReason(entry, carrier);
    const mark = (of: Partial<Mark> & Pick<Mark, 'kind'>) =>
      lane.marks.push({
        ...blankMark,
        atMs,
        word: entry.reason ?? '',
        detail: entry.detail ?? '',
        call: call ?? null,
        ...of,
      });
    switch (kind) {
      case 'leg_started':
      case 'in_doubt_resend':
        mark({ kind: 'started' });
        this.#start(lane, atMs, { ...noReason, carrier, code: 'on_its_way' });
        break;
      case 'leg_skipped':
        mark({ kind: 'skipped', why: given });
        this.#moveTo(lane, atMs);
        // Its message may have waited until now for an operator that is down.
        Object.assign(lane, { endMs: lane.endMs ?? atMs, outcome: 'skipped', why: given });
        if (lane === this.#current) this.#current = null;
        this.#left = lane;
        break;
      case 'leg_timed_out': {
        const none = entry.reason === 'in_doubt' ? 'in_doubt' : 'not_taken';
        const code = lane.marks.reduce<ReasonCode>((so, { kind: each }) => timedOut[each] ?? so, none);
        const why: Why = { ...noReason, carrier, code, seconds: seconds(atMs - lane.startMs) };
        mark({ kind: 'timed_out', tone: 'bad', why });
        lane.timeoutAtMs = atMs;
        this.#end(lane, atMs, 'timed_out', why);
        break;
      }
      case 'message_submitted':
        mark(call ? { kind: 'call', word: call.state, detail: '' } : { kind: 'submitted' });
        if (lane === this.#current) lane.why = { ...noReason, carrier, code: call ? 'call_ringing' : 'waiting' };
        break;
      case 'call_answered':
        mark({ kind: 'call', atMs: timeOf(call?.answered_at) ?? atMs, word: 'answered' });
        if (lane !== this.#current) break;
        lane.timeoutAtMs = null;
        lane.why = { ...noReason, carrier, code: 'call_talking' };
        break;
      case 'receipt_received':
        this.#receipt(lane, entry, atMs);
        break;
      case 'message_unknown':
        mark({ kind: 'unknown', tone: 'bad', why: given });
        // A call in doubt is not waited for; of any other message a receipt may still come.
        if (lane.channel === 'voice') this.#end(lane, atMs, 'failed', given);
        else if (lane === this.#current) lane.why = given;
        break;
      case 'message_failed': {
        const end = callEnd(call?.state, carrier);
        const why = end ?? given;
        const isLate = given.word === 'not_delivered_in_time';
        mark({ kind: isLate ? 'timed_out' : 'refused', tone: 'bad', word: end?.word ?? given.word, why });
        this.#end(lane, atMs, !end && refusals.includes(given.word) ? 'refused' : 'failed', why);
        break;
      }
      case 'message_withdrawn': {
        const why: Why = entry.reason ? given : { ...noReason, carrier, code: 'not_needed' };
        mark({ kind: 'withdrawn', why });
        this.#end(lane, atMs, 'stopped', why);
        break;
      }
      case 'sender_fallback':
        mark({ kind: 'fallback', why: { ...noReason, carrier, code: 'sender_id_refused' } });
        // A receipt had ended the leg: it goes on with another message from another sender.
        Object.assign(lane, { endMs: null, outcome: 'under_way', ...this.#ofMessage(entry.message_id) });
        [this.#current, this.#left] = [lane, null];
        break;
      case 'operator_busy':
        mark({ kind: 'busy', why: { ...noReason, carrier, code: 'throttled' } });
        break;
      default:
        mark({ kind: 'other', word: kind });
    }
  }

  #receipt(lane: Lane, entry: StoryEntry, atMs: number): void {
    const status = entry.reason ?? '';
    const row = this.#rowOf(lane.messageId, status);
    const { call } = entry;
    const carrier = carrierName(lane.channel, lane.operator);
    const isGood = status === 'DELIVRD';
    const isBad = negative.includes(status);
    const own = row?.provider_status || status;
    const code: ReasonCode = isGood ? (call ? 'heard' : 'delivered') : 'receipt';
    const said: Why = { ...noReason, carrier, code, word: own, error: entry.detail ?? '' };
    const why = isBad ? badReceipt(said, lane.channel, call?.state) : said;
    lane.marks.push({
      atMs,
      kind: call ? 'call' : 'receipt',
      tone: isGood ? 'good' : isBad ? 'bad' : 'neutral',
      // A call that was heard has a second receipt, for its end.
      word: call ? (isGood && call.ended ? 'over' : call.state) : own,
      detail: entry.detail ?? '',
      why,
      operatorMs: timeOf(row?.operator_timestamp),
      call: call ?? null,
    });
    if (lane.outcome === 'delivered') return;
    if (isGood) this.#arrived(lane, atMs, why);
    else if (isBad && lane === this.#current) this.#end(lane, atMs, 'failed', why);
    // A call that is stopped because its time is up says so, and nothing new.
    else if (isBad && lane.outcome === 'timed_out' && why.code !== 'call_canceled')
      Object.assign(lane, { outcome: 'failed', why });
  }

  #arrived(lane: Lane, atMs: number, why: Why): void {
    lane.outcome = 'delivered';
    lane.why = why;
    if (lane === this.#current) {
      lane.endMs = atMs;
      this.#current = null;
    } else if (lane.endMs !== null && why.code === 'delivered' && atMs > lane.endMs) {
      lane.why = { ...why, code: 'delivered_late', seconds: seconds(atMs - lane.endMs) };
    }
  }

  #start(lane: Lane, atMs: number, why: Why): void {
    const timeoutMs = timeoutMsOf(this.#session, lane.channel);
    const expiresMs = timeOf(this.#session.expires_at) ?? Number.POSITIVE_INFINITY;
    const timeoutAtMs = timeoutMs === null ? null : Math.max(atMs, Math.min(atMs + timeoutMs, expiresMs));
    Object.assign(lane, { startMs: atMs, endMs: null, outcome: 'under_way', why, timeoutAtMs });
    this.#moveTo(lane, atMs);
    this.#current = lane;
  }

  /** The leg under way is over; what comes for it later changes its outcome at most. */
  #end(lane: Lane, atMs: number, outcome: Outcome, why: Why): void {
    if (lane !== this.#current) return;
    Object.assign(lane, { endMs: atMs, outcome, why });
    this.#current = null;
    this.#left = lane;
  }

  /** The leg under way is over for a reason that is not its own, and the cascade does not go on from it. */
  #stop(code: ReasonCode, atMs: number): void {
    const lane = this.#current;
    if (lane) {
      const carrier = carrierName(lane.channel, lane.operator);
      this.#end(lane, atMs, 'stopped', { ...noReason, carrier, code });
    }
    this.#left = null;
  }

  #moveTo(to: Lane | null, atMs: number): void {
    const from = this.#left;
    this.#left = null;
    if (from) from.moved = { atMs, to: to?.id ?? null, why: from.why, reason: inEnglish(from.why) };
  }

  /** Every receipt that was taken has a row and an entry; the first row of that status that no entry has had is this entry's. */
  #rowOf(messageId: string, status: string): StoryReceipt | undefined {
    const rows = this.#receipts.get(messageId) ?? [];
    const at = rows.findIndex((row) => row.status === status);
    return at < 0 ? undefined : rows.splice(at, 1)[0];
  }

  /** The lane an entry is about, made where it is the first one; null where it is about none. */
  #laneOf(entry: StoryEntry, atMs: number): Lane | null {
    const message = this.#messages.get(entry.message_id ?? '');
    const position = entry.position ?? message?.position;
    if (position == null) return null;
    const run = entry.run ?? message?.run ?? 1;
    const first = `${run}.${position}`;
    const second = `${first}.2`;
    // A leg that had its message is skipped without one only where that was in doubt, and can't go out once more.
    const isUnmade = entry.kind === 'leg_skipped' && !entry.message_id && this.#lanes.has(first);
    // A leg's time names no message: once there is a second one, it is that one's.
    const isAgain = entry.kind === 'leg_timed_out' && this.#lanes.has(second);
    const id = (message?.attempt ?? 1) > 1 || isUnmade || isAgain ? second : first;
    const channel = entry.channel || message?.channel || '';
    const lane = this.#lanes.get(id) ?? {
      ...blankLane,
      id,
      run,
      position,
      channel,
      startMs: atMs,
      endMs: atMs,
      marks: [],
    };
    if (!lane.messageId) Object.assign(lane, this.#ofMessage(message?.id));
    this.#lanes.set(id, lane);
    return lane;
  }

  #ofMessage(id?: string | null): Partial<Lane> {
    const message = this.#messages.get(id ?? '');
    if (!message) return {};
    const cost = message.cost ? { amount: message.cost.amount, currency: message.cost.currency } : null;
    const isCallUp = message.call != null && message.call.ended !== true;
    return { messageId: message.id, operator: message.operator ?? '', cost, isCallUp };
  }
}
