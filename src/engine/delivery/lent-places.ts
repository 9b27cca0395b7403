// Places that this process lends to others, which have no bind for the route: it writes what they hand over, and says what the carrier answered.
// A place that is not used is taken back after a moment.

import type { OutgoingMessage, Place, SendOutcome } from '../../channels/channel.ts';
import { isAhead } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import type { References } from '../receipts/references.ts';
import { type HandedOver, handedOver, placesWanted } from './hand-over.ts';

/** How long a place is kept for the borrower, ms. */
const lentMs = 800;
/** Places lent at the same time, to all. */
const mostLent = 32;

interface Lent {
  place: Place;
  until: number;
}

export class LentPlaces {
  readonly #context: EngineContext;
  readonly #references: References;
  /** Lent places, by the numbers under which their borrowers name them. */
  readonly #lent = new Map<number, Lent>();
  readonly #writing = new Set<Promise<unknown>>();
  #next = 0;
  #sweeping: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(context: EngineContext, references: References) {
    this.#context = context;
    this.#references = references;
    const { conversation } = context;
    conversation.serve('places', async (value) => {
      const { route, count } = placesWanted.parse(value);
      return this.#lend(route, count);
    });
    conversation.serve('submit', async (value) => this.#write(handedOver.parse(value)));
  }

  /** Lends nothing more; resolves once what was handed over is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#takeBack(() => true);
    while (this.#writing.size > 0) await Promise.allSettled(this.#writing);
  }

  #lend(route: string, count: number): number[] | null {
    const { channels, now } = this.#context;
    if (this.#isStopped || !channels.canSend(route)) return null;
    const channel = channels.ofRoute(route);
    const lent: number[] = [];
    while (lent.length < count && this.#lent.size < mostLent) {
      const place = channel?.reserveNow?.(route, new AbortController().signal);
      if (!place) break;
      this.#next += 1;
      this.#lent.set(this.#next, { place, until: now() + lentMs });
      lent.push(this.#next);
    }
    if (lent.length > 0) this.#sweep();
    return lent;
  }

  #sweep(): void {
    this.#sweeping ??= setTimeout(() => {
      this.#sweeping = null;
      const at = this.#context.now();
      this.#takeBack(({ until }) => !isAhead(until, at, lentMs));
      if (this.#lent.size > 0) this.#sweep();
    }, lentMs).unref();
  }

  #takeBack(isOver: (lent: Lent) => boolean): void {
    for (const [number, lent] of this.#lent) {
      if (!isOver(lent)) continue;
      this.#lent.delete(number);
      lent.place.release();
    }
  }

  async #write({ place: number, carrier, message }: HandedOver): Promise<SendOutcome> {
    const lent = this.#lent.get(number);
    if (!lent) return { kind: 'not_sent', reason: 'not_now' };
    this.#lent.delete(number);
    const writing = lent.place.send(message);
    this.#writing.add(writing);
    const outcome = await writing.finally(() => this.#writing.delete(writing));
    this.#remember(carrier, message, outcome);
    return outcome;
  }

  /** Receipts come back by the bind that the message left by. */
  #remember(carrier: string, { accountId, sessionId, id: messageId, to }: OutgoingMessage, outcome: SendOutcome): void {
    if (outcome.kind !== 'accepted' || outcome.reference === null) return;
    this.#references.remember(carrier, outcome.reference, { accountId, id: sessionId, messageId, number: to });
  }
}
