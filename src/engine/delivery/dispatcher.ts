// The dispatcher of messages that this process holds: it waits for a place on the route, commits `submitting`, writes, and stores the
// answer. The order matters: a message that was written without `submitting` on record could be sent twice.

import type { Channel, OutgoingMessage, Place, SendOutcome } from '../../channels/channel.ts';
import { Counter } from '../../collections/small-maps.ts';
import type { Event } from '../../core/verify/event.ts';
import { type Message, referenceSpaceOf, type Session } from '../../core/verify/session.ts';
import { maxPauseMs, pause } from '../../time/repeat.ts';
import type { EngineContext } from '../context.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { References } from '../receipts/references.ts';
import type { ApplyOptions } from '../sessions/session-line.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { BorrowedPlaces } from './borrowed-places.ts';
import { Outcomes } from './outcomes.ts';
import {
  compose,
  type Departure,
  isCallOf,
  isStopped,
  isWriting,
  mayBeginNow,
  ownReference,
  Unwritten,
} from './outgoing.ts';
import { PutOff } from './put-off.ts';

export class Dispatcher {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;
  readonly #references: References;
  readonly #outcomes: Outcomes;
  readonly #waiting = new Map<string, AbortController>();
  readonly #perRoute = new Counter();
  readonly #running = new Set<Promise<void>>();
  /** Sends under way by message and by session, from waiting for a place to the stored answer. */
  readonly #underWay = new Counter();
  readonly #unwritten: Unwritten;
  readonly #putOff: PutOff;
  readonly #borrowed: BorrowedPlaces;
  #stopped = false;

  constructor(context: EngineContext, sessions: Sessions, references: References, receipts: Receipts) {
    this.#context = context;
    this.#sessions = sessions;
    this.#references = references;
    this.#unwritten = new Unwritten(context.now);
    this.#putOff = new PutOff(context.now);
    this.#outcomes = new Outcomes(context, { sessions, references, receipts, putOff: this.#putOff });
    this.#borrowed = new BorrowedPlaces(context);
  }

