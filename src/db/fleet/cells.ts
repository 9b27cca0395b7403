// What a cell says of itself: the name it was given at its first use, by which databases that were taken for each other are noticed, and what is
// pending in it; and what the processes say of all cells.

import { homeCell } from '../../core/fleet/cells.ts';
import type { Queryable } from '../queryable.ts';

const named = { name: 'cell.name', text: 'select name from cell', values: [] };

/** The name of this cell; null where it was not used yet. */
export async function cellName(db: Queryable): Promise<string | null> {
  return (await db.query<{ name: string }>(named)).rows[0]?.name ?? null;
}

/** The same, which is `wanted` from now on where it has had none. */
export async function nameCell(db: Queryable, wanted: string): Promise<string> {
  const known = await cellName(db);
  if (known !== null) return known;
  // Two processes may start at once, and not with one setting.
  const text = 'insert into cell (name) values ($1) on conflict do nothing';
  await db.query({ name: 'cell.named', text, values: [wanted] });
  return (await cellName(db)) ?? wanted;
}

/** The setting with its URL. */
export const cellSetting = (cell: string): string =>
  cell === homeCell ? 'DATABASE_URL' : `DATABASE_CELLS.cells.${cell}`;

/** For the person who set its URL. @param own what its database says that it is */
export const mistakenCell = (cell: string, own: string): string =>
  `cell ${cell}: ${cellSetting(cell)} leads to the database of cell "${own}", as that says of itself: are two URLs in each other's place?`;

/** Names of the cells that the running processes work on, or those that ended last. @param home where the processes are */
export async function cellsInUse(home: Queryable): Promise<string[]> {
  const text = `select distinct jsonb_array_elements_text(key_ring -> 'cells') as name from process
    where lease_until >= (select max(lease_until) from process) - interval '1 minute'`;
  const { rows } = await home.query<{ name: string }>({ name: 'cell.in_use', text, values: [] });
  return rows.map(({ name }) => name);
}

/** Sessions that are pending in the cell. */
export async function countPending(db: Queryable): Promise<number> {
  // Places that sessions of other cells have taken here are none of its own (verify/places.ts).
  const text = `select count(*)::integer as pending from pending_number p
    where (select s.id from verify_session s where s.account_id = p.account_id and s.id = p.session_id) is not null`;
  const { rows } = await db.query<{ pending: number }>({ name: 'cell.pending', text, values: [] });
  return rows[0]?.pending ?? 0;
}
