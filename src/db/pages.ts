// Work on any number of rows, a bounded number with each statement: one over all of them would be canceled at its time limit, be undone as a
// whole, and have more to do the next time.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { withLocks } from './lock-patience.ts';

/** Runs `batch` until it does less than `limit`, or `stopping` is aborted. Returns how many that were in all. */
export async function inFullBatches(
  limit: number,
  batch: () => Promise<number>,
  stopping?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let last = limit; last === limit && !stopping?.aborted; count += last) last = await batch();
  return count;
}

/** Deletes rows that an index finds, `limit` with each statement. Returns how many. */
export const deleteInBatches = (
  db: Kysely<unknown>,
  table: string,
  which: RawBuilder<unknown>,
  limit: number,
  stopping?: AbortSignal,
): Promise<number> => {
  const batch = async () => {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${which} limit ${limit}))`.execute(db);
    return Number(numAffectedRows ?? 0);
  };
  return inFullBatches(limit, batch, stopping);
};

/** Of a table that is read through: 1 MB with each statement, ten thousand rows of a small table. */
const pagesPerStatement = 128;

/**
 * Changes rows that no index finds by `change` (SQL, up to its `where`), part after part of their table, which is read once. Rows in use are
 * left. Returns how many were changed.
 */
export async function changeThrough(
  db: Kysely<unknown>,
  table: string,
  which: RawBuilder<unknown>,
  change: RawBuilder<unknown>,
  stopping?: AbortSignal,
): Promise<number> {
  if (stopping?.aborted) return 0;
  const { rows } = await sql<{ pages: number }>`select ceil(pg_relation_size(to_regclass(${table}))
    / current_setting('block_size')::numeric)::integer as pages`.execute(db);
  const pages = rows[0]?.pages ?? 0;
  const place = (page: number) => sql`${`(${page},0)`}::tid`;
  let count = 0;
  for (let page = 0; page < pages && !stopping?.aborted; page += pagesPerStatement) {
    const { numAffectedRows } = await sql`${change} where ctid = any(array(
      select ctid from ${sql.table(table)}
      where ctid >= ${place(page)} and ctid < ${place(page + pagesPerStatement)} and ${which}
      for update skip locked))`.execute(db);
    count += Number(numAffectedRows ?? 0);
  }
  return count;
}

/** The same, deleting them. */
export const deleteThrough = (
  db: Kysely<unknown>,
  table: string,
  which: RawBuilder<unknown>,
  stopping?: AbortSignal,
): Promise<number> => changeThrough(db, table, which, sql`delete from ${sql.table(table)}`, stopping);

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

/**
 * Reads through a table that has no index for what is looked for, page after page by its key, each in a short transaction of its own. Returns how
 * many rows were changed or deleted.
 */
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