  /** Messages under way on a route: waiting for a place, or for the carrier's answer. */
  backlog(route: string): number {
    return this.#perRoute.of(route);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether the message, or one of the session, is on its way out here. */
  has(id: string): boolean {
    return this.#underWay.of(id) > 0;
  }

  /** Starts sending; returns at once. A message already on its way here is left alone. */
  dispatch(session: Session, messageId: string): void {
    const message = session.messages.find((each) => each.id === messageId);
    if (this.#stopped || message?.status !== 'queued' || this.#waiting.has(messageId)) return;
    const abort = new AbortController();
    this.#follow(session, message, abort, this.#send(session, message, abort));
  }

  /**
   * A place for a message that is about to be stored for the first time: where there is one at this moment, here or in a process that has
   * the route, it can be stored as `submitting` at once, and one commit does for two. Null where it has to wait in line, or must be filed
   * before it is written.
   */
  async begin(session: Session, message: Message): Promise<Departure | null> {
    const channel = this.#context.channels.ofMessage(session, message);
    if (this.#stopped || channel.echoesMessageId || isCallOf(channel, message)) return null;
    const abort = new AbortController();
    const since = this.#context.now();
    const place =
      channel.reserveNow?.(message.route, abort.signal) ??
      (await this.#borrowed.take(message.route, referenceSpaceOf(message)));
    if (this.#stopped) place?.release();
    if (!place || this.#stopped) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#follow(session, message, abort, promise);
    return {
      /** The session as it is on record, with its message as `submitting`: writes it. Returns at once. */
      go: (stored: Session) => resolve(this.#depart(stored, message, place, abort, since)),
      /** Gives the place up. `maybeStored`: it is not known whether the message is on record all the same. */
      drop: (maybeStored: boolean) => {
        if (maybeStored) this.#unwritten.add(message.id);
        place.release();
        resolve();
      },
    };
  }

  /** Whether a message on record as `submitting` was certainly never written from here. Answered once: it may be sent now. */
  takeUnwritten(messageId: string): boolean {
    return this.#unwritten.take(messageId);
  }

  /** The leg is over: stops waiting for a place. What is being written is left to its answer. */
  withdraw(messageId: string): void {
    this.#waiting.get(messageId)?.abort();
  }

  /** Stops waiting for places, and begins nothing more: what is still queued goes to the processes that go on. */
  stop(): void {
    this.#stopped = true;
    this.#context.channels.drain();
    for (const abort of this.#waiting.values()) abort.abort();
  }

  /** Resolves once every message under way has its answer stored. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Counts a message as under way until `work` is done. */
  #follow(session: Session, message: Message, abort: AbortController, work: Promise<void>): void {
    this.#waiting.set(message.id, abort);
    this.#perRoute.add(message.route, 1);
    for (const { id } of [session, message]) this.#underWay.add(id, 1);
    const running = work
      .catch((error) =>
        this.#failed(error, session, message.id, 'a message was left as it is on record: a sweep takes it up'),
      )
      .finally(() => {
        this.#endWait(message.id, abort);
        this.#perRoute.add(message.route, -1);
        for (const { id } of [session, message]) this.#underWay.add(id, -1);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  async #send(session: Session, message: Message, abort: AbortController): Promise<void> {
    const place = await this.#markedPlace(this.#context.channels.ofMessage(session, message), session, message, abort);
    if (!place) return;
    const outgoing = await this.#composed(session, message);
    if (outgoing) return this.#write(session, message, outgoing, place, abort);
    place.release();
    this.#endWait(message.id, abort);
  }

  /** Storing the message may have taken longer than its leg or the lease lasts: then it is recorded as not sent, and the session decides what follows. */
  async #depart(
    session: Session,
    message: Message,
    place: Place,
    abort: AbortController,
    since: number,
  ): Promise<void> {
    const late = session.legEndsAt !== null && this.#context.now() >= session.legEndsAt;
    const isOurs = this.#isOurs(session, since);
    const outgoing = late || !isOurs ? null : await this.#composed(session, message);
    if (outgoing) return this.#write(session, message, outgoing, place, abort);
    place.release();
    this.#endWait(message.id, abort);
    if (late) await this.#outcomes.notSent(session, message);
    else if (!isOurs) await this.#outcomes.notBegun(session, message);
  }

  /**
   * Whether the lease has run since the message was about to be marked, Unix ms. A process that stood still for longer was taken for dead: others have
   * said that the message may have been sent, and may have sent it once more.
   */
  #isOurs({ id }: Session, since: number): boolean {
    const { leases, cells } = this.#context;
    return leases.get(cells.ofId(id))?.keptSince(since) ?? false;
  }

  /** Null when the message can't be made; the failure is then on record. */
  async #composed(session: Session, message: Message): Promise<OutgoingMessage | null> {
    try {
      return compose(session, message, this.#context.ring);
    } catch (error) {
      this.#failed(error, session, message.id, 'a message could not be made: check that the key ring has its key');
      await this.#outcomes.answer(session, message, { kind: 'rejected', reason: 'internal_error', errorCode: null });
      return null;
    }
  }

  async #write(
    session: Session,
    message: Message,
    outgoing: OutgoingMessage,
    place: Place,
    abort: AbortController,
  ): Promise<void> {
    const outcome = await place.send(outgoing).catch((error: unknown): SendOutcome => {
      this.#failed(error, session, message.id, 'a channel failed while it wrote a message: please report this error');
      return { kind: 'unknown', reason: 'internal_error' };
    });
    // The wait is over: a second dispatch of this message from here on (sender fallback) is a new one.
    this.#endWait(message.id, abort);
    await this.#outcomes.answer(session, message, outcome);
  }

  /** A place on the wire for a message that is committed as `submitting`; null when it is not to be sent from here. */
  async #markedPlace(channel: Channel, session: Session, message: Message, abort: AbortController) {
    const { signal } = abort;
    const { processId } = this.#context.fleet;
    const submitting: Event = { kind: 'submitting', messageId: message.id, holder: processId };
    const filed: ApplyOptions = { onlyIfHeld: true, ...(channel.echoesMessageId ? ownReference(message) : {}) };
    let maybeMarked = false;
    let since = this.#context.now();
    await this.#putOff.passed(message.id, signal);
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const place = await channel.reserve(message.route, signal);
      if (!place) {
        // Withdrawn and never marked: nothing is left to do.
        if (signal.aborted && !maybeMarked && !this.#stopped) return null;
        // The route was lost, or this process ends: a process that has it takes the message over. The wait ends first: where the route is back
        // by now, this very process is to send it again.
        this.#endWait(message.id, abort);
        await this.#outcomes.notSent(session, message);
        return null;
      }
      if (!maybeMarked) since = this.#context.now();
      try {
        const applied = await this.#sessions.apply(session, submitting, filed);
        // A mark whose commit broke off may be on record all the same, and names this process.
        const marked =
          applied.kind === 'applied' &&
          (applied.outcome.kind === 'done' || (maybeMarked && isWriting(applied.session, message, processId)));
        // The call before it was over in the very save that passed this one over: nothing else begins it.
        if (!marked && mayBeginNow(applied, message)) {
          place.release();
          continue;
        }
        const isOurs = this.#isOurs(session, since);
        const isWanted = marked && !isStopped(applied.session, message);
        if (isWanted && isOurs) {
          if (filed.reference) this.#references.rememberFiled(session, filed.reference);
          return place;
        }
        place.release();
        this.#endWait(message.id, abort);
        if (isWanted) await this.#outcomes.notBegun(session, message);
        else if (marked) await this.#outcomes.notSent(session, message);
        return null;
      } catch (error) {
        // The database is away. Nothing was written, so the place goes to others until it is back.
        maybeMarked = true;
        place.release();
        const line = 'a message waits because its state could not be stored: look at the database for the cause';
        this.#failed(error, session, message.id, line);
        await pause(pauseMs);
      }
    }
  }

  #endWait(messageId: string, abort: AbortController): void {
    if (this.#waiting.get(messageId) === abort) this.#waiting.delete(messageId);
  }

  #failed(err: unknown, { id }: Session, messageId: string, line: string): void {
    this.#context.log.error({ err, session_id: id, message_id: messageId }, line);
  }
}
