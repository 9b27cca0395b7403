// This process among the others that share the database: a lease each renews every second. Whatever a process held falls
// to the others when its lease ends; a process that could not renew in time must behave as if that had happened.

import { processHolder } from '../../db/fleet/holder.ts';
import type { Queryable } from '../../db/queryable.ts';

export interface FleetOptions {
  db: Queryable;
  processId: string;
  now(): number;
  /** How long a silent process is still believed alive. Default 3 000. */
  leaseMs?: number;
}

/** Whose rows are this process's, and whether it may still believe so. */
export type Lease = Pick<Fleet, 'holder' | 'keptSince' | 'mayTakeOver'>;

/** What all who live need to renew once the database is back: they try four times a second, and a busy machine adds some. */
const renewalMs = 750;

export class Fleet {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly processId: string;
  /** What stands in the rows that belong to this process. */
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

  /** Renews the lease, counted by the database's clock, and forgets processes long gone. */
  async renew(): Promise<void> {
    const startedAt = this.#now();
    await this.#db.query({
      name: 'process.renew',
      text: `with gone as (delete from process where lease_until < now() - interval '1 hour')
        insert into process (id, started_at, lease_until) values ($1, now(), now() + $2::integer * interval '1 millisecond')
        on conflict (id) do update set lease_until = excluded.lease_until`,
      values: [this.processId, this.#leaseMs],
    });
    const at = this.#now();
    if (at >= this.#endsAt) this.#keptFrom = at; // It had ended: what was ours may have been taken meanwhile.
    this.#endsAt = startedAt + this.#leaseMs;
  }

  /**
   * Whether the lease has run without a gap since `at` (Unix ms) and still does: what was ours then is ours now. Errs on
   * the side of no, so a process that was asleep does nothing another may have taken over.
   */
  keptSince(at: number): boolean {
    return this.#keptFrom <= at && this.#now() < this.#endsAt;
  }

  /**
   * Whether this process may take others for dead: once its own lease has run for longer than anybody takes to renew. After an
   * outage of the database every lease has ended, and whoever is back first would take over from all who live.
   */
  get mayTakeOver(): boolean {
    return this.keptSince(this.#now() - renewalMs);
  }

  /** Processes whose lease runs, this one included once it has renewed. */
  async size(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'process.count',
      text: 'select count(*)::integer as n from process where lease_until > now()',
      values: [],
    });
    this.#alive = Math.max(1, rows[0]?.n ?? 1);
    return this.#alive;
  }

  /** `size` as it was when last asked, which is once a second. */
  get alive(): number {
    return this.#alive;
  }

  /** Ends the lease at once, so that nobody has to wait for it. The row stays: what is left here is found by it. */
  async leave(): Promise<void> {
    this.#endsAt = Number.NEGATIVE_INFINITY;
    await this.#db.query({
      name: 'process.leave',
      text: 'update process set lease_until = now() where id = $1',
      values: [this.processId],
    });
  }
}
