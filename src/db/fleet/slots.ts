// Bind slots: one row for each bind that an operator allows, leased to one process. So all processes together never open more binds
// than were agreed.

import type { Queryable } from '../queryable.ts';

export interface Slot {
  operator: string;
  /** From 0 on, for each operator. */
  n: number;
}

const slotText = ({ operator, n }: Slot): string => `${operator} ${n}`;
/** The same in SQL. */
const slotOf = (prefix = '') => `(${prefix}operator || ' ' || ${prefix}n)`;

/**
 * Makes as many slots as each operator allows; those beyond that number are removed. Slots of other operators stay: another process may have a
 * newer configuration, and its binds.
 */
export async function configureSlots(db: Queryable, binds: ReadonlyMap<string, number>): Promise<void> {
  await db.query({
    name: 'slots.configure',
    text: `with wanted as (select * from unnest($1::text[], $2::integer[]) as w(operator, binds)),
        gone as (delete from bind_slot s using wanted w where w.operator = s.operator and s.n >= w.binds)
        insert into bind_slot (operator, n) select w.operator, g from wanted w, generate_series(0, w.binds - 1) g
        on conflict do nothing`,
    values: [[...binds.keys()], [...binds.values()]],
  });
}

// Own slots first (lowest numbers), then free or expired ones, up to the share; what is above the share is not renewed:
// its bind is closed and only then is the slot given back.
// The fence rises with each new owner, so that a process which was asleep can tell that its slot has changed hands.
// A row of its own that is locked is one that this process's pulse renews at this moment: it stays, as far as the share goes.
const balanceText = `
with share as (select * from unnest($1::text[], $2::integer[]) as s(operator, slots)),
free as materialized (
  select b.operator, b.n, b.owner is not distinct from $3 as own from bind_slot b join share using (operator)
  where b.owner = $3 or b.owner is null or b.lease_until < now()
  order by b.operator, b.n for update of b skip locked
),
renewing as materialized (
  select b.operator, b.n from bind_slot b join share using (operator) where b.owner = $3 and b.lease_until >= now()
    and not exists (select from free f where f.operator = b.operator and f.n = b.n)
),
ranked as (
  select *, row_number() over (partition by operator order by own desc, n) as rank from (
    select operator, n, own, false as renewed from free union all select operator, n, true, true from renewing
  ) each
),
mine as materialized (select r.* from ranked r join share using (operator) where r.rank <= share.slots),
kept as (
  update bind_slot b set owner = $3, lease_until = now() + $4::integer * interval '1 millisecond',
    fence = b.fence + case when m.own then 0 else 1 end, bound = ${slotOf('b.')} = any ($5::text[])
  from mine m where b.operator = m.operator and b.n = m.n and not m.renewed returning b.operator, b.n
)
select operator, n, false as renewing from kept union all select operator, n, true from mine where renewed`;

export interface Balance {
  processId: string;
  leaseMs: number;
  /** How many slots of each operator this process may hold. */
  shares: ReadonlyMap<string, number>;
  /** Slots held here whose bind is up. */
  bound: readonly Slot[];
}

/** `renewing`: another statement of this process has it, whose outcome is not known here. */
export type LeasedSlot = Slot & { renewing: boolean };

/** Leases slots up to the shares. Returns all that are leased; those held above a share are no longer among them. */
export async function balanceSlots(
  db: Queryable,
  { processId, leaseMs, shares, bound }: Balance,
): Promise<LeasedSlot[]> {
  const values = [[...shares.keys()], [...shares.values()], processId, leaseMs, bound.map(slotText)];
  return (await db.query<LeasedSlot>({ name: 'slots.balance', text: balanceText, values })).rows;
}

/** Frees the process's slots but `held`. */
export async function giveBackSlots(db: Queryable, processId: string, held: readonly Slot[]): Promise<void> {
  await db.query({
    name: 'slots.give_back',
    text: `update bind_slot set owner = null, lease_until = null, bound = false
        where owner = $1 and not ${slotOf()} = any ($2::text[])`,
    values: [processId, held.map(slotText)],
  });
}

/** Whether some bind is up, in any process. */
export async function isAnyBound(db: Queryable): Promise<boolean> {
  const text = 'select exists (select from bind_slot where bound and lease_until > now()) as any';
  const { rows } = await db.query<{ any: boolean }>({ name: 'slots.bound', text, values: [] });
  return rows[0]?.any ?? false;
}
