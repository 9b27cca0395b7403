// How operators stand over all processes: their binds, and what is parked of their receipts.

import type { Queryable } from '../queryable.ts';

export interface OperatorStanding {
  operator: string;
  binds: { slot: number; bound: boolean; process: string }[];
  unmatched: number;
  unreadable: number;
}

const text = `
with binds as (
  select operator, jsonb_agg(jsonb_build_object('slot', n, 'bound', bound and lease_until > now(),
    'process', case when lease_until > now() then coalesce(owner, '') else '' end) order by n) as binds
  from bind_slot group by operator
),
parked as (
  select operator, count(*) filter (where reason = 'unmatched')::integer as unmatched,
    count(*) filter (where reason <> 'unmatched')::integer as unreadable
  from parked_receipt group by operator
)
select operator, coalesce(binds, '[]') as binds, coalesce(unmatched, 0) as unmatched, coalesce(unreadable, 0) as unreadable
from binds full join parked using (operator)`;

/** Those that have binds or parked receipts. A bind whose process is gone is not up. */
export async function readStandings(db: Queryable): Promise<OperatorStanding[]> {
  return (await db.query<OperatorStanding>({ name: 'operators.standing', text, values: [] })).rows;
}
