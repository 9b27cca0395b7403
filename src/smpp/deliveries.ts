// Incoming messages on their way through the caller's handler: so many at a time, each answered when its handler is done and
// not before. The caller commits first; what is acknowledged and then lost is lost for good.

import type { Delivery } from './receipt.ts';
import { commandStatus } from './status.ts';

/** `frame` is the whole PDU as it came; mask it (mask.ts) before it is kept. */
export type Incoming =
  | { kind: 'message'; pdu: Delivery; frame: Buffer }
  /** Can't be decoded. Keep it and acknowledge it, else it comes again for ever. */
  | { kind: 'malformed'; reason: string; frame: Buffer };

export interface Arrived {
  incoming: Incoming;
  command: 'deliver_sm' | 'data_sm';
  sequence: number;
}

/** Resolves to the command_status of the answer: 0 once the message is safe. */
export type DeliverHandler = (incoming: Incoming) => Promise<{ status: number }>;

export interface DeliveriesOptions {
  handler: DeliverHandler;
  /** Handlers at work at once. */
  limit: number;
  /** A handler that takes longer counts as failed: one that never ends must not keep its place for ever. */
  timeoutMs: number;
  now(): number;
  /** Called once for each, unless stopped before its turn. */
  answer(arrived: Arrived, status: number): void;
  /** True when no more should be read from the peer for now. */
  onFull(full: boolean): void;
  /** The handler threw or rejected. */
  onFailure(error: unknown): void;
}

interface Running {
  arrived: Arrived;
  startedAt: number;
  place: number;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Came with the last chunk before reading stopped. */
  #waiting: Arrived[] = [];
  /** One place for each handler that may be at work. Not a Set: one that is filled and emptied all the time feeds the garbage collector. */
  readonly #places: (Running | null)[];
  readonly #free: number[];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#places = new Array(options.limit).fill(null);
    this.#free = Array.from({ length: options.limit }, (_, place) => place);
  }

  get pending(): number {
    return this.#places.length - this.#free.length + this.#waiting.length;
  }

  take(arrived: Arrived): void {
    this.#waiting.push(arrived);
    this.#next();
  }

  /** Gives up on handlers that take too long; they may still end, but nobody hears of it. */
  expire(): void {
    const begunBefore = this.#options.now() - this.#options.timeoutMs;
    for (const running of this.#places) {
      if (running === null || running.startedAt > begunBefore) continue;
      this.#finish(running, commandStatus.RX_T_APPN);
      this.#options.onFailure(new Error('it took too long'));
    }
  }

  /** Those not begun are dropped: unanswered, they come again on the next connection. */
  stop(): void {
    this.#waiting = [];
  }

  #next(): void {
    const full = this.pending >= this.#places.length;
    while (this.#waiting.length > 0) {
      const place = this.#free.pop();
      if (place === undefined) break;
      const running = { arrived: this.#waiting.shift()!, startedAt: this.#options.now(), place };
      this.#places[place] = running;
      void this.#run(running);
    }
    this.#options.onFull(full);
  }

  async #run(running: Running): Promise<void> {
    let status: number;
    try {
      ({ status } = await this.#options.handler(running.arrived.incoming));
    } catch (error) {
      // "Temporary": most SMSCs then try again, which is what is wanted of a message nobody could keep.
      status = commandStatus.RX_T_APPN;
      this.#options.onFailure(error);
    }
    this.#finish(running, status);
  }

  #finish(running: Running, status: number): void {
    const { place, arrived } = running;
    if (this.#places[place] !== running) return; // given up on before
    this.#places[place] = null;
    this.#free.push(place);
    this.#options.answer(arrived, status);
    this.#next();
  }
}
