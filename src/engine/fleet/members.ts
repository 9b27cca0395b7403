// This process among the others that share the database: its lease, which it renews every second. What a process held falls to the
// others when its lease ends, so a process that could not renew in time must behave as if that had happened.

import { countMembers, endLease, processHolder, renewLease } from '../../db/fleet/holder.ts';
import type { Queryable } from '../../db/queryable.ts';

export interface FleetOptions {
  db: Queryable;
  processId: string;
  now(): number;
  /** How long a silent process counts as alive. Default 3 000. */
  leaseMs?: number;
}

/** The holder of this process's rows, and whether its lease still protects them. */
export type Lease = Pick<Fleet, 'holder' | 'keptSince' | 'mayTakeOver'>;

/** What every live process needs to renew once the database is back: each tries four times a second, and a busy machine adds some. */
const renewalMs = 750;

export class Fleet {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly processId: string;
  /** Value of `holder` in the rows that belong to this process. */
  readonly holder: string;
  /** By this process's clock: since when the lease has run without a gap, and when it ends. */
  #keptFrom = Number.POSITIVE_INFINITY;
  #endsAt = Number.NEGATIVE_INFINITY;
  #alive = 1;

  constructor({ db, processId, now, leaseMs = 3_000 }: FleetOptions) {
    this.#db = db;
    this.#now = now;
    this.processId = processId;
    this.holder = processHolder(processId);
    this.#leaseMs = leaseMs;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Renews the lease, counted by the database's clock, and deletes processes that ended long ago. */
  async renew(): Promise<void> {
    const startedAt = this.#now();
    await renewLease(this.#db, this.processId, this.#leaseMs);
    const at = this.#now();
    if (at >= this.#endsAt) this.#keptFrom = at; // The lease had ended: rows of this process may have been taken meanwhile.
    this.#endsAt = startedAt + this.#leaseMs;
  }

  /**
   * Whether the lease has run without a gap since `at` (Unix ms) and still does: rows that were this process's then are so now. Errs on
   * the side of no, so a process that was asleep does nothing another may have taken over.
   */
  keptSince(at: number): boolean {
    return this.#keptFrom <= at && this.#now() < this.#endsAt;
  }

  /**
   * Whether this process may take others for dead: once its own lease has run for longer than any process takes to renew. After an
   * outage of the database every lease has ended, and the first process to come back would take over from all that live.
   */
  get mayTakeOver(): boolean {
    return this.keptSince(this.#now() - renewalMs);
  }

  /** Processes whose lease runs, this one included once it has renewed. */
  async size(): Promise<number> {
    this.#alive = Math.max(1, await countMembers(this.#db));
    return this.#alive;
  }

  /** `size` as it was when last asked, which is once a second. */
  get alive(): number {
    return this.#alive;
  }

  /** Ends the lease at once, so that no process has to wait for its end. */
  async leave(): Promise<void> {
    this.#endsAt = Number.NEGATIVE_INFINITY;
    await endLease(this.#db, this.processId);
  }
}
