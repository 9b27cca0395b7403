// Rows of receipts that matched no message yet, and of reports that could not be read. They are looked through again, because a
// carrier's receipt may be faster than its own answer.

import { type Columns, columns } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { numberReferenceOf } from './references.ts';

const parked = columns({
  id: 'text',
  operator: 'text',
  reference: 'text',
  number: 'text',
  reason: 'text',
  receipt: 'json',
  raw: 'text',
  received_at: 'ms',
});

export type ParkedRow = typeof parked extends Columns<infer Row> ? Row : never;

const insertText = `insert into parked_receipt (${parked.names.join(', ')}) ${parked.select(1)}`;

export async function parkReceipts(db: Queryable, rows: readonly ParkedRow[]): Promise<void> {
  await db.query({ name: 'park', text: insertText, values: parked.parameters(rows) });
}

// Each receipt is looked up by index, for each of its ids and then for its phone: LIMIT keeps the planner from comparing all
// receipts with all references, which with thousands of each never ended.
const matchableText = `
select p.id, p.receipt from parked_receipt p
cross join lateral (
  select from (
    select r.reference from jsonb_array_elements_text(p.receipt -> 'references') as r(reference)
    union all
    select ${numberReferenceOf('p.number')} where p.received_at < now() - $2::integer * interval '1 millisecond'
  ) w
  cross join lateral (
    select from operator_reference f where f.operator = p.operator and f.reference = w.reference
      and (p.number is null or f.number = p.number) limit 1
  ) known limit 1
) matched
where p.receipt is not null and p.received_at > now() - $3::double precision * interval '1 millisecond'
order by p.received_at limit $1`;

export interface Matchable {
  limit: number;
  /** From this age on a receipt may be matched by its phone alone. */
  guessAfterMs: number;
  /** Older ones are not looked at: what matches nothing stays for the whole retention, and is many. */
  withinMs: number;
}

/** Receipts whose message is known by now, the oldest first. `receipt` is what was parked. */
export async function matchableReceipts(
  db: Queryable,
  { limit, guessAfterMs, withinMs }: Matchable,
): Promise<{ id: string; receipt: unknown }[]> {
  const values = [limit, guessAfterMs, withinMs];
  return (await db.query<{ id: string; receipt: unknown }>({ name: 'parked.matchable', text: matchableText, values }))
    .rows;
}

export async function removeParked(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query({ name: 'parked.remove', text: 'delete from parked_receipt where id = any ($1)', values: [ids] });
}

export async function countParked(db: Queryable): Promise<number> {
  const text = 'select count(*)::integer as n from parked_receipt';
  const { rows } = await db.query<{ n: number }>({ name: 'parked.count', text, values: [] });
  return rows[0]?.n ?? 0;
}
