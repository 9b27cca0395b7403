// SMS of one simulated process, over binds that its slots allow. The protocol beneath is not simulated: a submit is handed to the operator, and its
// fate comes back.
import type { Binds, Channel, OutgoingMessage, Place, ReceiptIntake, SendOutcome } from '../../src/channels/channel.ts';
import { mostCost } from '../../src/core/money/cost.ts';
import type { Plan } from '../../src/core/verify/event.ts';
import { type Operator, operator, receiptOf, smsRoute, tariff } from './carrier.ts';
import type { Random } from './random.ts';
import type { Host, VirtualTime } from './time.ts';

/** What the channels may do outside of their process. */
export interface Wire {
  time: VirtualTime;
  host: Host;
  random: Random;
  operator: Operator;
  intake(): ReceiptIntake;
  /** Hands a receipt to the operator's side, which gives it to some bound process until it is acknowledged. */
  receipts(message: OutgoingMessage, receipt: ReturnType<typeof receiptOf>): void;
  /** A message was taken by its carrier. */
  taken(message: OutgoingMessage): void;
  /** Changes what the dispatcher hears; for the mutant that submits again. */
  heard(outcome: SendOutcome): SendOutcome;
}

const answerTimeoutMs = 2_000;
const windowSize = 1;

export class SimulatedSms implements Channel, Binds {
  readonly #wire: Wire;
  #slots: readonly number[] = [];
  #used = 0;
  #epoch = 0;
  readonly #waiting: { resolve(place: Place | null): void; signal: AbortSignal }[] = [];
  /** Resolved with `connection_lost` where the binds go. */
  readonly #unanswered = new Set<(outcome: SendOutcome) => void>();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  plan(): Plan {
    return { kind: 'usable', route: smsRoute, operator, senderId: 'Bank' };
  }
  canSend(route: string): boolean {
    return route === smsRoute && this.#isUp;
  }
  routes(): string[] {
    return this.#isUp ? [smsRoute] : [];
  }
  ratePerSecond(): number {
    return 50 * this.#slots.length;
  }
  expectedCost() {
    return mostCost(tariff, 1, 0);
  }
  isBound(_operator: string, slot: number): boolean {
    return this.#isUp && this.#slots.includes(slot);
  }

  get #isUp(): boolean {
    return this.#slots.length > 0 && !this.#wire.operator.isDown;
  }

  /** The operator's side has ended every connection, or takes them again: what was written and has no answer is unknown. */
  operatorChanged(): void {
    if (this.#wire.operator.isDown) {
      for (const { resolve } of this.#waiting.splice(0)) resolve(null);
      this.#lose();
    } else this.#fill();
  }

  #lose(): void {
    this.#epoch += 1;
    for (const end of [...this.#unanswered]) end({ kind: 'unknown', reason: 'connection_lost' });
  }

  async setSlots(_operator: string, slots: readonly number[], graceMs = 500): Promise<void> {
    const isClosing = this.#slots.some((slot) => !slots.includes(slot));
    this.#slots = slots;
    if (slots.length === 0) for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    this.#fill();
    if (!isClosing || this.#unanswered.size === 0) return;
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs));
    if (this.#slots.length === 0) this.#lose();
  }

  reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    if (signal.aborted || !this.canSend(route)) return Promise.resolve(null);
    const place = this.reserveNow(route);
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

  reserveNow(route: string): Place | null {
    return this.#waiting.length > 0 ? null : this.#take(route);
  }

  #take(route: string): Place | null {
    if (!this.canSend(route) || this.#used >= windowSize * this.#slots.length) return null;
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
      const place = this.#take(smsRoute);
      if (!place) return;
      this.#waiting.shift()?.resolve(place);
    }
  }

  async #submit(message: OutgoingMessage): Promise<SendOutcome> {
    const { time, random, heard } = this.#wire;
    if (!this.canSend(message.route)) return { kind: 'not_sent', reason: 'channel_down' };
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
    const { time, host, operator: carrier, receipts, taken } = this.#wire;
    const { outcome, answerMs, isTaken, receipts: planned } = carrier.submit(message);
    if (isTaken) taken(message);
    if (answerMs !== null) time.after(answerMs, host, () => answer(outcome));
    for (const { afterMs, status } of planned) {
      time.after(afterMs, null, () => receipts(message, receiptOf(message, status, time.clockOf(host))));
    }
  }

  /** The answer of a message that was given up as unknown. */
  #late(message: OutgoingMessage, outcome: SendOutcome): void {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'rejected') return;
    const { accountId, sessionId, id: messageId } = message;
    // What is logged there: early receipts stay parked.
    const answer = { accountId, sessionId, messageId, operator, outcome };
    this.#wire
      .intake()
      .takeLateAnswer(answer)
      .catch(() => {});
  }
}
