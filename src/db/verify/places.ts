// Places of pending sessions in a cell that their shard has left. A session that is opened in the new cell takes the place of its number and purpose
// in the old one as well: so a process that does not know yet that the shard has moved opens no second one there.

import { lowestId } from '../../core/ids.ts';
import type { Mode, Session } from '../../core/verify/session.ts';
import { on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';

type Placed = Pick<Session, 'id' | 'accountId' | 'mode' | 'to' | 'purpose'>;

const places = record<Placed & { shard: number }>()({
  shard: 'integer',
  accountId: 'text',
  mode: 'text',
  to: ['text', 'number'],
  purpose: 'text',
  id: 'text',
});
const key = ['shard', 'account_id', 'mode', 'number', 'purpose'];

// A place that another session of the new cell has taken is worth nothing here: which of them is pending is known there.
const holdText = `
with w as materialized (${places.select(1)}),
held as (
  insert into pending_number as p (${key.join(', ')}, session_id)
  select ${key.join(', ')}, min(id) from w group by ${key.join(', ')} order by ${key.join(', ')}
  on conflict (${key.join(', ')}) do update set session_id = excluded.session_id where p.session_id >= $${places.count + 1}
  returning ${key.map((name) => `p.${name}`).join(', ')}
)
select w.id, coalesce(p.session_id, '') as taken
from w left join pending_number p on ${on('p', 'w', ...key)}
where not exists (select from held h where ${on('h', 'w', ...key)})`;

/**
 * Takes the places of sessions that are opened elsewhere; `leftAt`: when their shards left this cell, Unix ms. Returns, for those whose
 * place a session of this cell has, its id, or '' where that is not known.
 */
export async function holdPlaces(
  db: Queryable,
  wanted: readonly (Placed & { shard: number })[],
  leftAt: number,
): Promise<Map<string, string>> {
  const values = [...places.parameters(wanted), lowestId('vrf_', leftAt)];
  const { rows } = await db.query<{ id: string; taken: string }>({ name: 'places.hold', text: holdText, values });
  return new Map(rows.map(({ id, taken }) => [id, taken]));
}

/** Frees a place, where that session still has it. */
export async function freePlace(
  db: Queryable,
  { shard, accountId, mode, number, purpose, sessionId }: PlaceKey & { sessionId: string },
): Promise<void> {
  const text = `delete from pending_number
    where shard = $1 and account_id = $2 and mode = $3 and number = $4 and purpose = $5 and session_id = $6`;
  await db.query({ name: 'places.free', text, values: [shard, accountId, mode, number, purpose, sessionId] });
}

interface PlaceKey {
  shard: number;
  accountId: string;
  mode: Mode;
  number: string;
  purpose: string;
}

/** Frees all places in a shard that sessions of other cells took from `leftAt` until `until`, Unix ms. Returns how many. */
export async function freePlaces(db: Queryable, shards: readonly number[], leftAt: number, until: number) {
  const { rowCount } = await db.query({
    name: 'places.free_all',
    text: 'delete from pending_number where shard = any($1::smallint[]) and session_id >= $2 and session_id < $3',
    values: [shards, lowestId('vrf_', leftAt), lowestId('vrf_', until)],
  });
  return rowCount ?? 0;
}
