// One connection to another process: questions and their answers, any number at once, both ways. "Taken" says that a question was read,
// and is said at once; the answer may take as long as the work does. A peer that does not take is silent: the caller
// does the work itself, until the peer is heard again.

import type { Duplex } from 'node:stream';
import { type Alarm, alarm } from '../time/alarm.ts';
import type { Asked, AskOptions, DirectReason } from './asked.ts';
import { type Frame, type FrameFault, Framer, maxBodyOctets } from './frame.ts';
import { Lateness } from './lateness.ts';
import { Leaving } from './leaving.ts';
import { Outbox } from './outbox.ts';

interface Waiting extends AskOptions {
  resolve(asked: Asked): void;
}

export type CloseReason = FrameFault | 'greeting' | 'replaced' | 'silent' | 'ended' | 'closed';

export interface ConnectionOptions {
  /** The first frame of either end. */
  greeting: string;
  /** Whether the other end's greeting will do; false closes the connection. */
  judge(greeting: string): boolean;
  /** Does a question's work. */
  work(body: string): Promise<string>;
  /** Called once. */
  onClosed(why: CloseReason): void;
  /** Ms from any beginning; never set back. */
  now(): number;
  /** How long a question may stay untaken, ms. */
  takenMs: number;
}

/** A peer that was not heard for longer than this, ms, is called again. */
const deadMs = 5_000;
/** An alarm that rings later than this part of `takenMs` is late; so many of them are overlooked in a row. */
const lateRing = 5;
const mostLateRings = 3;
const maxWaiting = 20_000;
const maxUnsentOctets = 4 * 1_048_576;

interface Sent {
  number: number;
  at: number;
}

