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

// The last pause or resume of an operator holds; a second pause changes its reason, and not its beginning.
const text = `
with switched as (
  select distinct on (operator) operator, kind, reason, id from operator_order where kind <> 'rebind' order by operator, id desc
)
select
  (select coalesce(max(id), 0)::integer from operator_order) as last,
  (select coalesce(jsonb_agg(jsonb_build_object('operator', s.operator, 'reason', s.reason, 'since', (
      select min(o.ordered_at) from operator_order o where o.operator = s.operator and o.kind = 'pause'
        and o.id > coalesce((select max(r.id) from operator_order r where r.operator = s.operator and r.kind = 'resume'), 0)
    )) order by s.operator), '[]') from switched s where s.kind = 'pause') as paused,
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
