// The dispatcher of messages that this process holds: it waits for a place on the route, commits `submitting`, writes, and stores the
// answer. The order matters: a message that was written without `submitting` on record could be sent twice.

import type { OutgoingMessage, Place, SendOutcome } from '../../channels/channel.ts';
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
  isStillOurs,
  isStopped,
  isWriting,
  MarkWait,
  mayBeginNow,
  ownReference,
  Unwritten,
} from './outgoing.ts';
import { PutOff } from './put-off.ts';

/** A message on its way out here, with its session as it was last seen. `abort` ends its wait for a place. */
interface Sending {
  session: Session;
  message: Message;
  abort: AbortController;
}

/** What is known of earlier tries to mark a message as `submitting`. */
interface MarkTries {
  /** When the first of them that may be on record began, Unix ms. */
  since: number;
  /** The commit of one broke off: the mark may be on record all the same. */
  maybeMarked: boolean;
}

/**
 * What became of a mark. `send`: it is on record, and the message is to be written. `stopped`: on record, and the message is no longer wanted.
 * `lease_lost`: on record, and the session may be another process's by now. `ignored`: not on record. `again`: likewise, and it may be by now.
 */
type Mark = 'send' | 'stopped' | 'lease_lost' | 'ignored' | 'again';

export class Dispatcher {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;
  readonly #references: References;
  readonly #outcomes: Outcomes;
  readonly #waiting = new Map<string, AbortController>();
  /** Messages that wait for a place, by route; and the waits that are counted there. */
  readonly #perRoute = new Counter();
  readonly #counted = new Set<AbortController>();
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

  /** Messages that wait for a place on a route. Those that wait for the carrier's answer have had theirs, and keep no other waiting. */
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

