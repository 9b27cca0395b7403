// Orders of the person who runs the service: an operator is paused, resumed, or its binds are made again. Every process follows them in the
// order of their numbers, and no order is ever deleted: they are the record of who was switched off when.

import { sql } from 'kysely';
import type { Actor } from '../../core/accounts/actor.ts';
import { audit } from '../accounts/audit.ts';
import { raiseChanges } from '../changes.ts';
import type { Queryable } from '../queryable.ts';
import type { Db } from '../schema.ts';

export interface OperatorOrder {
  operator: string;
  kind: 'pause' | 'resume' | 'rebind';
  /** The bind that is meant; null = all. */
  slot: number | null;
  reason: string;
}

/** The counter comes first: until this commits every other order waits for it, so that numbers are visible in their order. */
export function addOrder(db: Db, { operator, kind, slot, reason }: OperatorOrder, actor: Actor): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await raiseChanges(tx, 'operators');
    const { rows } = await sql<{ ordered_at: Date }>`insert into operator_order (operator, kind, slot, reason)
      values (${operator}, ${kind}, ${slot}, ${reason}) returning ordered_at`.execute(tx);
    const entry = { actor, action: `${kind}_operator`, target: operator, accountId: null };
    const after = { ...(slot === null ? {} : { slot }), ...(reason === '' ? {} : { reason }) };
    for (const { ordered_at: at } of rows) await audit(tx, { ...entry, at, after });
  });
}

export interface OperatorPause {
  operator: string;
  since: Date;
  reason: string;
}

export interface Orders {
  /** Number of the last order; 0 where there is none. */
  last: number;
  /** Operators that are paused now. */
  paused: OperatorPause[];
  /** Binds that are to be made again by orders after `after`. */
  rebinds: { operator: string; slot: number | null }[];
}

// An operator is paused from the first pause after its last resume. A second pause changes the reason, if it gives one.
const text = `
with resumed as (
  select operator, max(id) as id from operator_order where kind = 'resume' group by operator
),
paused as (
  select o.operator, min(o.ordered_at) as since,
    coalesce((array_agg(o.reason order by o.id desc) filter (where o.reason <> ''))[1], '') as reason
  from operator_order o left join resumed r using (operator)
  where o.kind = 'pause' and o.id > coalesce(r.id, 0) group by o.operator
)
select
  (select coalesce(max(id), 0)::integer from operator_order) as last,
  (select coalesce(jsonb_agg(jsonb_build_object('operator', operator, 'reason', reason, 'since', since) order by operator), '[]')
    from paused) as paused,
  (select coalesce(jsonb_agg(jsonb_build_object('operator', operator, 'slot', slot) order by id), '[]')
    from operator_order where kind = 'rebind' and id > $1) as rebinds`;

export async function readOrders(db: Queryable, after: number): Promise<Orders> {
  interface Row extends Omit<Orders, 'paused'> {
    paused: (Omit<OperatorPause, 'since'> & { since: string })[];
  }
  const row = (await db.query<Row>({ name: 'operators.orders', text, values: [after] })).rows[0];
  if (!row) throw new Error('the orders have no answer');
  return { ...row, paused: row.paused.map((pause) => ({ ...pause, since: new Date(pause.since) })) };
}
