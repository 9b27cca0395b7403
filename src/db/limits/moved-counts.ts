// What is counted of a number, on its way from the cell that its shard has left: wrong codes and sends. It is read there, added here, and deleted
// there where it is still as it was read. Each step may be done twice, so that a process that dies between two of them
// has lost nothing.

import type { Mode } from '../../core/verify/session.ts';
import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';
import { ownKey, sharedKey } from './number-tokens.ts';

export interface NumberKey {
  accountId: string;
  mode: Mode;
  number: string;
}

/** Rows as JSON, as the database writes it: no digit of a time or of a token is lost. */
export interface NumberCounts {
  /** Of `number_failure`. */
  failures: readonly string[];
  /** Of `rate_bucket`. */
  buckets: readonly string[];
}

export const noCounts: NumberCounts = { failures: [], buckets: [] };

const keys = record<NumberKey>()({ accountId: 'text', mode: 'text', number: 'text' });

const readText = `
with k as materialized (select distinct * from (${keys.select(1)}) each)
select 'failures' as kind, to_jsonb(n)::text as json
from k join number_failure n on n.account_id = k.account_id and n.mode = k.mode and n.number = k.number
union all select 'buckets', to_jsonb(b)::text from rate_bucket b where b.key = any(array(
  select ${ownKey('k')} from k where k.mode = 'live' union select ${sharedKey('k')} from k where k.mode = 'live'))`;

export async function readCounts(db: Queryable, wanted: readonly NumberKey[]): Promise<NumberCounts> {
  type Row = { kind: keyof NumberCounts; json: string };
  const { rows } = await db.query<Row>({ name: 'counts.read', text: readText, values: keys.parameters(wanted) });
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).map(({ json }) => json);
  return { failures: of('failures'), buckets: of('buckets') };
}

// Where both cells have counted, which only the moment of a move can cause, the stricter count holds.
const addText = `
with failures as (
  insert into number_failure as n
  select f.* from unnest($1::jsonb[]) j cross join lateral jsonb_populate_record(null::number_failure, j) f
  order by f.account_id, f.mode, f.number
  on conflict (account_id, mode, number) do update set
    failures = greatest(case when n.window_ends_at > now() then n.failures end,
      case when excluded.window_ends_at > now() then excluded.failures end, 0),
    window_ends_at = greatest(n.window_ends_at, excluded.window_ends_at),
    failures_in_row = greatest(n.failures_in_row, excluded.failures_in_row),
    needs_unlock = n.needs_unlock or excluded.needs_unlock
)
insert into rate_bucket as b
select r.* from unnest($2::jsonb[]) j cross join lateral jsonb_populate_record(null::rate_bucket, j) r order by r.key
on conflict (key) do update set tokens = least(b.tokens, excluded.tokens),
  day_tokens = least(b.day_tokens, excluded.day_tokens), updated_at = greatest(b.updated_at, excluded.updated_at)`;

/** Each row at most once. */
export async function addCounts(db: Queryable, { failures, buckets }: NumberCounts): Promise<void> {
  await db.query({ name: 'counts.add', text: addText, values: [failures, buckets] });
}

const deleteText = `
with failures as (
  delete from number_failure n using unnest($1::jsonb[]) j
  where n.account_id = j ->> 'account_id' and n.mode = j ->> 'mode' and n.number = j ->> 'number' and to_jsonb(n) = j
)
delete from rate_bucket b using unnest($2::jsonb[]) j where b.key = j ->> 'key' and to_jsonb(b) = j`;

/** Deletes the counts that are still as they were read. */
export async function deleteCounts(db: Queryable, { failures, buckets }: NumberCounts): Promise<void> {
  await db.query({ name: 'counts.delete', text: deleteText, values: [failures, buckets] });
}

/** One page of all wrong codes that are counted here, in the order of their keys; `after`: the last key of the page before. */
export async function failuresAfter(db: Queryable, after: NumberKey | null, limit: number): Promise<CountedFailures[]> {
  type Row = { account_id: string; mode: Mode; number: string; json: string };
  const { rows } = await db.query<Row>({
    name: 'counts.page',
    text: `select account_id, mode, number, to_jsonb(n)::text as json from number_failure n
      where (account_id, mode, number) > ($1, $2, $3) order by account_id, mode, number limit $4`,
    values: [after?.accountId ?? '', after?.mode ?? '', after?.number ?? '', limit],
  });
  return rows.map(({ account_id: accountId, mode, number, json }) => ({ accountId, mode, number, json }));
}

export interface CountedFailures extends NumberKey {
  json: string;
}
