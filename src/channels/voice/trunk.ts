// One trunk as calls see it: whether it takes any now, and this process's share of its channels and of its rate. The signalling is the
// caller's; here is only what decides whether a call goes out by it.

import type { TrunkConfig } from '../../config.ts';
import { isAhead } from '../../time/wall-clock.ts';
import { PlaceQueue, type Seat } from '../places/queue.ts';
import { Throttle } from '../places/throttle.ts';
import { longestPauseMs } from './answer.ts';

/** Slots of a trunk, over all processes: enough to share one out evenly, few enough for its leases. */
const mostSlots = 16;

/** How long a trunk that could not be reached is left alone, ms; its next OPTIONS may find it back sooner. */
const refusedMs = 5_000;

/** How long a channel is taken for a call, ms, before one has shown it: ringing, the request for a key, two readings. */
const usualCallMs = 40_000;
/** Weight of each further call in that time. */
const newCallWeight = 1 / 16;

/** A trunk is a seat of its own queue. */
export class Trunk implements Seat {
  #config: TrunkConfig;
  readonly #now: () => number;
  readonly #throttle: Throttle;
  readonly #queue: PlaceQueue<Trunk>;
  #slots: readonly number[] = [];
  #calls = 0;
  #callMs = usualCallMs;
  #isUp = true;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #line = 0;
  #isClosed = false;

  constructor(config: TrunkConfig, now: () => number) {
    this.#config = config;
    this.#now = now;
    this.#throttle = new Throttle({ ratePerSecond: this.#rateShare }, now());
    this.#queue = new PlaceQueue<Trunk>({ seats: () => [this], rate: this.#throttle, now });
  }

  get config(): TrunkConfig {
    return this.#config;
  }

  get name(): string {
    return this.#config.name;
  }

  /** Each slot carries an equal part of the channels and of the rate, so that no counter need be shared between processes. */
  static slotsOf({ channels }: Pick<TrunkConfig, 'channels'>): number {
    return Math.min(channels, mostSlots);
  }

  /** The number of the connection that calls begin by. What an older one finds says nothing of the trunk any more. */
  get line(): number {
    return this.#line;
  }

  /** Calls at once that this process may have. More may be under way after a slot was lost: no call is cut off for that. */
  get channels(): number {
    const { channels } = this.#config;
    const all = Trunk.slotsOf(this.#config);
    const upTo = (slot: number) => Math.floor((slot * channels) / all);
    return this.#slots.reduce((sum, slot) => sum + upTo(slot + 1) - upTo(slot), 0);
  }

  /** Calls under way, ringing and answered. */
  get calls(): number {
    return this.#calls;
  }

  /** False while the trunk is known to take no calls: no answer to OPTIONS, a refused connection, or it asked to be left alone. */
  get isUp(): boolean {
    const now = this.#now();
    return (
      this.#isUp && !isAhead(this.#restsUntil, now, longestPauseMs) && !isAhead(this.#refusedUntil, now, refusedMs)
    );
  }

  get open(): boolean {
    return !this.#isClosed && this.isUp && this.channels > 0;
  }

  get free(): number {
    return Math.max(0, this.channels - this.#calls);
  }

  /** Calls a second that this process can begin; 0 while it may begin none. With all channels taken, a call begins when another one ends. */
  get ratePerSecond(): number {
    if (!this.open) return 0;
    const allowed = this.#throttle.ratePerSecond(this.#now());
    return this.free > 0 ? allowed : Math.min(allowed, (this.channels * 1000) / this.#callMs);
  }

  hold(slots: readonly number[]): void {
    this.#slots = slots.filter((slot) => slot < Trunk.slotsOf(this.#config));
    this.#share();
  }

  configure(config: TrunkConfig): void {
    this.#config = config;
    this.hold(this.#slots);
  }

  /** What OPTIONS found: a trunk that answers again takes calls again, but not before the time that it asked for. */
  setUp(isUp: boolean): void {
    this.#isUp = isUp;
    if (isUp) this.#refusedUntil = Number.NEGATIVE_INFINITY;
    this.#queue.pump();
  }

  /** It has another connection, maybe to another address: what the one before found is forgotten, and so is what its other end asked for. */
  reconnected(): void {
    this.#line += 1;
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    this.setUp(true);
  }

  /** The trunk asked to be left alone for `ms`. */
  rest(ms: number): void {
    const now = this.#now();
    const until = now + Math.min(ms, longestPauseMs);
    this.#restsUntil = isAhead(this.#restsUntil, now, longestPauseMs) ? Math.max(this.#restsUntil, until) : until;
    this.#queue.pump();
  }

  /** The trunk could not be reached: no call is tried by it for a while. */
  refused(): void {
    this.#refusedUntil = this.#now() + refusedMs;
    this.#queue.pump();
  }

  /** A free channel and a token of the rate. Null when the trunk goes down, closes, or `signal` is aborted first. */
  async reserve(signal: AbortSignal): Promise<Reservation | null> {
    return (await this.#queue.reserve(signal)) && this.#reservation();
  }

  /** The same where that takes no waiting and overtakes no waiter; else null. */
  reserveNow(): Reservation | null {
    return this.#queue.reserveNow() && this.#reservation();
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.stop();
  }

  get #rateShare(): number {
    return (this.#config.callsPerSecond * Math.max(1, this.#slots.length)) / Trunk.slotsOf(this.#config);
  }

  /** A call that is refused at once takes its channel for a moment; a clock that was set says nothing. */
  #took(ms: number): void {
    if (ms >= 0 && ms <= longestPauseMs) this.#callMs = Math.max(1, this.#callMs + (ms - this.#callMs) * newCallWeight);
  }

  #share(): void {
    this.#throttle.setLimit(this.#rateShare, this.#now());
    this.#queue.pump();
  }

  #reservation(): Reservation {
    return {
      trunk: this,
      giveBack: () => this.#queue.giveBack(this),
      begin: () => {
        this.#calls += 1;
        this.#queue.release(this); // The channel is counted as a call from here on.
        const since = this.#now();
        let isUnder = true;
        return () => {
          if (!isUnder) return;
          isUnder = false;
          this.#calls -= 1;
          this.#took(this.#now() - since);
          this.#queue.pump();
        };
      },
    };
  }
}

/** A channel kept for one call. Exactly one of its two functions must be called. */
export interface Reservation {
  trunk: Trunk;
  giveBack(): void;
  /** The call begins. Returns what is to be called when it has ended. */
  begin(): () => void;
}

/**
 * A channel of the first of these trunks that has one; else of the first where one becomes free. Null when all of them are lost or
 * `signal` is aborted first.
 */
export async function reserveAny(trunks: readonly Trunk[], signal: AbortSignal): Promise<Reservation | null> {
  if (signal.aborted) return null;
  for (const trunk of trunks) {
    const reservation = trunk.reserveNow();
    if (reservation) return reservation;
  }
  const found = new AbortController();
  const either = AbortSignal.any([signal, found.signal]);
  let first: Reservation | null = null;
  await Promise.all(
    trunks.map(async (trunk) => {
      const reservation = await trunk.reserve(either);
      if (!reservation) return;
      // Two may become free in one turn: the later one goes to others.
      if (first) return reservation.giveBack();
      first = reservation;
      found.abort();
    }),
  );
  return first;
}
