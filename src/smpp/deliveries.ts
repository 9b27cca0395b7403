// Incoming messages on their way through the caller's handler: so many at a time, each answered when its handler is done and
// not before. The caller commits first; what is acknowledged and then lost is lost for good.

import type { Delivery } from './receipt.ts';
import { commandStatus } from './status.ts';

/** `frame` is the whole PDU as it came; mask it (mask.ts) before it is kept. */
export type Incoming =
  | { kind: 'message'; pdu: Delivery; frame: Buffer }
  /** Can't be decoded. Keep it and acknowledge it, else it comes again for ever. */
  | { kind: 'malformed'; reason: string; frame: Buffer };

/** Resolves to the command_status of the answer: 0 once the message is safe. */
export type DeliverHandler = (incoming: Incoming) => Promise<{ status: number }>;

export interface DeliveriesOptions {
  handler: DeliverHandler;
  /** Handlers at work at once. */
  limit: number;
  /** A handler that takes longer counts as failed: one that never ends must not keep its place for ever. */
  timeoutMs: number;
  now(): number;
  /** True when no more should be read from the peer for now. */
  onFull(full: boolean): void;
  /** The handler threw or rejected. */
  onFailure(error: unknown): void;
}

interface Waiting {
  incoming: Incoming;
  answer(status: number): void;
}

interface Running extends Waiting {
  startedAt: number;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Came with the last chunk before reading stopped. */
  #waiting: Waiting[] = [];
  /** In the order they began. */
  readonly #running = new Set<Running>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#running.size + this.#waiting.length;
  }

  take(incoming: Incoming, answer: (status: number) => void): void {
    this.#waiting.push({ incoming, answer });
    this.#next();
  }

  /** Gives up on handlers that take too long; they may still end, but nobody hears of it. */
  expire(): void {
    const now = this.#options.now();
    for (const running of this.#running) {
      if (running.startedAt + this.#options.timeoutMs > now) return;
      this.#finish(running, commandStatus.RX_T_APPN);
      this.#options.onFailure(new Error('it took too long'));
    }
  }

  /** Those not begun are dropped: unanswered, they come again on the next connection. */
  stop(): void {
    this.#waiting = [];
  }

  #next(): void {
    const full = this.pending >= this.#options.limit;
    while (this.#running.size < this.#options.limit) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) break;
      const running = { ...waiting, startedAt: this.#options.now() };
      this.#running.add(running);
      void this.#run(running);
    }
    this.#options.onFull(full);
  }

  async #run(running: Running): Promise<void> {
    let status: number;
    try {
      ({ status } = await this.#options.handler(running.incoming));
    } catch (error) {
      // "Temporary": most SMSCs then try again, which is what is wanted of a message nobody could keep.
      status = commandStatus.RX_T_APPN;
      this.#options.onFailure(error);
    }
    this.#finish(running, status);
  }

  #finish(running: Running, status: number): void {
    if (!this.#running.delete(running)) return; // given up on before
    running.answer(status);
    this.#next();
  }
}
