// One connection to an SMSC over an open stream: framing, codec, window and timers put together. Every request ends in exactly one
// outcome, whatever happens to the stream; binding and reconnecting are the business of link.ts.

import type { Duplex } from 'node:stream';
import { decodePdu, encodePdu, setSequence } from './codec.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { type Arrived, Deliveries } from './deliveries.ts';
import { Framer } from './framing.ts';
import { Idleness } from './idleness.ts';
import type { Answer, Pdu, PduInput, Request } from './pdu.ts';
import { type Reaction, reactionTo, statusOf } from './reaction.ts';
import { commandStatus } from './status.ts';
import { LinkTimers, Reading, type Timer } from './timers.ts';
import { type CloseReason, hangUp, Writer } from './transport.ts';
import { Window } from './window.ts';

/** How long an SMSC that says unbind has for its answers, and we for ours. */
const DRAIN_MS = 2_000;
/** How long an SMSC that has our answer to its unbind has to close. */
const PARTING_MS = 1_000;

export type Outcome =
  | { kind: 'answered'; answer: Pdu<Answer>; status: number; rttMs: number }
  /** Written, and its outcome is not known: never send it again. */
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' }
  /** Never handed to the socket: it may go out elsewhere. */
  | { kind: 'not_sent' };

const unbound: CloseReason = { kind: 'unbound_by_peer', detail: 'unbind' };

interface Sent {
  pdu: PduInput<Request>;
  resolve(outcome: Outcome): void;
}

export class Connection {
  /** Resolves once, after every request has its outcome. */
  readonly closed: Promise<CloseReason>;
  readonly #stream: Duplex;
  readonly #options: ConnectionOptions;
  readonly #framer: Framer;
  readonly #writer: Writer;
  readonly #window = new Window<Sent>();
  readonly #deliveries: Deliveries;
  readonly #timers: LinkTimers;
  #timer: { at: number; handle: Timer } | null = null;
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #isClosed = false;
  readonly #idleness: Idleness;
  /** Stopped while deliveries are at their limit: the silence is ours then, not the peer's. */
  readonly #reading = new Reading();
  #leaving = false;
  /** The SMSC has said that we are not bound. */
  #forgotten = false;

