// Outgoing messages: how one is made, the references under which its receipts will find it, and the list of messages never written.

import type { Channel, OutgoingMessage } from '../../channels/channel.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { isCalling, isCurrentLeg, stopReasonOf } from '../../core/verify/cascade.ts';
import { codeOf } from '../../core/verify/code.ts';
import { echoedReference, type Message, referenceSpaceOf, type Session } from '../../core/verify/session.ts';
import { callBefore } from '../../core/verify/submit.ts';
import { numberReference } from '../../db/receipts/receipts.ts';
import type { EngineContext } from '../context.ts';
import type { Applied, ApplyOptions } from '../sessions/session-line.ts';

/** A place on the wire that is kept for a message while it is being stored. Exactly one of the two must be called. */
export interface Departure {
  /** The session as it is on record, with its message as `submitting`: writes it. Returns at once. */
  go(session: Session): void;
  /** Gives the place up. `maybeStored`: it is not known whether the message is on record all the same. */
  drop(maybeStored: boolean): void;
}

/** The message with its code, made at the last moment and kept nowhere. */
export function compose(session: Session, message: Message, ring: KeyRing): OutgoingMessage {
  const { accountId, mode, to, language, autofill, wording, expiresAt } = session;
  return {
    id: message.id,
    sessionId: session.id,
    accountId,
    mode,
    channel: message.channel,
    route: message.route,
    to,
    senderId: message.senderId,
    language,
    autofill,
    wording,
    expiresAt,
    code: codeOf(session, ring),
  };
}

/** Whether the message is on record as being written by the process. */
export const isWriting = ({ messages }: Session, { id }: Message, processId: string): boolean =>
  messages.some(({ id: each, status, holder }) => each === id && status === 'submitting' && holder === processId);

/** Between two looks at the clock while a mark is waited for, ms. */
const lookMs = 100;
/** A longer pause between two of them is a process that stood still, ms. On a busy machine they are late by less. */
export const mostPauseMs = 250;

/** The wait for a mark, which notices where this process stands still meanwhile. */
export class MarkWait {
  readonly #now: () => number;
  #timer: NodeJS.Timeout;
  /** When it began, Unix ms. */
  readonly since: number;
  #seenAt: number;
  #longestMs = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.since = now();
    this.#seenAt = this.since;
    this.#timer = this.#nextLook();
  }

  #nextLook(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#look();
      this.#timer = this.#nextLook();
    }, lookMs);
  }

  #look(): void {
    const at = this.#now();
    this.#longestMs = Math.max(this.#longestMs, at - this.#seenAt);
    this.#seenAt = at;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#look();
  }

  /** Whether this process stood still until the end of the wait. */
  get stoodStill(): boolean {
    return this.#longestMs > mostPauseMs;
  }
}

/**
 * Whether a message that is on record as being written by this process may be written now. `since`: before it was marked, Unix ms. A process that stood
 * still for longer than its lease was taken for dead: others have said that the message may have been sent, and may have sent it once more. A lease may
 * also end before its time, where the database's clock was set forward or a standby lacked the last renewals: what a process that `stoodStill` has
 * marked is read again.
 */
export async function isStillOurs(
  { store, fleet, leases, cells, observe }: EngineContext,
  session: Session,
  message: Message,
  { since, stoodStill }: Pick<MarkWait, 'since' | 'stoodStill'>,
): Promise<boolean> {
  if (stoodStill) {
    observe.reread?.();
    const stored = await store.load(session).catch(() => null);
    if (!stored || !isWriting(stored.session, message, fleet.processId)) return false;
  }
  return leases.get(cells.ofId(session.id))?.keptSince(since) ?? false;
}

/** Whether a message is no longer wanted: the end of its leg may be in the very save that let it begin. */
export const isStopped = (session: Session, { id }: Message): boolean =>
  session.messages.some((message) => message.id === id && stopReasonOf(session, message) !== null);

/**
 * Whether a call that was passed over, since the one before it was not over, may begin after all: that one's end was in the same save. Where its
 * leg is over, its deadline withdraws it.
 */
export function mayBeginNow(applied: Applied, { id }: Message): boolean {
  if (applied.kind !== 'applied' || !applied.held || applied.outcome.kind !== 'ignored') return false;
  if (applied.outcome.reason !== callBefore) return false;
  const { session } = applied;
  const message = session.messages.find((each) => each.id === id);
  return message?.status === 'queued' && isCurrentLeg(session, message) && !isCalling(session);
}

/** Whether the message stays with the process that sends it. The channel of test keys is behind every channel, and only its calls do. */
export const isCallOf = ({ staysHere }: Channel, message: Message): boolean =>
  staysHere === true && message.channel === 'voice';

/** Files a message whose carrier's id is not known under its phone. */
export function nameless(session: Session, message: Message): ApplyOptions {
  return {
    reference: { messageId: message.id, operator: referenceSpaceOf(message), reference: numberReference(session.to) },
  };
}

/** Files a message under our own id, for carriers that bring it back: then not even a lost answer loses its receipts. */
export function ownReference(message: Message): ApplyOptions {
  const reference = echoedReference(message.route, message.id);
  return { reference: { messageId: message.id, operator: referenceSpaceOf(message), reference } };
}

/** How long a statement whose connection broke may still be committed: the statement timeout with a wide margin. */
const rememberMs = 60_000;

/**
 * Messages that may be on record as `submitting` and were certainly never written: the commit that stored them so broke off. Without
 * this list they would have to pass for sent, like what a dead process leaves behind.
 */
export class Unwritten {
  readonly #now: () => number;
  /** Until when each message is remembered, Unix ms; the one that was added first stands first. */
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(messageId: string): void {
    const now = this.#now();
    for (const [id, until] of this.#until) {
      if (until > now) break;
      this.#until.delete(id);
    }
    this.#until.set(messageId, now + rememberMs);
  }

  /** Whether the message is on the list; it is taken off, because the caller is about to send it. */
  take(messageId: string): boolean {
    return this.#until.delete(messageId);
  }
}
