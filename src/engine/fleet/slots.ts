// Bind slots of this process. Operators allow a number of binds, however many processes there are: each bind is a slot, leased to one
// process, and the slots are spread evenly over the processes that live. The pulse renews them, and shows when they are to be shared out
// again. A process that loses its lease closes its binds first.

import type { Binds } from '../../channels/channel.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { Slot } from '../../db/fleet/slots.ts';
import { Wakeup } from '../../time/on-demand.ts';
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
  /** Whether the database has as many slots as are wanted. */
  #isConfigured = true;
  #held = new Map<string, number[]>();
  /** Slots that are to be given back, and whose bind may still be open: their lease is renewed until it is closed. */
  readonly #closing = new Set<Slot>();
  #leaseEnds = 0;
  /** Processes that the slots were last shared out among; 0 = they are to be shared out. */
  #sharedAmong = 0;
  /** Set when `balance` is to be called. */
  readonly unbalanced = new Wakeup();

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  held(operator: string): number[] {
    return this.#held.get(operator) ?? [];
  }

  /**
   * How many binds each operator allows in all; slots beyond that number are removed, and operators that are not named keep theirs.
   * @throws when the database is away; it is done with the next balance then, which `unbalanced` asks for.
   */
  async configure(binds: ReadonlyMap<string, number>): Promise<void> {
    this.#wanted = new Map(binds);
    this.#isConfigured = false;
    try {
      await this.#configure();
    } catch (error) {
      this.unbalanced.set();
      throw error;
    }
  }

  async #configure(): Promise<void> {
    const wanted = this.#wanted;
    await this.#options.db.configureSlots(wanted);
    this.#isConfigured = wanted === this.#wanted;
  }

  /** Slots whose lease the pulse is to renew. */
  leased(): (Slot & { bound: boolean })[] {
    const { binds } = this.#options;
    return [...this.#slots(), ...this.#closing].map((slot) => ({
      ...slot,
      bound: binds.isBound(slot.operator, slot.n),
    }));
  }

  /**
   * A pulse that was sent at `startedAt` (Unix ms) has renewed so many of the slots that were `asked`, and names the operators with a free
   * one. Where one is lost, a process has come or gone, or there is one to take, `balance` is to be called.
   */
  renewed(
    startedAt: number,
    { asked, renewed, free }: { asked: number; renewed: number; free: readonly string[] },
  ): void {
    const { fleet, now } = this.#options;
    const endsAt = startedAt + fleet.leaseMs;
    if (renewed === asked && now() < endsAt) this.#leaseEnds = Math.max(this.#leaseEnds, endsAt);
    const mayTake = free.some((operator) => this.held(operator).length < this.#share(operator));
    if (renewed < asked || mayTake || fleet.alive !== this.#sharedAmong) this.unbalanced.set();
  }

  /**
   * Renews what is held, gives back what is above this process's share, takes what is free below it.
   * @throws when the database is away; the binds stay until the lease would have ended, then `expire` closes them.
   */
  async balance(): Promise<void> {
    if (!this.#isConfigured) await this.#configure();
    const { db, fleet, now } = this.#options;
    const startedAt = now();
    const { processId, leaseMs, alive } = fleet;
    const shares = new Map([...this.#wanted.keys()].map((operator) => [operator, this.#share(operator)]));
    this.#sharedAmong = 0;
    const slots = await db.balanceSlots({ processId, leaseMs, shares, bound: this.#bound() });
    // The database answered too late: the lease was over before it was known, and others may have the slots by now.
    if (now() >= startedAt + leaseMs) return;
    // What a pulse is renewing meanwhile ends when that says so.
    if (!slots.some(({ renewing }) => renewing)) this.#leaseEnds = startedAt + leaseMs;
    if (await this.#leaveAllBut(slots)) await this.#giveBack();
    this.#sharedAmong = alive;
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
    const { now, fleet } = this.#options;
    // Lower where the clock was set back.
    this.#leaseEnds = Math.min(this.#leaseEnds, now() + fleet.leaseMs);
    if (now() < this.#leaseEnds - expireEarlyMs) return;
    const closing = new Set([...this.#closing].map(({ operator }) => operator));
    const hurried = [...closing].map((operator) => this.#options.binds.setSlots(operator, [], shortGraceMs));
    await Promise.all([this.#become([], shortGraceMs), ...hurried]);
  }

  /** Closes the binds, then frees their slots. */
  async release(): Promise<void> {
    await this.#leaveAllBut([]);
    await this.#giveBack();
  }

  /** Holds exactly these. The lease of the others is renewed until their binds are closed. Whether there were any. */
  async #leaveAllBut(slots: readonly Slot[]): Promise<boolean> {
    const isSurplus = (held: Slot) => !slots.some(({ operator, n }) => operator === held.operator && n === held.n);
    const surplus = this.#slots().filter(isSurplus);
    for (const slot of surplus) this.#closing.add(slot);
    await this.#become(slots).finally(() => {
      for (const slot of surplus) this.#closing.delete(slot);
    });
    return surplus.length > 0;
  }

  /** Frees the slots whose binds are closed here: only now may another process open them. */
  async #giveBack(): Promise<void> {
    await this.#options.db.giveBackSlots(this.#options.fleet.processId, [...this.#slots(), ...this.#closing]);
  }

  /** How many of an operator's slots are this process's. */
  #share(operator: string): number {
    return Math.ceil((this.#wanted.get(operator) ?? 0) / this.#options.fleet.alive);
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
