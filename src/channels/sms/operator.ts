// One operator at run time: the binds this process holds, the queue for places on them, and the operator's reports. Binds come and
// go with the slots that the fleet assigns, and messages must not notice.

import type { BindConfig, OperatorConfig } from '../../config.ts';
import { Bind, type BindObserver, type BindState, type StatusMeaning } from '../../smpp/index.ts';
import type { Place } from '../channel.ts';
import { HeldTime, PlaceQueue } from '../places/queue.ts';
import { Pressure, Throttle } from '../places/throttle.ts';
import { type SkipReason, Standing } from './standing.ts';
import { type Incomings, Submissions, type SubmissionsOptions, takeIn } from './traffic.ts';
import { bindOptions } from './wire.ts';

export interface OperatorOptions extends Incomings, Pick<SubmissionsOptions, 'brand' | 'defaultSender'> {
  config: OperatorConfig;
  observer(operator: string, slot: number): BindObserver;
  /** A bind came up or is lost. */
  onBind(): void;
}

/** How long a closing bind waits for the answers to what it has written. */
const closeGraceMs = 5_000;

/** A slot whose bind is being closed. */
interface Leaving {
  left: Promise<void>;
  /** Null where it is another operator's, in whose place this one came. */
  bind: Bind | null;
}

export class Operator {
  readonly #options: OperatorOptions;
  #config: OperatorConfig;
  /** Binds of this process by their slots; the window of each is a seat. */
  readonly #binds = new Map<number, Bind>();
  #wanted: ReadonlySet<number> = new Set();
  /** Slots whose old bind is still closing: they reopen only after that, or the operator would see one bind too many. */
  readonly #leaving = new Map<number, Leaving>();
  /** Of those, the slots whose bind was up and is being made again: the operator is there. */
  readonly #remade = new Set<number>();
  readonly #queue: PlaceQueue<Bind>;
  readonly #throttle: Throttle;
  readonly #pressure = new Pressure();
  readonly #heldTime = new HeldTime();
  readonly #standing: Standing;
  readonly #submissions: Submissions;
  #paused = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#standing = new Standing(options.now());
    this.#throttle = new Throttle({ ratePerSecond: this.#share(0) }, options.now());
    this.#queue = new PlaceQueue({
      seats: () => [...this.#binds.values()].filter((bind) => this.#isSeat(bind)),
      rate: this.#throttle,
      now: options.now,
    });
    this.#submissions = new Submissions({
      ...options,
      config: () => this.#config,
      onWritten: (bind) => this.#queue.release(bind),
      onAnswer: (meaning, to) => this.#weigh(meaning, to),
    });
  }

  get config(): OperatorConfig {
    return this.#config;
  }

  /** Binds the operator allows, over all processes: one slot each, numbered in the order of the configuration. One that is off has none. */
  static slotsOf(config: OperatorConfig): BindConfig[] {
    if (!config.enabled) return [];
    return config.binds.flatMap((bind) => Array.from({ length: bind.count }, () => bind));
  }

  get open(): boolean {
    return this.#queue.open;
  }

  /** Why no message is to wait for it; null where it is there. */
  get outage(): SkipReason | null {
    return this.#paused ? 'operator_maintenance' : this.#standing.skips(this.#config, this.#options.now());
  }

  /**
   * Whether its legs are skipped for want of a bind that works; also between two rests of an SMSC that accepts nothing, where they are taken to
   * try it. Not in its maintenance, nor while it is paused or switched off.
   */
  get isDown(): boolean {
    const { outage } = this;
    return outage === 'operator_down' || (outage === null && this.#standing.hasRested);
  }

  /** Whether another process has a bind that is up, and not sick. */
  seeElsewhere(bound: boolean): void {
    this.#standing.seeElsewhere(bound, this.#options.now());
    this.#queue.pump();
  }

  /** While another process has a better one, a sick bind is none for this process either, but for one message at a time when its rest is over. */
  #isSeat({ trust, free }: Bind): boolean {
    if (this.#paused || this.#standing.acceptsNothing(this.#options.now())) return false;
    return trust === 'well' || !this.#standing.isUpElsewhere || (trust === 'to_be_tried' && free > 0);
  }

  #seeBinds(): void {
    const binds = [...this.#binds.values()];
    // A sick bind that has a message to answer takes no other.
    const up = this.#remade.size > 0 || binds.some(({ open, free, trust }) => open && (trust === 'well' || free > 0));
    const refused = binds.length > 0 && binds.every(({ state }) => state === 'alarm');
    this.#standing.seeBinds({ up, refused }, this.#options.now());
  }

  /** What goes out: by the rate, or by the windows while all of them are full. Sick binds are judged by their silence, as legs that are skipped. */
  get ratePerSecond(): number {
    const rate = this.#throttle.ratePerSecond(this.#options.now());
    const well = [...this.#binds.values()].filter(({ open, trust }) => open && trust === 'well');
    if (well.length === 0 || !this.#queue.isFull) return rate;
    return Math.min(rate, this.#heldTime.perSecond(well.length * this.#config.window));
  }

  /** Messages of this process that wait for a place, and how long the oldest has, ms. */
  get queue(): { messages: number; oldestMs: number } {
    return { messages: this.#queue.length, oldestMs: this.#queue.oldestMs };
  }

  /** While true no message gets a place, and those that wait for one are given back. */
  set paused(paused: boolean) {
    this.#paused = paused;
    this.#queue.pump();
  }

  /** Makes the binds that this process holds again, once they have ended what is on the wire. `slot` null = all. */
  rebind(slot: number | null): void {
    for (const [held, bind] of [...this.#binds]) {
      if (slot !== null && held !== slot) continue;
      if (bind.open) this.#remade.add(held);
      this.#leave(held, bind, closeGraceMs);
    }
    this.#queue.pump();
  }

  /** A sick bind counts as none. */
  isBound(slot: number): boolean {
    return this.#binds.get(slot)?.state === 'bound';
  }

  states(): BindState[] {
    return [...this.#binds.values()].map(({ state }) => state);
  }

  /** Ends every pause before the next try to bind. */
  retry(): void {
    for (const bind of this.#binds.values()) bind.retry();
  }

  /** Opens and closes binds until exactly these slots are held. Resolves once all others are closed, also those that were being made again. */
  async hold(slots: readonly number[], graceMs = closeGraceMs): Promise<void> {
    this.#wanted = new Set(slots);
    if (slots.length === 0) this.#standing.forgetAnswers();
    for (const [slot, bind] of [...this.#binds]) if (!this.#wanted.has(slot)) this.#leave(slot, bind, graceMs);
    for (const slot of slots) if (!this.#binds.has(slot) && !this.#leaving.has(slot)) this.#open(slot);
    this.#seeBinds();
    this.#throttle.setLimit(this.#share(slots.length), this.#options.now());
    this.#queue.pump();
    const leaving = [...this.#leaving].filter(([slot]) => !this.#wanted.has(slot));
    for (const [, { bind }] of leaving) void bind?.close(graceMs);
    await Promise.all(leaving.map(([, { left }]) => left));
  }

  /**
   * Takes the place of one with other connections, and resolves once those are closed: none of its own opens before. It has the slots of the
   * other one from the first, because the next `hold` may wait for another operator that hangs.
   */
  async succeed(old: Operator): Promise<void> {
    const slots = [...Operator.slotsOf(this.#config).keys()];
    if (old.open) for (const slot of slots) this.#remade.add(slot);
    this.#wanted = new Set(slots.filter((slot) => old.#wanted.has(slot)));
    this.#throttle.setLimit(this.#share(this.#wanted.size), this.#options.now());
    const left = old.hold([]);
    for (const slot of slots) this.#openBehind(left, slot);
    this.#seeBinds();
    await left;
  }

  #leave(slot: number, bind: Bind, graceMs: number): void {
    this.#binds.delete(slot);
    this.#openBehind(bind.close(graceMs), slot, bind);
  }

  #openBehind(closed: Promise<void>, slot: number, bind: Bind | null = null): void {
    const left = closed.finally(() => {
      this.#leaving.delete(slot);
      this.#remade.delete(slot);
      if (this.#wanted.has(slot) && !this.#binds.has(slot)) this.#open(slot);
      this.#seeBinds();
    });
    this.#leaving.set(slot, { left, bind });
  }

  /** New settings that need no new connection. */
  configure(config: OperatorConfig): void {
    this.#config = config;
    this.#throttle.setLimit(this.#share(this.#binds.size), this.#options.now());
  }

  async reserve(signal: AbortSignal): Promise<Place | null> {
    const bind = await this.#queue.reserve(signal);
    return bind && this.#placeOn(bind, signal);
  }

  reserveNow(signal: AbortSignal): Place | null {
    const bind = this.#queue.reserveNow();
    return bind && this.#placeOn(bind, signal);
  }

  #placeOn(bind: Bind, signal: AbortSignal): Place {
    const { now } = this.#options;
    const since = now();
    return {
      release: () => this.#queue.giveBack(bind),
      send: async (message) => {
        const outcome = await this.#submissions.send(message, bind, signal);
        // Silence says nothing of how fast answers come, and a clock may be set while one is awaited.
        if (outcome.kind !== 'unknown') this.#heldTime.add(Math.min(now() - since, this.#config.responseTimeoutMs));
        return outcome;
      },
    };
  }

  /** Each slot carries an equal part of the operator's rate, so that no bucket need be shared between processes. */
  #share(held: number): number {
    const all = Operator.slotsOf(this.#config).length;
    return (this.#config.ratePerSecond * Math.max(1, held)) / Math.max(1, all);
  }

  #open(slot: number): void {
    const settings = Operator.slotsOf(this.#config)[slot];
    if (!settings) return;
    const observer = this.#options.observer(this.#config.id, slot);
    let wasBound = false;
    const bind = new Bind({
      ...bindOptions(this.#config, settings),
      onDeliver: (incoming) => takeIn(incoming, this.#config, this.#options),
      onLateAnswer: (request, answer) => this.#submissions.late(request, answer),
      observer: {
        ...observer,
        onState: (state, detail) => {
          observer.onState?.(state, detail);
          if (wasBound !== (state === 'bound')) this.#options.onBind();
          wasBound = state === 'bound';
          this.#seeBinds();
          this.#queue.pump();
        },
        // There is room again: an answer came, or the bind reads and writes again after a jam.
        onWindow: (outstanding) => {
          observer.onWindow?.(outstanding);
          if (bind.state === 'sick') this.#seeBinds();
          this.#queue.pump();
        },
      },
    });
    this.#binds.set(slot, bind);
    bind.start();
  }

  #weigh(meaning: StatusMeaning, to: string): void {
    const now = this.#options.now();
    if (meaning === 'accepted') {
      this.#pressure.accepted(to);
      this.#standing.seeAccepted();
    }
    if (meaning === 'throttled' && this.#pressure.refused(to)) this.#throttle.pressed(now);
    if (meaning !== 'throttled' && meaning !== 'temporary') return;
    this.#standing.seePutOff(to, now);
    // Where it is left alone from now on, what waits goes on.
    if (!this.open) this.#queue.pump();
  }
}
