// Leases of processes: one row each, renewed every second. Leases are counted by the database's clock, because the clocks of hosts
// differ.

import type { Queryable } from '../queryable.ts';

/** Renews the lease, or begins it, and deletes processes long gone. */
export async function renewLease(db: Queryable, processId: string, leaseMs: number): Promise<void> {
  await db.query({
    name: 'process.renew',
    text: `with gone as (delete from process where lease_until < now() - interval '1 hour')
        insert into process (id, started_at, lease_until) values ($1, now(), now() + $2::integer * interval '1 millisecond')
        on conflict (id) do update set lease_until = excluded.lease_until`,
    values: [processId, leaseMs],
  });
}

/** Ends the lease. The row stays: what the process held is found by it. */
export async function endLease(db: Queryable, processId: string): Promise<void> {
  const text = 'update process set lease_until = now() where id = $1';
  await db.query({ name: 'process.leave', text, values: [processId] });
}

/** How many processes have a lease that runs. */
export async function countMembers(db: Queryable): Promise<number> {
  const text = 'select count(*)::integer as n from process where lease_until > now()';
  const { rows } = await db.query<{ n: number }>({ name: 'process.count', text, values: [] });
  return rows[0]?.n ?? 0;
}
