// The plan of a statement as the lanes run it: made once, for any values. Not by `explain (generic_plan)`, which came with Postgres 16.
import type pg from 'pg';

/** `format`: the plan is a line a row, or an object in the only one. */
export async function genericPlan<Line = string>(
  client: pg.ClientBase,
  text: string,
  format: 'text' | 'json' = 'text',
): Promise<Line[]> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
  const values = count > 0 ? `(${Array(count).fill('null').join(', ')})` : '';
  await client.query(`begin; set local plan_cache_mode = force_generic_plan; prepare looked_at as ${text}`);
  const { rows } = await client.query<{ 'QUERY PLAN': Line }>(`explain (format ${format}) execute looked_at${values}`);
  await client.query('deallocate looked_at; commit');
  return rows.map((row) => row['QUERY PLAN']);
}
