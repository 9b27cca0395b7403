// The working copy that `advance` writes on: a shallow copy of the session and the list of effects so far. The session passed in
// is never changed, and messages are replaced, not changed, so that a save can see by identity which are new.

import type { Finding } from '../limits/verdict.ts';
import type { Effect, Note, SessionEventType, World } from './event.ts';
import type { Rules } from './rules.ts';
import { isTerminal, type Message, type Receipt, type Session } from './session.ts';

export interface Draft {
  session: Session;
  effects: Effect[];
  world: World;
}

export function startDraft(session: Session, world: World): Draft {
  return {
    session: { ...session, messages: [...session.messages], timeline: [...session.timeline] },
    effects: [],
    world,
  };
}

export function note(draft: Draft, entry: Note): void {
  draft.session.timeline.push({ at: draft.world.now, run: draft.session.run, ...entry });
}

/** What rules that are only watched have found of a send: it went out all the same. */
export function noteFindings(draft: Draft, findings: readonly Finding[] = []): void {
  for (const { rule, reason } of findings) note(draft, { kind: 'fraud_guard', rule, reason });
}

/** The part of a note that names the client's call. */
export const by = (operation: string | undefined): Pick<Note, 'operation'> =>
  operation === undefined ? {} : { operation };

/** Numbers an event for the client and adds it to the effects that are saved with the state. */
export function emit(
  draft: Draft,
  type: SessionEventType,
  about: { messageId?: string; receipt?: Receipt } = {},
): void {
  const { session, effects, world } = draft;
  session.eventSequence += 1;
  // The draft is written on until `advance` returns, and never again.
  effects.push({ kind: 'emit', type, sequence: session.eventSequence, at: world.now, session, ...about });
}

export function messageOf(draft: Draft, id: string): Message | undefined {
  return draft.session.messages.find((message) => message.id === id);
}

/** Whether a process may still say what becomes of the message: it is being written, or its call is not over. */
const isInHand = ({ status, call }: Message): boolean => (call ? !call.ended : status === 'submitting');

/** Replaces one message by itself with `change` applied. */
export function patchMessage(draft: Draft, id: string, change: Partial<Message>): Message {
  const { messages } = draft.session;
  const index = messages.findIndex((message) => message.id === id);
  const current = messages[index];
  if (!current) throw new Error(`no message ${id} in session ${draft.session.id}`);
  const changed = { ...current, ...change };
  const next = isInHand(changed) ? changed : { ...changed, holder: null };
  messages[index] = next;
  return next;
}

/** Until when (Unix ms) a delivery by WhatsApp is waited for; infinite where none is. Its platform drops a message without a word. */
export const undeliveredUntil = (
  { channel, submittedAt, finalAt }: Message,
  { appDeliveryMs }: Pick<Rules, 'appDeliveryMs'>,
): number =>
  channel === 'whatsapp' && submittedAt !== null && finalAt === null
    ? submittedAt + appDeliveryMs
    : Number.POSITIVE_INFINITY;

/** In a leg that is short for its ring time, a call begins while this part of the leg is left. */
const ringShare = 2 / 3;

/**
 * When the current leg is over (Unix ms); null where there is none. A call that still waits is over as soon as too little of its leg is left to
 * ring in. With more calls than channels the one that waits longest is next: each would begin as its leg ends, and nobody could pick up in time.
 */
export function legOverAt(session: Session, { ringMs }: Pick<Rules, 'ringMs'>): number | null {
  const { legEndsAt, legs, run, position, messages } = session;
  const leg = legs[position];
  const isWaitingCall = messages.some(
    (each) => each.run === run && each.position === position && each.channel === 'voice' && each.status === 'queued',
  );
  if (legEndsAt === null || !leg || !isWaitingCall) return legEndsAt;
  return legEndsAt - Math.min(ringMs, Math.round(leg.timeoutMs * ringShare));
}

/**
 * Keeps the rule that a deadline exists exactly while one is due: the earliest end of the leg, of the session, and of messages that the
 * messaging platform may still deliver, which outlive a session.
 */
export function settleDeadline(draft: Draft): void {
  const { session, world } = draft;
  if (isTerminal(session) || session.delivery !== 'sending') session.legEndsAt = null;
  const ends = session.messages.map((message) => undeliveredUntil(message, world.rules));
  if (!isTerminal(session)) ends.push(legOverAt(session, world.rules) ?? session.expiresAt, session.expiresAt);
  const earliest = Math.min(...ends);
  session.nextAt = Number.isFinite(earliest) ? earliest : null;
}
