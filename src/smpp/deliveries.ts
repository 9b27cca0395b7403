// Incoming messages on their way through the caller's handler: a bounded number at a time, each answered only when its handler is
// done. The caller commits first, because a message that is acknowledged and then lost is lost for good.

import type { Delivery } from './receipt.ts';
import { commandStatus } from './status.ts';

/** `frame` is the whole PDU as it came; mask it (`maskFrame`) before it is kept. */
export type Incoming =
  /** `damage`: optional parameters are missing, because one is cut off. */
  | { kind: 'message'; pdu: Delivery; frame: Buffer; damage?: string }
  /** The PDU cannot be decoded. Keep it and acknowledge it, or the SMSC sends it again and again. */
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
  /** A handler that takes longer counts as failed, so that one which never ends does not hold its slot. */
  timeoutMs: number;
  now(): number;
  /** Called once for each message, unless the deliveries were stopped before its turn. */
  answer(arrived: Arrived, status: number): void;
  /** True when no more should be read from the peer for now. */
  onFull(full: boolean): void;
  /** The handler threw or rejected. */
  onFailure(error: unknown): void;
}

/**
 * "System error": the SMSC is to try again, as is right for a message that could not be kept. Some do so after this one, and take the "temporary
 * error" 0x64 for final: Vonage publishes a list of the statuses after which it tries again, and 0x64 is not in it.
 */
const notKept = commandStatus.RSYSERR;

interface Running {
  arrived: Arrived;
  startedAt: number;
  slot: number;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Messages that came with the last chunk before reading stopped. */
  #waiting: Arrived[] = [];
  /** One slot for each handler that may be at work. An array, since a Set that is filled and emptied all the time feeds the garbage collector. */
  readonly #slots: (Running | null)[];
  readonly #free: number[];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#slots = new Array(options.limit).fill(null);
    this.#free = Array.from({ length: options.limit }, (_, slot) => slot);
  }

  get pending(): number {
    return this.#slots.length - this.#free.length + this.#waiting.length;
  }

  take(arrived: Arrived): void {
    this.#waiting.push(arrived);
    this.#next();
  }

  /** Gives up on handlers that take too long; a result that still comes is ignored. */
  expire(): void {
    const begunBefore = this.#options.now() - this.#options.timeoutMs;
    for (const running of this.#slots) {
      if (running === null || running.startedAt > begunBefore) continue;
      this.#finish(running, notKept);
      this.#options.onFailure(new Error(`the handler took longer than ${this.#options.timeoutMs} ms`));
    }
  }

  /** Drops the messages that wait: unanswered, they come again on the next connection. */
  stop(): void {
    this.#waiting = [];
  }

  #next(): void {
    const full = this.pending >= this.#slots.length;
    while (this.#waiting.length > 0) {
      const slot = this.#free.pop();
      if (slot === undefined) break;
      const running = { arrived: this.#waiting.shift()!, startedAt: this.#options.now(), slot };
      this.#slots[slot] = running;
      void this.#run(running);
    }
    this.#options.onFull(full);
  }

  async #run(running: Running): Promise<void> {
    let status: number;
    try {
      ({ status } = await this.#options.handler(running.arrived.incoming));
    } catch (error) {
      status = notKept;
      this.#options.onFailure(error);
    }
    this.#finish(running, status);
  }

  #finish(running: Running, status: number): void {
    const { slot, arrived } = running;
    if (this.#slots[slot] !== running) return; // given up on before
    this.#slots[slot] = null;
    this.#free.push(slot);
    this.#options.answer(arrived, status);
    this.#next();
  }
}