  /**
   * Starts sending; returns at once. A message already on its way here is left alone. One that was being stored for this process when that began
   * to stop goes to others: they see a lease that runs, and would leave it alone until its end.
   */
  dispatch(session: Session, messageId: string): void {
    const message = session.messages.find((each) => each.id === messageId);
    if (message?.status !== 'queued' || this.#waiting.has(messageId)) return;
    const sending = { session, message, abort: new AbortController() };
    this.#follow(sending, this.#stopped ? this.#outcomes.notSent(session, message) : this.#send(sending));
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
    const place =
      channel.reserveNow?.(message.route, abort.signal) ??
      (await this.#borrowed.take(message.route, referenceSpaceOf(message)));
    if (this.#stopped) place?.release();
    if (!place || this.#stopped) return null;
    const wait = new MarkWait(this.#context.now);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#follow({ session, message, abort }, promise);
    return {
      go: (stored) => resolve(this.#depart({ session: stored, message, abort }, place, wait)),
      drop: (maybeStored) => {
        wait.end();
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
  #follow({ session, message, abort }: Sending, work: Promise<void>): void {
    this.#waiting.set(message.id, abort);
    this.#perRoute.add(message.route, 1);
    this.#counted.add(abort);
    for (const { id } of [session, message]) this.#underWay.add(id, 1);
    const running = work
      .catch((error) =>
        this.#failed(error, session, message.id, 'a message was left as it is on record: a sweep takes it up'),
      )
      .finally(() => {
        this.#endWait({ message, abort });
        this.#uncount({ message, abort });
        for (const { id } of [session, message]) this.#underWay.add(id, -1);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  async #send(sending: Sending): Promise<void> {
    const place = await this.#markedPlace(sending);
    if (!place) return;
    const outgoing = await this.#composed(sending);
    if (outgoing) return this.#write(sending, outgoing, place);
    place.release();
    this.#endWait(sending);
  }

  /**
   * Writes a message that was stored as `submitting` from the first. Storing it may have taken longer than its leg or the lease lasts: then it is
   * recorded as not sent, and the session decides what follows. @param wait since it was about to be stored.
   */
  async #depart(sending: Sending, place: Place, wait: MarkWait): Promise<void> {
    const { session, message } = sending;
    wait.end();
    const late = session.legEndsAt !== null && this.#context.now() >= session.legEndsAt;
    const isOurs = !late && (await isStillOurs(this.#context, session, message, wait));
    const outgoing = isOurs ? await this.#composed(sending) : null;
    if (outgoing) return this.#write(sending, outgoing, place);
    place.release();
    this.#endWait(sending);
    if (late) await this.#outcomes.notSent(session, message);
    else if (!isOurs) await this.#outcomes.notBegun(session, message);
  }

  /** Null when the message can't be made; the failure is then on record. */
  async #composed({ session, message }: Sending): Promise<OutgoingMessage | null> {
    try {
      return compose(session, message, this.#context.ring);
    } catch (error) {
      this.#failed(error, session, message.id, 'a message could not be made: check that the key ring has its key');
      await this.#outcomes.answer(session, message, { kind: 'rejected', reason: 'internal_error', errorCode: null });
      return null;
    }
  }

  async #write(sending: Sending, outgoing: OutgoingMessage, place: Place): Promise<void> {
    const { session, message } = sending;
    this.#uncount(sending);
    const outcome = await place.send(outgoing).catch((error: unknown): SendOutcome => {
      this.#failed(error, session, message.id, 'a channel failed while it wrote a message: please report this error');
      return { kind: 'unknown', reason: 'internal_error' };
    });
    // The wait is over: a second dispatch of this message from here on (sender fallback) is a new one.
    this.#endWait(sending);
    await this.#outcomes.answer(session, message, outcome);
  }

  /** A place on the wire for a message that is committed as `submitting`; null when it is not to be sent from here. */
  async #markedPlace(sending: Sending): Promise<Place | null> {
    const { session, message, abort } = sending;
    const { signal } = abort;
    const channel = this.#context.channels.ofMessage(session, message);
    const filed: ApplyOptions = { onlyIfHeld: true, ...(channel.echoesMessageId ? ownReference(message) : {}) };
    const tries: MarkTries = { since: this.#context.now(), maybeMarked: false };
    await this.#putOff.passed(message.id, signal);
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const place = await channel.reserve(message.route, signal);
      if (!place) {
        await this.#leaveUnplaced(sending, tries);
        return null;
      }
      if (!tries.maybeMarked) tries.since = this.#context.now();
      try {
        const mark = await this.#mark(sending, filed, tries);
        if (mark === 'send') {
          if (filed.reference) this.#references.rememberFiled(session, filed.reference);
          return place;
        }
        place.release();
        if (mark === 'again') continue;
        this.#endWait(sending);
        if (mark === 'lease_lost') await this.#outcomes.notBegun(session, message);
        else if (mark === 'stopped') await this.#outcomes.notSent(session, message);
        return null;
      } catch (error) {
        // The database is away. Nothing was written, so the place goes to others until it is back.
        tries.maybeMarked = true;
        place.release();
        const line = 'a message waits because its state could not be stored: look at the database for the cause';
        this.#failed(error, session, message.id, line);
        await pause(pauseMs);
      }
    }
  }

  /** There is no place for the message here: it was withdrawn, its route was lost, or this process ends. */
  async #leaveUnplaced(sending: Sending, { maybeMarked }: MarkTries): Promise<void> {
    const { session, message, abort } = sending;
    // Withdrawn and never marked: nothing is left to do.
    if (abort.signal.aborted && !maybeMarked && !this.#stopped) return;
    // A process that has the route takes the message over. The wait ends first: where the route is back by now, this very process is to send it.
    this.#endWait(sending);
    await this.#outcomes.notSent(session, message);
  }

  /** Commits the message as `submitting`. @throws when the database fails: the mark may be on record all the same. */
  async #mark({ session, message }: Sending, filed: ApplyOptions, { since, maybeMarked }: MarkTries): Promise<Mark> {
    const { processId } = this.#context.fleet;
    const submitting: Event = { kind: 'submitting', messageId: message.id, holder: processId };
    const wait = new MarkWait(this.#context.now);
    const applied = await this.#sessions.apply(session, submitting, filed).finally(() => wait.end());
    // An earlier mark whose commit broke off names this process.
    const isMarked =
      applied.kind === 'applied' &&
      (applied.outcome.kind === 'done' || (maybeMarked && isWriting(applied.session, message, processId)));
    // The call before it was over in the very save that passed this one over: nothing else begins it.
    if (!isMarked) return mayBeginNow(applied, message) ? 'again' : 'ignored';
    if (isStopped(applied.session, message)) return 'stopped';
    const { stoodStill } = wait;
    return (await isStillOurs(this.#context, session, message, { since, stoodStill })) ? 'send' : 'lease_lost';
  }

  #endWait({ message, abort }: Pick<Sending, 'message' | 'abort'>): void {
    if (this.#waiting.get(message.id) === abort) this.#waiting.delete(message.id);
  }

  #uncount({ message, abort }: Pick<Sending, 'message' | 'abort'>): void {
    if (this.#counted.delete(abort)) this.#perRoute.add(message.route, -1);
  }

  #failed(err: unknown, { id }: Session, messageId: string, line: string): void {
    this.#context.log.error({ err, session_id: id, message_id: messageId }, line);
  }
}
