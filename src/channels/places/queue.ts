// The queue for places on one route. A place is room on a seat and a token of the route's rate (throttle.ts); first come, first served.
// The queue knows nothing of connections: each bind is a seat, and so is a WhatsApp number.

import { Counter } from '../../collections/small-maps.ts';

/** A thing that messages are written to, as the queue sees it. */
export interface Seat {
  /** Able to send, now or after a wait. */
  readonly open: boolean;
  /** Messages it takes before an answer must come: the rest of a bind's window, for example. */
  readonly free: number;
  /** Default `well`. A seat `to_be_tried` comes first, so that it is known again what it is good for; a `last_resort` only where no other is open. */
  readonly trust?: 'well' | 'to_be_tried' | 'last_resort';
}

/** The rate: tokens, one for each message. Times in Unix ms. */
export interface Rate {
  /** Takes a token, or says when the next one will be there. */
  take(now: number): { kind: 'taken' } | { kind: 'wait'; until: number };
  /** Puts back a token that was taken and not used. */
  put(): void;
}

export interface QueueOptions<S extends Seat> {
  seats(): readonly S[];
  rate: Rate;
  now(): number;
  /** Injectable for tests. */
  setTimer?(run: () => void, ms: number): { clear(): void };
}

/** Places that the time held is smoothed over. */
const smoothedOver = 16;

/**
 * How long places are held, from the reservation to the carrier's answer: seats give no more places than come back. It begins with no time at
 * all, and one slow answer among others counts little.
 */
export class HeldTime {
  #ms = 0;

  add(ms: number): void {
    this.#ms += (Math.max(0, ms) - this.#ms) / smoothedOver;
  }

  /** How often a second one of so many places is free again; infinite where nothing is known. */
  perSecond(places: number): number {
    return this.#ms > 0 ? (places * 1000) / this.#ms : Number.POSITIVE_INFINITY;
  }
}

interface Waiter<S> {
  /** Unix ms. */
  since: number;
  resolve(seat: S | null): void;
  signal: AbortSignal;
  aborted(): void;
}

const systemTimer = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms);
  return { clear: () => clearTimeout(timer) };
};

export class PlaceQueue<S extends Seat> {
  readonly #options: QueueOptions<S>;
  /** Waiters in the order they came; a set, because a waiter whose leg is over leaves from the middle. */
  readonly #waiting = new Set<Waiter<S>>();
  readonly #reserved = new Counter<S>();
  #timer: { clear(): void } | null = null;
  /** The seat of the last place that was given out. */
  #last: S | null = null;

  constructor(options: QueueOptions<S>) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** How long the first in line has waited, ms; 0 without one. A clock that was set back counts as no time. */
  get oldestMs(): number {
    for (const { since } of this.#waiting) return Math.max(0, this.#options.now() - since);
    return 0;
  }

  /** True while some seat could take a message, now or after a wait. */
  get open(): boolean {
    return this.#options.seats().some((seat) => seat.open);
  }

  /** True while there is no room on any seat, whatever the rate allows. */
  get isFull(): boolean {
    return this.#freest() === null;
  }

  /** A seat with room kept for one message, until `release` or `giveBack`. Null when every seat is lost or `signal` is aborted first. */
  reserve(signal: AbortSignal): Promise<S | null> {
    if (signal.aborted || !this.open) return Promise.resolve(null);
    return new Promise((resolve) => {
      const aborted = () => {
        this.#waiting.delete(waiter);
        resolve(null);
      };
      const waiter: Waiter<S> = { since: this.#options.now(), resolve, signal, aborted };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.add(waiter);
      this.pump();
    });
  }

  /** A place, where that takes no waiting and overtakes no waiter; else null. */
  reserveNow(): S | null {
    const seat = this.#waiting.size === 0 ? this.#freest() : null;
    if (!seat || this.#options.rate.take(this.#options.now()).kind === 'wait') return null;
    this.#keep(seat);
    return seat;
  }

  /** Neither room nor token was used: others may have both. */
  giveBack(seat: S): void {
    this.#options.rate.put();
    this.release(seat);
  }

  /** The room was used: `free` of the seat counts the message from now on. */
  release(seat: S): void {
    this.#reserved.add(seat, -1);
    this.pump();
  }

  /** Gives out free places. To be called whenever a seat opens, closes or has room again. */
  pump(): void {
    if (!this.open) this.#refuseAll();
    for (const waiter of this.#waiting) {
      const seat = this.#freest();
      if (!seat) return;
      const token = this.#options.rate.take(this.#options.now());
      if (token.kind === 'wait') {
        this.#pumpAt(token.until);
        return;
      }
      this.#keep(seat);
      this.#give(waiter, seat);
    }
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = null;
    this.#refuseAll();
  }

  #keep(seat: S): void {
    this.#last = seat;
    this.#reserved.add(seat, 1);
  }

  #refuseAll(): void {
    for (const waiter of this.#waiting) this.#give(waiter, null);
  }

  #give(waiter: Waiter<S>, seat: S | null): void {
    this.#waiting.delete(waiter);
    waiter.signal.removeEventListener('abort', waiter.aborted);
    waiter.resolve(seat);
  }

  /** Ties go round: a seat that takes and never answers must not get every message of a quiet hour. */
  #freest(): S | null {
    const open = this.#options.seats().filter((seat) => seat.open);
    const others = open.filter(({ trust }) => trust !== 'last_resort');
    const seats = others.length > 0 ? others : open;
    const room = (seat: S) => seat.free - this.#reserved.of(seat);
    const tried = seats.find((seat) => seat.trust === 'to_be_tried' && room(seat) > 0);
    if (tried) return tried;
    const after = this.#last === null ? 0 : seats.indexOf(this.#last) + 1;
    let best: S | null = null;
    let most = 0;
    for (let at = 0; at < seats.length; at += 1) {
      const seat = seats[(after + at) % seats.length] as S;
      const free = room(seat);
      if (free > most) [best, most] = [seat, free];
    }
    return best;
  }

  #pumpAt(at: number): void {
    if (this.#timer) return;
    const run = () => {
      this.#timer = null;
      this.pump();
    };
    this.#timer = (this.#options.setTimer ?? systemTimer)(run, Math.max(1, at - this.#options.now()));
  }
}
