// Bind slots of this process. Operators allow a number of binds, however many processes there are: each bind is a slot, leased to one
// process, and the slots are spread evenly over the processes that live. A process that loses its lease closes its binds first.

import type { Binds } from '../../channels/channel.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { Slot } from '../../db/fleet/slots.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import type { Fleet } from './members.ts';

export interface SlotsOptions {
  db: EngineStore;
  fleet: Fleet;
  now(): number;
  binds: Binds;
}

/** How long before its lease ends a bind is closed: longer than the pause between two calls of `expire` and the closing itself. */
const expireEarlyMs = 500;
const shortGraceMs = 250;

export class Slots {
  readonly #options: SlotsOptions;
  #wanted = new Map<string, number>();
  #held = new Map<string, number[]>();
  #leaseEnds = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  held(operator: string): number[] {
    return this.#held.get(operator) ?? [];
  }

  /** How many binds each operator allows in all; slots beyond that number are removed. */
  async configure(binds: ReadonlyMap<string, number>): Promise<void> {
    this.#wanted = new Map(binds);
    await this.#options.db.configureSlots(binds);
  }

  /**
   * Renews what is held, gives back what is above this process's share, takes what is free below it. Called once a second.
   * @throws when the database is away; the binds stay until the lease would have ended, then `expire` closes them.
   */
  async balance(): Promise<void> {
    const { db, fleet, now } = this.#options;
    const startedAt = now();
    const processes = await fleet.size();
    const shares = new Map([...this.#wanted].map(([operator, binds]) => [operator, Math.ceil(binds / processes)]));
    const { processId, leaseMs } = fleet;
    const slots = await db.balanceSlots({ processId, leaseMs, shares, bound: this.#bound() });
    // The database answered too late: the lease was over before it was known, and others may have the slots by now.
    if (now() >= startedAt + leaseMs) return;
    this.#leaseEnds = startedAt + leaseMs;
    const isSurplus = (held: Slot) => !slots.some(({ operator, n }) => operator === held.operator && n === held.n);
    const surplus = this.#slots().some(isSurplus);
    await this.#renewWhile(this.#become(slots));
    if (surplus) await this.#giveBack();
  }

  /** Whether some bind is up, here or in another process. */
  anyBound(): Promise<boolean> {
    return this.#options.db.isAnyBound();
  }

  /**
   * Closes every bind when the lease could not be renewed in time, early and with a short grace, so that they are closed when it
   * ends: another process may open them then. Receipts whose commit waits for the database would hold them up for seconds;
   * unanswered, they come again.
   */
  async expire(): Promise<void> {
    if (this.#options.now() < this.#leaseEnds - expireEarlyMs) return;
    await this.#become([], shortGraceMs);
  }

  /** Closes the binds, then frees their slots. */
  async release(): Promise<void> {
    await this.#become([]);
    await this.#giveBack();
  }

  /** Closing binds waits for operators' answers and may outlast a lease: until all are closed, this process keeps all its slots. */
  async #renewWhile(closing: Promise<void>): Promise<void> {
    const { db, fleet, now } = this.#options;
    while (!(await isDoneWithin(closing, fleet.leaseMs / 3))) {
      const startedAt = now();
      await fleet.renew();
      await db.renewSlots(fleet.processId, fleet.leaseMs);
      if (now() < this.#leaseEnds) this.#leaseEnds = startedAt + fleet.leaseMs;
    }
  }

  /** Frees the slots whose binds are closed here: only now may another process open them. */
  async #giveBack(): Promise<void> {
    await this.#options.db.giveBackSlots(this.#options.fleet.processId, this.#slots());
  }

  #slots(): Slot[] {
    return [...this.#held].flatMap(([operator, slots]) => slots.map((n) => ({ operator, n })));
  }

  #bound(): Slot[] {
    return this.#slots().filter(({ operator, n }) => this.#options.binds.isBound(operator, n));
  }

  async #become(slots: readonly Slot[], graceMs?: number): Promise<void> {
    const next = new Map<string, number[]>();
    for (const { operator, n } of slots.toSorted((a, b) => a.n - b.n)) {
      next.set(operator, [...(next.get(operator) ?? []), n]);
    }
    const operators = new Set([...this.#held.keys(), ...next.keys()]);
    const before = this.#held;
    this.#held = next;
    const changed = [...operators].filter(
      (operator) => String(this.held(operator)) !== String(before.get(operator) ?? []),
    );
    // All at once: one operator's slow answer must not keep the binds of others open.
    await Promise.all(changed.map((operator) => this.#options.binds.setSlots(operator, this.held(operator), graceMs)));
  }
}
