// Reading through a table that has no index for numbers: page after page by its key, each in a short transaction of its own.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { withLocks } from '../lock-patience.ts';

export interface Paged {
  /** SQL: what of each row `change` needs, the key among it. */
  columns: RawBuilder<unknown>;
  table: string;
  /** Rows are in its order; several may share a value. */
  key: string;
  where?: RawBuilder<boolean>;
  /** SQL: an update or a deletion of rows of `page`. */
  change: RawBuilder<unknown>;
  /** Rows looked at with one statement. */
  perPage: number;
}

/** Rows that were changed or deleted. */
export async function changeInPages(db: Kysely<unknown>, paged: Paged): Promise<number> {
  const { columns, table, where = sql<boolean>`true`, change, perPage } = paged;
  const key = sql.ref(paged.key);
  let count = 0;
  for (let after = ''; ; ) {
    const page = await withLocks(db, async (tx) => {
      const { rows } = await sql<{ last: string | null; looked: number; changed: number }>`
        with page as materialized (
          select ${columns} from ${sql.table(table)} where ${key} > ${after} and ${where}
          order by ${key} fetch first ${sql.lit(perPage)} rows with ties
        ),
        changed as (${change} returning 1)
        select (select max(${key}) from page) as last, (select count(*)::integer from page) as looked,
          (select count(*)::integer from changed) as changed`.execute(tx);
      return rows[0];
    });
    count += page?.changed ?? 0;
    if (!page?.last || page.looked < perPage) return count;
    after = page.last;
  }
}
