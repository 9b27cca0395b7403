// The plan of a statement as the lanes run it. Not by `explain (generic_plan)`, which came with Postgres 16.
import type pg from 'pg';

/** @param pool whose connections plan once for any values (plan_cache_mode = force_generic_plan). */
export async function genericPlan(pool: pg.Pool, text: string): Promise<string> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
  const values = count > 0 ? `(${Array(count).fill('null').join(', ')})` : '';
  const client = await pool.connect();
  try {
    await client.query(`prepare looked_at as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute looked_at${values}`);
    await client.query('deallocate looked_at');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    client.release();
  }
}
