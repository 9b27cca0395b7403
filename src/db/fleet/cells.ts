// What a cell says of itself, for the person who looks after several.

import type { Queryable } from '../queryable.ts';

/** Sessions that are pending in the cell. */
export async function countPending(db: Queryable): Promise<number> {
  // Places that sessions of other cells have taken here are none of its own (verify/places.ts).
  const text = `select count(*)::integer as pending from pending_number p
    where (select s.id from verify_session s where s.account_id = p.account_id and s.id = p.session_id) is not null`;
  const { rows } = await db.query<{ pending: number }>({ name: 'cell.pending', text, values: [] });
  return rows[0]?.pending ?? 0;
}
