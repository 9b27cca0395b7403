// The binds of one simulated process with one operator: places, submits, and what becomes of those without an answer. The protocol beneath is
// not simulated: a submit is handed to the operator, and its fate comes back.
import type { OutgoingMessage, Place, SendOutcome } from '../../src/channels/channel.ts';
import { type OperatorId, smsRouteOf } from './carrier.ts';
import type { Wire } from './sms-channel.ts';

const windowSize = 1;

export class SmsLine {
  readonly route: string;
  readonly #operator: OperatorId;
  readonly #wire: Wire;
  #slots: readonly number[] = [];
  #used = 0;
  #epoch = 0;
  readonly #waiting: { resolve(place: Place | null): void; signal: AbortSignal }[] = [];
  /** Resolved with `connection_lost` where the binds go. */
  readonly #unanswered = new Set<(outcome: SendOutcome) => void>();

  constructor(operator: OperatorId, wire: Wire) {
    this.route = smsRouteOf(operator);
    this.#operator = operator;
    this.#wire = wire;
  }

  get isUp(): boolean {
    return this.#slots.length > 0 && !this.#wire.operators.down.has(this.#operator);
  }
  get slots(): readonly number[] {
    return this.#slots;
  }

  /** The operator's side has ended every connection, or takes them again: what was written and has no answer is unknown. */
  changed(): void {
    if (this.#wire.operators.down.has(this.#operator)) {
      for (const { resolve } of this.#waiting.splice(0)) resolve(null);
      this.#lose();
    } else this.#fill();
  }

  #lose(): void {
    this.#epoch += 1;
    for (const end of [...this.#unanswered]) end({ kind: 'unknown', reason: 'connection_lost' });
  }

  async setSlots(slots: readonly number[], graceMs = 500): Promise<void> {
    const isClosing = this.#slots.some((slot) => !slots.includes(slot));
    this.#slots = slots;
    if (slots.length === 0) for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    this.#fill();
    if (!isClosing || this.#unanswered.size === 0) return;
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    if (this.#slots.length === 0) this.#lose();
  }

  reserve(signal: AbortSignal): Promise<Place | null> {
    if (signal.aborted || !this.isUp) return Promise.resolve(null);
    const place = this.reserveNow();
    if (place) return Promise.resolve(place);
    const { promise, resolve } = Promise.withResolvers<Place | null>();
    const waiting = { resolve, signal };
    this.#waiting.push(waiting);
    signal.addEventListener('abort', () => {
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      resolve(null);
    });
    return promise;
  }

  reserveNow(): Place | null {
    return this.#waiting.length > 0 ? null : this.#take();
  }

  #take(): Place | null {
    if (!this.isUp || this.#used >= windowSize * this.#slots.length) return null;
    this.#used += 1;
    let isUsed = false;
    const leave = () => {
      if (isUsed) throw new Error('a place was used twice');
      isUsed = true;
    };
    return {
      release: () => {
        leave();
        this.#free();
      },
      send: (message) => {
        leave();
        return this.#submit(message).finally(() => this.#free());
      },
    };
  }

  #free(): void {
    this.#used -= 1;
    this.#fill();
  }

  #fill(): void {
    while (this.#waiting.length > 0) {
      const place = this.#take();
      if (!place) return;
      this.#waiting.shift()?.resolve(place);
    }
  }

  async #submit(message: OutgoingMessage): Promise<SendOutcome> {
    const { time, random, heard, answerTimeoutMs } = this.#wire;
    if (!this.isUp) return { kind: 'not_sent', reason: 'channel_down' };
    const epoch = this.#epoch;
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    this.#unanswered.add(resolve);
    let isGivenUp = false;
    const timer = setTimeout(() => {
      isGivenUp = true;
      resolve({ kind: 'unknown', reason: 'timeout' });
    }, answerTimeoutMs);
    // The bytes are on the wire from here on: what becomes of this process does not change what the operator does.
    time.after(random.next() * 3, null, () =>
      this.#arrive(message, (outcome) => {
        if (epoch !== this.#epoch) return;
        if (isGivenUp) this.#late(message, outcome);
        else resolve(outcome);
      }),
    );
    const outcome = await promise;
    clearTimeout(timer);
    this.#unanswered.delete(resolve);
    return heard(outcome);
  }

  #arrive(message: OutgoingMessage, answer: (outcome: SendOutcome) => void): void {
    const { time, host, operators, receipts, taken } = this.#wire;
    const { outcome, answerMs, isTaken, receipts: planned } = operators.submit(message);
    if (isTaken) taken(message);
    if (answerMs !== null) time.after(answerMs, host, () => answer(outcome));
    for (const { afterMs, status } of planned) {
      time.after(afterMs, null, () => receipts(message, operators.receipt(message, status, time.clockOf(host))));
    }
  }

  /** The answer of a message that was given up as unknown. */
  #late(message: OutgoingMessage, outcome: SendOutcome): void {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'rejected') return;
    const { accountId, sessionId, id: messageId } = message;
    // What is logged there: early receipts stay parked.
    const answer = { accountId, sessionId, messageId, operator: this.#operator, outcome };
    this.#wire
      .intake()
      .takeLateAnswer(answer)
      .catch(() => {});
  }
}