  constructor(stream: Duplex, options: ConnectionOptions) {
    const { clock, observer } = options;
    this.#stream = stream;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#idleness = new Idleness(clock);
    this.#framer = new Framer(options.maxPduOctets);
    this.#writer = new Writer(stream, (blocked) => {
      this.#readOrPause();
      if (!blocked) options.onWritable?.();
    });
    this.#deliveries = new Deliveries({
      handler: options.onDeliver,
      limit: options.maxDeliveries,
      timeoutMs: options.deliverTimeoutMs,
      now: () => clock.now(),
      answer: (arrived, status) => this.#answerDelivery(arrived, status),
      onFull: (full) => this.#fill(full),
      onFailure: (error) => observer.onOddity?.('handler_failed', String(error)),
    });
    this.#timers = new LinkTimers(
      {
        idleMs: options.enquireLinkIdleMs,
        responseMs: options.responseTimeoutMs,
        maxMisses: options.enquireLinkMisses,
        inactivityMs: options.inactivityMs,
      },
      clock.now(),
    );
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('error', (error) => this.destroy({ kind: 'error', detail: error.message }));
    const ended = (detail: string) => () => this.destroy(this.#leaving ? unbound : { kind: 'closed_by_peer', detail });
    stream.on('end', ended('end of stream'));
    stream.on('close', ended('closed'));
    this.#tick();
  }

  /** False when no request should be made: the connection is gone or about to go, or a side reads too slowly to see answers in time. */
  get writable(): boolean {
    return !this.#isClosed && !this.#leaving && !this.#forgotten && !this.#writer.blocked && !this.#reading.stopped;
  }

  /**
   * Sends a request and waits for its answer.
   * @param timeoutMs default: the connection's `responseTimeoutMs`.
   * @throws FieldError (as a rejection) when it cannot be encoded; nothing was sent then.
   */
  request(pdu: PduInput<Request>, timeoutMs = this.#options.responseTimeoutMs): Promise<Outcome> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve({ kind: 'not_sent' });
      else this.#send(pdu, timeoutMs, resolve);
    });
  }

  #send(pdu: PduInput<Request>, timeoutMs: number, resolve: (outcome: Outcome) => void): void {
    const frame = encodePdu(pdu);
    const now = this.#options.clock.now();
    const sequence = this.#window.add(pdu.command, { pdu, resolve }, now, timeoutMs);
    setSequence(frame, sequence);
    this.#timers.worked(now);
    this.#writer.write(frame, sequence);
    this.#wakeBy(now + timeoutMs);
  }

  /** Sends unbind (SMPP v3.4 section 4.2). Closes, and resolves, once it and the messages that came meanwhile are answered; after `timeoutMs` at most. */
  async unbind(timeoutMs: number, why = 'unbound'): Promise<void> {
    const { clock } = this.#options;
    const until = clock.now() + timeoutMs;
    const answered = this.request({ command: 'unbind' }, timeoutMs);
    this.#writer.flush();
    if (timeoutMs > 0) {
      await answered;
      await this.idle(until - clock.now());
      this.#writer.flush(); // The last answer may still wait for company.
    }
    this.destroy({ kind: 'closed_by_us', detail: why });
  }

  /** Resolves when no request waits for its answer and no incoming message for its handler, or after `timeoutMs`. Handlers outlast the connection. */
  idle(timeoutMs: number): Promise<void> {
    return this.#idleness.until(() => this.#window.size === 0 && this.#deliveries.pending === 0, timeoutMs);
  }

  /** Resolves when no request waits for its answer, or after `timeoutMs`. */
  answered(timeoutMs: number): Promise<void> {
    return this.#idleness.until(() => this.#window.size === 0, timeoutMs);
  }

  /** Ends everything now. The first reason given is the one that counts. */
  destroy(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.handle.clear();
    this.#deliveries.stop();
    const unsent = this.#writer.stop();
    hangUp(this.#stream, reason, this.#options.clock);
    for (const { sequence, item } of this.#window.drain()) {
      item.resolve(unsent.has(sequence) ? { kind: 'not_sent' } : { kind: 'unknown', reason: 'connection_lost' });
    }
    this.#resolveClosed(reason);
    this.#idleness.look();
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    const { frames, fault } = this.#framer.push(chunk);
    const now = this.#options.clock.now();
    if (frames.length > 0) this.#timers.heard(now);
    for (const frame of frames) {
      const { reaction, oddity } = reactionTo(decodePdu(frame), frame);
      if (oddity !== null) this.#options.observer.onOddity?.(...oddity);
      this.#react(reaction, now);
      if (this.#isClosed) return;
    }
    if (fault === null) return;
    // One generic_nack, then the end: after a wrong length there is no way to find the next PDU.
    this.#write({ command: 'generic_nack', status: commandStatus.RINVCMDLEN, sequence: 0 });
    this.#writer.flush();
    this.destroy({ kind: 'garbage', detail: `${fault.reason}: ${fault.length}` });
  }

  #react(reaction: Reaction, now: number): void {
    if (reaction.kind === 'match') {
      this.#match(reaction.answer, now);
    } else if (reaction.kind === 'reply') {
      this.#write(reaction.pdu);
    } else if (reaction.kind === 'deliver') {
      this.#timers.worked(now);
      this.#deliveries.take(reaction);
    } else if (reaction.kind === 'unbound') {
      void this.#leave(reaction.pdu);
    } else if (reaction.kind === 'forgotten') {
      void this.#giveUp();
    }
  }

  /**
   * An SMSC that has lost our bind answers everything in this way until it is rebound, and faster than any other: a new bind is the only cure. Requests
   * under way are waited for, because each is refused in the same way and may then go out elsewhere.
   */
  async #giveUp(): Promise<void> {
    if (this.#forgotten) return;
    this.#forgotten = true;
    await this.answered(this.#options.responseTimeoutMs);
    await this.unbind(0, 'the SMSC says that we are not bound (ESME_RINVBNDSTS)');
  }

  /**
   * The SMSC goes, and may still answer what it has: an SMSC that restarts every night would else leave every message in the window
   * unknown. A receipt may come right behind the last answer, so messages are taken until the SMSC closes. A second unbind ends the wait.
   */
  async #leave(answer: PduInput<Answer>): Promise<void> {
    const isSecond = this.#leaving;
    this.#leaving = true;
    if (!isSecond) await this.idle(Math.min(this.#options.responseTimeoutMs, DRAIN_MS));
    this.#write(answer);
    this.#writer.flush();
    if (!isSecond) await this.#idleness.until(() => this.#isClosed, PARTING_MS);
    this.destroy(unbound);
  }

  #answerDelivery({ command, sequence }: Arrived, status: number): void {
    this.#options.observer.onDelivery?.(status);
    this.#write({ command: command === 'deliver_sm' ? 'deliver_sm_resp' : 'data_sm_resp', sequence, status });
    this.#idleness.look();
  }

  #match(answer: Pdu<Answer>, now: number): void {
    const { observer, onLateAnswer } = this.#options;
    const answered = this.#window.answer(answer.sequence, answer.command, now);
    if (answered.kind === 'duplicate' || answered.kind === 'unknown') {
      observer.onOddity?.(`${answered.kind}_answer`, `${answer.command} ${answer.sequence}`);
      // Of an enquire_link, which is not in the window: an SMSC may refuse any request by generic_nack (section 4.3).
      if (answer.command === 'generic_nack' && answer.status === commandStatus.RINVBNDSTS) void this.#giveUp();
      return;
    }
    const { item, rttMs } = answered;
    const status = statusOf(answer);
    observer.onStatus?.(item.pdu.command, status);
    if (item.pdu.command === 'submit_sm' && status === commandStatus.RINVBNDSTS) void this.#giveUp();
    if (answered.kind === 'answered') {
      item.resolve({ kind: 'answered', answer, status, rttMs });
      this.#idleness.look();
    } else {
      observer.onOddity?.('late_answer', `${answer.command} after ${Math.round(rttMs)} ms`);
      onLateAnswer?.(item.pdu, answer, status);
    }
  }

  #write(pdu: PduInput<Answer>): void {
    if (!this.#isClosed) this.#writer.write(encodePdu(pdu));
  }

  #fill(full: boolean): void {
    const now = this.#options.clock.now();
    if (!this.#reading.stop(full, now)) return;
    this.#readOrPause();
    if (full) return;
    this.#wakeBy(this.#reading.countsAt(now));
    this.#options.onWritable?.();
  }

  /** Stops or resumes reading. Octets that are not read stay in the peer's window: no other way to slow it down is lossless. */
  #readOrPause(): void {
    if (this.#isClosed) return;
    if (this.#reading.stopped || this.#writer.blocked) this.#stream.pause();
    else if (this.#stream.isPaused()) this.#stream.resume();
  }

  /** Acts on everything that is due and sets the timer for the next deadline. */
  #tick(): void {
    const { clock } = this.#options;
    const now = clock.now();
    this.#reading.rang(this.#timer?.at ?? now, now);
    // While we do not read, silence proves nothing about the peer.
    if (this.#reading.isUpToDate(now)) {
      for (const { resolve } of this.#window.expire(now)) resolve({ kind: 'unknown', reason: 'timeout' });
    } else this.#timers.heard(now);
    this.#deliveries.expire();
    this.#idleness.look();

    this.#timer = null;
    const due = this.#timers.due(now);
    if (due.kind === 'dead' || due.kind === 'inactive') {
      this.destroy({ kind: due.kind, detail: due.kind === 'dead' ? 'enquire_link unanswered' : 'nothing to do' });
      return;
    }
    if (due.kind === 'enquire_link') {
      this.#writer.write(encodePdu({ command: 'enquire_link', sequence: this.#window.nextSequence() }));
    }
    this.#wakeBy(due.until);
    const deadline = this.#window.nextDeadline();
    if (deadline !== null) this.#wakeBy(this.#reading.countsAt(deadline));
  }

  #wakeBy(at: number): void {
    if (this.#isClosed || (this.#timer !== null && this.#timer.at <= at)) return;
    this.#timer?.handle.clear();
    const { clock } = this.#options;
    this.#timer = { at, handle: clock.setTimer(() => this.#tick(), Math.max(1, Math.ceil(at - clock.now()))) };
  }
}
