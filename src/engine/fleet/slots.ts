// Who holds which bind. An operator allows so many binds, whatever the number of our processes: each is a row, leased to
// one process and spread evenly over those alive. A process that loses its lease closes the bind before anything else.

import type { Queryable } from '../../db/queryable.ts';
import { isDoneWithin } from '../../time/within.ts';
import type { Fleet } from './members.ts';

export interface SlotsOptions {
  db: Queryable;
  fleet: Fleet;
  now(): number;
  /**
   * Told the slots of an operator this process holds now, whenever they change. Resolves once lost binds are closed, which
   * may take as long as what is under way on them, but no longer than `graceMs` where that is given.
   */
  onChange(operator: string, slots: number[], graceMs?: number): Promise<void> | void;
  /** Whether the bind of a slot held here is up; told to the others with each renewal. */
  isBound(operator: string, slot: number): boolean;
}

/** Before the lease's end; what `expire` is called too late by (200 ms) and the goodbye itself fit in. */
const expireEarlyMs = 500;
const hastyGraceMs = 250;

interface Claim {
  operator: string;
  n: number;
}

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
    const operators = [...binds.keys()];
    await this.#options.db.query({
      name: 'slots.configure',
      text: `with wanted as (select * from unnest($1::text[], $2::integer[]) as w(operator, binds)),
        gone as (delete from bind_slot s where not exists (
          select from wanted w where w.operator = s.operator and s.n < w.binds))
        insert into bind_slot (operator, n) select w.operator, g from wanted w, generate_series(0, w.binds - 1) g
        on conflict do nothing`,
      values: [operators, operators.map((operator) => binds.get(operator))],
    });
  }

  /**
   * Renews what is held, gives back what is above this process's share, takes what is free below it. Called once a second.
   * @throws when the database is away; the binds stay until the lease would have ended, then `expire` closes them.
   */
  async balance(): Promise<void> {
    const { db, fleet, now } = this.#options;
    const startedAt = now();
    const processes = await fleet.size();
    const operators = [...this.#wanted.keys()];
    const shares = operators.map((operator) => Math.ceil((this.#wanted.get(operator) ?? 0) / processes));
    const { rows } = await db.query<Claim>({
      name: 'slots.balance',
      text: balanceText,
      values: [operators, shares, fleet.processId, fleet.leaseMs, this.#bound()],
    });
    // The database answered too late: the lease was over before it was known, and others may have the slots by now.
    if (now() >= startedAt + fleet.leaseMs) return;
    this.#leaseEnds = startedAt + fleet.leaseMs;
    const surplus = [...this.#held].some(([operator, slots]) =>
      slots.some((n) => !rows.some((claim) => claim.operator === operator && claim.n === n)),
    );
    await this.#renewWhile(this.#become(rows));
    if (surplus) await this.#giveBack();
  }

  /** Whether some bind is up, here or in another process. */
  async anyBound(): Promise<boolean> {
    const { rows } = await this.#options.db.query<{ any: boolean }>({
      name: 'slots.bound',
      text: 'select exists (select from bind_slot where bound and lease_until > now()) as any',
      values: [],
    });
    return rows[0]?.any ?? false;
  }

  /**
   * Closes every bind when the lease could not be renewed in time, so early and so hastily that they are closed when it
   * ends: another process may open them then. Receipts whose commit waits for the database would hold them up for seconds;
   * unanswered, they come again.
   */
  async expire(): Promise<void> {
    if (this.#options.now() < this.#leaseEnds - expireEarlyMs) return;
    await this.#become([], hastyGraceMs);
  }

  /** Closes the binds, then frees their slots. */
  async release(): Promise<void> {
    await this.#become([]);
    await this.#giveBack();
  }

  /** Binds close politely, which may take longer than a lease lasts: until they have, all slots stay ours. */
  async #renewWhile(closing: Promise<void>): Promise<void> {
    const { db, fleet, now } = this.#options;
    while (!(await isDoneWithin(closing, fleet.leaseMs / 3))) {
      const startedAt = now();
      await fleet.renew();
      await db.query({ name: 'slots.renew', text: renewText, values: [fleet.processId, fleet.leaseMs] });
      if (now() < this.#leaseEnds) this.#leaseEnds = startedAt + fleet.leaseMs;
    }
  }

  /** Frees the slots whose binds are closed here: only now may another process open them. */
  async #giveBack(): Promise<void> {
    const held = [...this.#held].flatMap(([operator, slots]) => slots.map((n) => `${operator} ${n}`));
    await this.#options.db.query({
      name: 'slots.give_back',
      text: `update bind_slot set owner = null, lease_until = null, bound = false
        where owner = $1 and not (operator || ' ' || n) = any ($2::text[])`,
      values: [this.#options.fleet.processId, held],
    });
  }

  #bound(): string[] {
    return [...this.#held].flatMap(([operator, slots]) =>
      slots.filter((n) => this.#options.isBound(operator, n)).map((n) => `${operator} ${n}`),
    );
  }

  async #become(claims: readonly Claim[], graceMs?: number): Promise<void> {
    const next = new Map<string, number[]>();
    for (const { operator, n } of claims)
      next.set(
        operator,
        [...(next.get(operator) ?? []), n].sort((a, b) => a - b),
      );
    const operators = new Set([...this.#held.keys(), ...next.keys()]);
    const before = this.#held;
    this.#held = next;
    const changed = [...operators].filter(
      (operator) => String(this.held(operator)) !== String(before.get(operator) ?? []),
    );
    // All at once: one operator's slow goodbye must not keep the others' binds open.
    await Promise.all(changed.map((operator) => this.#options.onChange(operator, this.held(operator), graceMs)));
  }
}

const renewText = "update bind_slot set lease_until = now() + $2::integer * interval '1 millisecond' where owner = $1";

// Own slots first (lowest numbers), then free or expired ones, up to the share; what is above the share is not renewed:
// its bind is closed and only then is the slot given back.
// The fence rises with each new owner, so that a process which was asleep can tell that its slot has changed hands.
const balanceText = `
with share as (select * from unnest($1::text[], $2::integer[]) as s(operator, slots)),
free as materialized (
  select b.operator, b.n, b.owner is not distinct from $3 as own from bind_slot b join share using (operator)
  where b.owner = $3 or b.owner is null or b.lease_until < now()
  order by b.operator, b.n for update of b skip locked
),
ranked as (select *, row_number() over (partition by operator order by own desc, n) as rank from free),
kept as (
  update bind_slot b set owner = $3, lease_until = now() + $4::integer * interval '1 millisecond',
    fence = b.fence + case when r.own then 0 else 1 end, bound = (b.operator || ' ' || b.n) = any ($5::text[])
  from ranked r join share using (operator)
  where b.operator = r.operator and b.n = r.n and r.rank <= share.slots returning b.operator, b.n
)
select operator, n from kept`;
