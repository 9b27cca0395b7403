// This process among the others that share the database: a lease each renews every second. Whatever a process held falls
// to the others when its lease ends; a process that could not renew in time must behave as if that had happened.

import type { Queryable } from '../db/queryable.ts';

export interface FleetOptions {
  db: Queryable;
  processId: string;
  /** How long a silent process is still believed alive. Default 3 000. */
  leaseMs?: number;
}

export class Fleet {
  readonly #db: Queryable;
  readonly #leaseMs: number;
  readonly processId: string;

  constructor({ db, processId, leaseMs = 3_000 }: FleetOptions) {
    this.#db = db;
    this.processId = processId;
    this.#leaseMs = leaseMs;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Renews the lease, counted by the database's clock, and forgets processes long gone. */
  async renew(): Promise<void> {
    await this.#db.query({
      name: 'process.renew',
      text: `with gone as (delete from process where lease_until < now() - interval '1 hour')
        insert into process (id, started_at, lease_until) values ($1, now(), now() + $2::integer * interval '1 millisecond')
        on conflict (id) do update set lease_until = excluded.lease_until`,
      values: [this.processId, this.#leaseMs],
    });
  }

  /** Processes whose lease runs, this one included once it has renewed. */
  async size(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'process.count',
      text: 'select count(*)::integer as n from process where lease_until > now()',
      values: [],
    });
    return Math.max(1, rows[0]?.n ?? 1);
  }

  /** Ends the lease at once, so that nobody has to wait for it. */
  async leave(): Promise<void> {
    await this.#db.query({
      name: 'process.leave',
      text: 'delete from process where id = $1',
      values: [this.processId],
    });
  }
}