export class Connection {
  readonly #socket: Duplex;
  readonly #options: ConnectionOptions;
  readonly #framer = new Framer();
  readonly #out: Outbox;
  readonly #lateness: Lateness;
  readonly #waiting = new Map<number, Waiting>();
  /** Questions and pings that were sent and not taken, oldest first. */
  #untaken: Sent[] = [];
  #next = 0;
  #heardAt: number;
  #isOpen = false;
  #isSilent = false;
  #isClosed = false;
  /** The other end leaves, and is asked nothing more. */
  #isPeerLeaving = false;
  readonly #left = new Leaving(
    () => this.#waiting.size === 0,
    () => {
      this.#isEnding = true;
      this.#out.end();
    },
  );
  /** Nothing more is written: what were asked would be in doubt. */
  #isEnding = false;
  readonly #over = Promise.withResolvers<void>();
  #alarm: Alarm | null = null;
  /** When the alarm should ring. */
  #dueAt = 0;
  /** Times that the alarm rang late, one after the other. */
  #lateRings = 0;

  constructor(socket: Duplex, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#out = new Outbox(socket, options);
    this.#heardAt = options.now();
    // As long as a caller that is short of processor time itself may wait.
    this.#lateness = new Lateness(options.takenMs * (1 + mostLateRings));
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => this.close('ended'));
    socket.on('end', () => this.close('ended'));
    socket.on('close', () => this.close('ended'));
    this.#out.send('greeting', 0, options.greeting);
  }

  /** The other end has greeted as it should, is heard, and neither end leaves. */
  get isHeard(): boolean {
    return this.isAwake && !this.#isPeerLeaving && !this.#left.isBegun;
  }

  /** The other end has greeted as it should, and is heard. Either end may be leaving. */
  get isAwake(): boolean {
    return this.#isOpen && !this.#isSilent && !this.#isClosed;
  }

  /**
   * Resolves with the peer's answer, or with why there is none: after a silence of `takenMs` to twice that, and later where this process itself
   * did not run. Never rejects.
   */
  ask(body: string, options: AskOptions = {}): Promise<Asked> {
    const direct = (why: DirectReason) => Promise.resolve<Asked>({ kind: 'direct', why });
    if (!this.#isOpen || this.#isClosed || this.#isPeerLeaving || this.#isEnding) return direct('no_peer');
    if (this.#isSilent) return direct('silent');
    if (this.#waiting.size >= maxWaiting || this.#socket.writableLength > maxUnsentOctets) return direct('full');
    // A string of UTF-16 has at most three octets a unit: the exact count is needed for few.
    if (body.length * 3 > maxBodyOctets && Buffer.byteLength(body) > maxBodyOctets) return direct('too_large');
    return new Promise((resolve) => {
      this.#waiting.set(this.#demand('ask', body), { ...options, resolve });
      this.#arm();
    });
  }

  /** Keeps the connection known to be alive; called once a second. */
  tick(): void {
    // What came while this process stood still is read first.
    setImmediate(() => {
      if (this.#isClosed) return;
      const quietMs = this.#options.now() - this.#heardAt;
      if (quietMs > deadMs) this.close('silent');
      else if (quietMs >= 900 && this.#isOpen) this.#demand('ping');
    });
  }

  /**
   * Closes once the other end has had its last answer, which asks nothing more from now on; then it resolves. One that is not heard may
   * never do so.
   */
  leave(): Promise<void> {
    if (!this.#left.isBegun) this.#out.send('leaving', 0);
    this.#left.begin();
    return this.#over.promise;
  }

  /** The peer's lease has ended. Where it is not heard either, no question waits for it any longer. */
  giveUp(): void {
    if (this.#isSilent) this.#release('lost', 'lost', { patient: true });
  }

  close(why: CloseReason = 'closed'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#alarm?.clear();
    this.#out.close();
    this.#socket.destroy();
    this.#release('lost', 'lost', { patient: true });
    this.#options.onClosed(why);
    this.#over.resolve();
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#framer.push(chunk, (frame) => {
      if (this.#isClosed) return;
      if (this.#isOpen) this.#take(frame);
      else this.#greet(frame);
    });
    if (this.#framer.fault) this.close(this.#framer.fault);
  }

  #greet({ kind, body }: Frame): void {
    if (kind !== 'greeting' || !this.#options.judge(body)) {
      this.close('greeting');
      return;
    }
    this.#isOpen = true;
    this.#framer.mostOctets = maxBodyOctets;
    this.#heardAt = this.#options.now();
  }

  #take(frame: Frame): void {
    const { kind, number, body } = frame;
    this.#heardAt = this.#options.now();
    this.#isSilent = false;
    const isLate = this.#lateness.isLate(frame.at, this.#heardAt);
    switch (kind) {
      case 'ask':
        this.#out.take(number);
        if (isLate) this.#out.send('late', number);
        else this.#work(number, body);
        return;
      case 'ping':
        this.#out.take(number);
        return;
      case 'taken':
        this.#takenUpTo(number);
        return;
      case 'answer':
        this.#settle(number, { kind: 'answered', body });
        return;
      case 'late':
      case 'failed':
        this.#settle(number, { kind: 'direct', why: kind });
        return;
      case 'leaving':
        this.#isPeerLeaving = true;
        this.#out.send('stopped', 0);
        return;
      case 'stopped':
        this.#left.peerStopped();
        return;
      case 'greeting':
        this.close('greeting');
    }
  }

  #work(number: number, body: string): void {
    const answer = (kind: 'answer' | 'failed', text = '') => {
      this.#out.send(kind, number, text);
      this.#left.answered();
    };
    this.#left.asked();
    this.#options.work(body).then(
      (text) => (Buffer.byteLength(text) > maxBodyOctets ? answer('failed') : answer('answer', text)),
      () => answer('failed'),
    );
  }

  /** Numbers rise and are taken in their order, so that one frame takes all before it. They begin again after 2³². */
  #takenUpTo(number: number): void {
    const isTaken = (sent: Sent) => ((number - sent.number) | 0) >= 0;
    const left = this.#untaken.findIndex((sent) => !isTaken(sent));
    this.#untaken = left < 0 ? [] : this.#untaken.slice(left);
  }

  #settle(number: number, asked: Asked): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    waiting?.resolve(asked);
    this.#left.look();
  }

  /** Sends what the peer has to take. */
  #demand(kind: 'ask' | 'ping', body = ''): number {
    const number = this.#next;
    this.#next = (this.#next + 1) >>> 0;
    this.#untaken.push({ number, at: this.#options.now() });
    this.#out.send(kind, number, body);
    return number;
  }

  /** One alarm for all that is under way. */
  #arm(): void {
    if (this.#alarm || this.#isClosed || this.#waiting.size === 0) return;
    const { takenMs, now } = this.#options;
    const oldest = this.#untaken[0];
    const dueMs = oldest ? oldest.at + takenMs - now() : takenMs;
    this.#wait(Math.max(1, Math.ceil(dueMs)));
  }

  #wait(ms: number): void {
    this.#dueAt = this.#options.now() + ms;
    this.#alarm = alarm(() => this.#look(), ms, { ref: false });
  }

  #look(): void {
    this.#alarm = null;
    const { takenMs, now } = this.#options;
    const at = now();
    // This process did not run when it should have: on a machine that is out of processor time the peer did not either, and doing its
    // work twice would leave still less of it.
    const isLate = at - this.#dueAt > takenMs / lateRing;
    this.#lateRings = isLate ? this.#lateRings + 1 : 0;
    if (isLate && this.#lateRings <= mostLateRings) {
      this.#wait(takenMs);
      return;
    }
    const oldest = this.#untaken[0];
    if (oldest && at - oldest.at >= takenMs) {
      this.#isSilent = true;
      this.#release('not_taken', 'fell_silent');
      return;
    }
    // A peer that stopped after it took a question is found out as well.
    if (!oldest && this.#waiting.size > 0 && at - this.#heardAt >= takenMs) this.#demand('ping');
    this.#arm();
  }

  #release(untaken: DirectReason, taken: DirectReason, { patient = false } = {}): void {
    const notTaken = new Set(this.#untaken.map(({ number }) => number));
    this.#untaken = [];
    for (const [number, { isPatient, resolve }] of [...this.#waiting]) {
      if (isPatient && !patient) continue;
      this.#waiting.delete(number);
      resolve({ kind: 'direct', why: notTaken.has(number) ? untaken : taken });
    }
  }
}
