// The pulse: one statement by which a process, about once a second, renews its leases, says how loaded its routes are, and sees what others
// have changed. What an idle process asks the database for stands here, so that it costs one statement.

import type { ChangeCounter } from '../changes.ts';
import type { Queryable } from '../queryable.ts';
import type { OtherProcess } from './holder.ts';
import type { Slot } from './slots.ts';

export interface PulseAsked {
  processId: string;
  leaseMs: number;
  /** Loads of this process's routes as `readRouteLoads` reads them, in JSON; null = as stored. */
  loads: string | null;
  /** Slots whose lease is renewed, if they are still this process's, and whether their bind is up. */
  slots: readonly (Slot & { bound: boolean })[];
}

export interface PulseFound {
  /** The others whose lease runs, or ended within the last minute. */
  others: OtherProcess[];
  /** How many of the asked slots were renewed. */
  renewed: number;
  /** Operators with a slot that this process may lease: nobody holds it, or this process without having asked for it. */
  free: string[];
  /** Operators that other processes have a bind up with. */
  bound: string[];
  /** The change counters: each rises with every change of what it counts (db/changes.ts). */
  changes: Record<ChangeCounter, number>;
  /** How long the youngest parked receipt has been there, ms; null = none is. */
  parkedMs: number | null;
  /** When the next link of a business's WhatsApp account is due, Unix ms; null = none is. */
  linkDueAt: number | null;
}

const ms = (interval: string): string => `(extract(epoch from ${interval}) * 1000)::double precision`;

// A slot is not this process's any more where another has leased it meanwhile, and then it is not renewed.
const text = `
with asked as materialized (
  select * from unnest($4::text[], $5::integer[], $6::boolean[]) as a (operator, n, bound)
),
forgotten as (delete from process where lease_until < now() - interval '1 hour'),
lease as (
  insert into process (id, started_at, lease_until, routes)
  values ($1, now(), now() + $2::integer * interval '1 millisecond', coalesce($3::jsonb, '{}'))
  on conflict (id) do update set lease_until = excluded.lease_until, routes = coalesce($3::jsonb, process.routes)
),
renewed as (
  update bind_slot b set lease_until = now() + $2::integer * interval '1 millisecond', bound = asked.bound
  from asked where b.operator = asked.operator and b.n = asked.n and b.owner = $1
  returning b.n
)
select
  (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'leftMs', ${ms('lease_until - now()')})), '[]')
    from process where id <> $1 and lease_until > now() - interval '1 minute') as others,
  (select count(*)::integer from renewed) as renewed,
  (select coalesce(array_agg(distinct b.operator), '{}') from bind_slot b
    where (b.owner is null or b.owner = $1 or b.lease_until < now())
      and not exists (select from asked where asked.operator = b.operator and asked.n = b.n)) as free,
  (select coalesce(array_agg(distinct operator), '{}') from bind_slot
    where bound and owner <> $1 and lease_until > now()) as bound,
  (select jsonb_object_agg(name, value) from change_counter) as changes,
  (select ${ms('now() - max(received_at)')} from parked_receipt) as parked_ms,
  (select ${ms('min(next_at)')} from waba where next_at is not null) as link_due_at`;

interface Row {
  others: OtherProcess[];
  renewed: number;
  free: string[];
  bound: string[];
  changes: PulseFound['changes'];
  parked_ms: number | null;
  link_due_at: number | null;
}

/** Leases are counted by the database's clock, because the clocks of hosts differ. Processes that ended long ago are deleted. */
export async function pulse(db: Queryable, { processId, leaseMs, loads, slots }: PulseAsked): Promise<PulseFound> {
  const columns = [slots.map(({ operator }) => operator), slots.map(({ n }) => n), slots.map(({ bound }) => bound)];
  const query = { name: 'pulse', text, values: [processId, leaseMs, loads, ...columns] };
  const row = (await db.query<Row>(query)).rows[0];
  if (!row) throw new Error('the pulse has no answer');
  const { others, renewed, free, bound, changes, parked_ms, link_due_at } = row;
  return { others, renewed, free, bound, changes, parkedMs: parked_ms, linkDueAt: link_due_at };
}
