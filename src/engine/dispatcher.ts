// Sends what this process holds: waits for a place on the route, commits `submitting`, writes, stores the answer.
// Never the other way round: a message that was written without `submitting` on record could be sent twice.

import type { Channel, OutgoingMessage, Place, SendOutcome } from '../channels/channel.ts';
import type { Event } from '../core/event.ts';
import { carrierOf, echoedReference, type Message, type Session } from '../core/session.ts';
import type { Applied, ApplyOptions } from './jobs.ts';
import { numberReference } from './references.ts';
import { Tally } from './tally.ts';
import { maxPauseMs, untilStored } from './until-stored.ts';

export interface DispatcherOptions {
  channelOf(session: Session, message: Message): Channel;
  apply(session: Session, event: Event, options?: ApplyOptions): Promise<Applied>;
  /** The message with its code, made at the last moment and kept nowhere. */
  compose(session: Session, message: Message): OutgoingMessage;
  /** Called before the answer is stored, so that a receipt hot on its heels finds its message and waits in line behind it. */
  onReference(session: Session, messageId: string, operator: string, reference: string): void;
  /** Called once the answer is stored: receipts that came before it can be taken in now, priced by what it told. */
  onReferenceStored(session: Session, messageId: string, operator: string, reference: string): void;
  onError(error: unknown, about: { sessionId: string; messageId: string }): void;
  /** Pauses between tries to store an answer while the database is away. */
  pause(ms: number): Promise<void>;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #waiting = new Map<string, AbortController>();
  readonly #perRoute = new Tally();
  readonly #running = new Set<Promise<void>>();
  /** Sends under way by session, from waiting for a place to the stored answer. */
  readonly #bySession = new Tally();
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Messages under way on a route: waiting for a place, or for the carrier's answer. */
  backlog(route: string): number {
    return this.#perRoute.of(route);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether a message of the session is on its way out here. */
  has(sessionId: string): boolean {
    return this.#bySession.of(sessionId) > 0;
  }

  /** Starts sending; returns at once. A message already on its way here is left alone. */
  dispatch(session: Session, messageId: string): void {
    const message = session.messages.find((each) => each.id === messageId);
    if (this.#stopped || message?.status !== 'queued' || this.#waiting.has(messageId)) return;
    const abort = new AbortController();
    this.#waiting.set(messageId, abort);
    this.#perRoute.add(message.route, 1);
    this.#bySession.add(session.id, 1);
    const running = this.#send(session, message, abort)
      .catch((error) => this.#options.onError(error, { sessionId: session.id, messageId }))
      .finally(() => {
        this.#left(messageId, abort);
        this.#perRoute.add(message.route, -1);
        this.#bySession.add(session.id, -1);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  /** The leg is over: stops waiting for a place. What is being written is left to its answer. */
  withdraw(messageId: string): void {
    this.#waiting.get(messageId)?.abort();
  }

  /** Stops waiting for places, and begins nothing more: what is still queued is left to the processes that go on. */
  stop(): void {
    this.#stopped = true;
    for (const abort of this.#waiting.values()) abort.abort();
  }

  /** Resolves once every message under way has its answer stored. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #send(session: Session, message: Message, abort: AbortController): Promise<void> {
    const { channelOf, compose, onError } = this.#options;
    const about = { sessionId: session.id, messageId: message.id };
    let outgoing: OutgoingMessage;
    try {
      outgoing = compose(session, message);
    } catch (error) {
      onError(error, about);
      return this.#answer(session, message, { kind: 'rejected', reason: 'internal_error', errorCode: null });
    }
    const place = await this.#markedPlace(channelOf(session, message), session, message, abort);
    if (!place) return;
    // The wait is over: a second dispatch of this message from here on (sender fallback) is a new one.
    const outcome = await place.send(outgoing).catch((error: unknown): SendOutcome => {
      onError(error, about);
      return { kind: 'unknown', reason: 'internal_error' };
    });
    this.#left(message.id, abort);
    await this.#answer(session, message, outcome);
  }

  /** A place on the wire for a message that is committed as `submitting`; null when it is not to be sent from here. */
  async #markedPlace(
    channel: Channel,
    session: Session,
    message: Message,
    abort: AbortController,
  ): Promise<Place | null> {
    const { signal } = abort;
    const filed: ApplyOptions = { onlyIfHeld: true, ...(channel.echoesMessageId ? ownReference(message) : {}) };
    let maybeMarked = false;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const place = await channel.reserve(message.route, signal);
      if (!place) {
        // Withdrawn, or the route was lost: whoever has the route takes it over.
        if (signal.aborted) return null;
        // Out of the way first: where the route is back by now, this very process is told to send it again.
        this.#left(message.id, abort);
        await this.#store(session, { kind: 'not_sent', messageId: message.id }, { onlyIfHeld: true });
        return null;
      }
      try {
        const applied = await this.#options.apply(session, { kind: 'submitting', messageId: message.id }, filed);
        // A mark whose commit broke off may be there all the same. Then it is ours, unless somebody took the session over.
        const marked =
          applied.kind === 'applied' &&
          (applied.outcome.kind === 'done' || (maybeMarked && applied.held && isSubmitting(applied.session, message)));
        if (marked) {
          if (filed.reference)
            this.#options.onReference(session, message.id, carrierOf(message), filed.reference.reference);
          return place;
        }
        place.release();
        return null;
      } catch (error) {
        // The database is away. Nothing was written, so the place goes to others until it is back.
        maybeMarked = true;
        place.release();
        this.#options.onError(error, { sessionId: session.id, messageId: message.id });
        await this.#options.pause(pauseMs);
      }
    }
  }

  #left(messageId: string, abort: AbortController): void {
    if (this.#waiting.get(messageId) === abort) this.#waiting.delete(messageId);
  }

  async #answer(session: Session, message: Message, outcome: SendOutcome): Promise<void> {
    const messageId = message.id;
    switch (outcome.kind) {
      case 'accepted': {
        const { providerMessageId, parts, tariff, reference } = outcome;
        const event: Event = { kind: 'accepted', messageId, providerMessageId, parts, tariff };
        if (reference === null) return this.#store(session, event, nameless(session, message));
        const operator = carrierOf(message);
        this.#options.onReference(session, messageId, operator, reference);
        await this.#store(session, event, { reference: { messageId, operator, reference } });
        this.#options.onReferenceStored(session, messageId, operator, reference);
        return;
      }
      case 'rejected':
        return this.#store(session, {
          kind: 'rejected',
          messageId,
          reason: outcome.reason,
          errorCode: outcome.errorCode,
        });
      case 'sender_refused':
        return this.#store(session, { ...outcome, messageId });
      case 'unknown':
        return this.#store(session, { kind: 'unknown', messageId, reason: outcome.reason }, nameless(session, message));
      case 'not_sent':
        return this.#store(session, { kind: 'not_sent', messageId }, { onlyIfHeld: true });
    }
  }

  /** What the carrier answered is told once: it is kept until the database takes it. */
  async #store(session: Session, event: Event, options?: ApplyOptions): Promise<void> {
    const { apply, onError, pause } = this.#options;
    const about = { sessionId: session.id, messageId: 'messageId' in event ? event.messageId : '' };
    await untilStored(() => apply(session, event, options), { onError: (error) => onError(error, about), pause });
  }
}

const isSubmitting = ({ messages }: Session, { id }: Message): boolean =>
  messages.some((message) => message.id === id && message.status === 'submitting');

/** Files a message whose carrier's id is not known under its phone. */
export function nameless(session: Session, message: Message): ApplyOptions {
  return { reference: { messageId: message.id, operator: carrierOf(message), reference: numberReference(session.to) } };
}

/** Files a message under our own id, for carriers that bring it back: then not even a lost answer loses its receipts. */
function ownReference(message: Message): ApplyOptions {
  const reference = echoedReference(message.route, message.id);
  return { reference: { messageId: message.id, operator: carrierOf(message), reference } };
}
