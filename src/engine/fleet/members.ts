// This process among the others that share the database: its lease, which each pulse renews (pulse.ts). What a process held falls to the
// others when its lease ends, so a process that could not renew in time must behave as if that had happened.

import { EventEmitter } from 'node:events';
import type { EngineStore } from '../../db/engine-store.ts';
import { type OtherProcess, processHolder } from '../../db/fleet/holder.ts';

export interface FleetOptions {
  db: EngineStore;
  processId: string;
  now(): number;
  /** How long a silent process counts as alive. */
  leaseMs?: number;
}

export const usualLeaseMs = 3_000;

/** What renewals find out. */
export interface FleetEvents {
  /** Ids of processes whose lease has ended, each once, while this process may take over: what they held may be taken over. */
  gone: [processIds: string[]];
  /** Ids of processes whose lease began, or began again after its end. */
  joined: [processIds: string[]];
  /**
   * This process's own lease had ended, or had never run, and has now run for as long as `mayTakeOver` asks. What ended in between is not
   * in `gone`, and rows of this process may have been taken: look at everything once.
   */
  back: [];
  /** Shards of an owner that is one no longer are this process's now (owners.ts): what it held there may be left to nobody. */
  inherited: [];
}

/** The holder of this process's rows, and whether its lease still protects them. */
export type Lease = Pick<Fleet, 'holder' | 'keptSince' | 'mayTakeOver'>;

/** What every live process needs to renew once the database is back: each tries four times a second, and a busy machine adds some. */
const renewalMs = 750;

export class Fleet {
  readonly events = new EventEmitter<FleetEvents>();
  readonly #db: EngineStore;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly processId: string;
  /** Value of `holder` in the rows that belong to this process. */
  readonly holder: string;
  /** By this process's clock: since when the lease has run without a gap, and when it ends. */
  #keptFrom = Number.POSITIVE_INFINITY;
  #endsAt = Number.NEGATIVE_INFINITY;
  /** When it was last renewed. By a clock that shows less the lease does not run: nobody knows by how much it was set back. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #alive = 1;
  /** Others whose lease ran at the renewal before. */
  #others = new Set<string>();
  /** Others whose lease has ended lately, and of whom no event is due any more. */
  #ended = new Set<string>();
  /** Whether `back` has been emitted since the lease last began. */
  #isBack = false;

  constructor({ db, processId, now, leaseMs = usualLeaseMs }: FleetOptions) {
    this.#db = db;
    this.#now = now;
    this.processId = processId;
    this.holder = processHolder(processId);
    this.#leaseMs = leaseMs;
  }

  /** Unix ms, by this process's clock. */
  now(): number {
    return this.#now();
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Renews the lease, counted by the database's clock, deletes processes that ended long ago, and emits what it finds out. */
  async renew(): Promise<void> {
    const startedAt = this.#now();
    this.renewed(startedAt, await this.#db.renewLease(this.processId, this.#leaseMs));
  }

  /** The lease was renewed by a statement that was sent at `startedAt`, Unix ms. */
  renewed(startedAt: number, others: readonly OtherProcess[]): void {
    const at = this.#now();
    // The lease had ended, or it is not known whether it had: rows of this process may have been taken meanwhile.
    if (!this.#runs(at)) {
      this.#keptFrom = at;
      this.#isBack = false;
    }
    this.#renewedAt = Math.min(startedAt, at);
    this.#endsAt = this.#renewedAt + this.#leaseMs;
    this.#compare(others);
  }

  /** Who is new, and who is gone since the last look. */
  #compare(others: readonly OtherProcess[]): void {
    const [alive, ended] = [new Set<string>(), new Set<string>()];
    for (const { id, leftMs } of others) (leftMs > 0 ? alive : ended).add(id);
    const joined = [...alive].filter((id) => !this.#others.has(id));
    const gone = [...new Set([...this.#others, ...ended])].filter((id) => !alive.has(id) && !this.#ended.has(id));
    this.#others = alive;
    this.#alive = alive.size + 1;
    if (joined.length > 0) this.events.emit('joined', joined);
    if (!this.mayTakeOver) return;
    this.#ended = ended;
    if (!this.#isBack) {
      this.#isBack = true;
      this.events.emit('back');
    } else if (gone.length > 0) this.events.emit('gone', gone);
  }

  /**
   * Whether the lease has run without a gap since `at` (Unix ms) and still does: rows that were this process's then are so now. Errs on
   * the side of no, so a process that was asleep does nothing another may have taken over.
   */
  keptSince(at: number): boolean {
    return this.#keptFrom <= at && this.#runs(this.#now());
  }

  #runs(at: number): boolean {
    return this.#renewedAt <= at && at < this.#endsAt;
  }

  /**
   * Whether this process may take others for dead: once its own lease has run for longer than any process takes to renew. After an
   * outage of the database every lease has ended, and the first process to come back would take over from all that live.
   */
  get mayTakeOver(): boolean {
    return this.keptSince(this.#now() - renewalMs);
  }

  /** How many processes had a lease that ran, this one included, when it was last renewed. */
  get alive(): number {
    return this.#alive;
  }

  /** Ends the lease at once, so that no process has to wait for its end. */
  async leave(): Promise<void> {
    this.#endsAt = Number.NEGATIVE_INFINITY;
    await this.#db.endLease(this.processId);
  }
}
