// Every table of a database, searched for a text: what a dump would show.
import { type Kysely, sql } from 'kysely';

/** Rows that have the text in them, as text, by table; partitions by the table that they are of. */
export async function rowsNaming(dbs: readonly Kysely<unknown>[], text: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const db of dbs) {
    const { rows: tables } = await sql<{ name: string; table: string }>`
      select c.relname as name, coalesce(p.relname, c.relname) as table from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`.execute(db);
    for (const { name, table } of tables) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t
        where position(${text} in t::text) > 0`.execute(db);
      if (rows.length > 0) found[table] = [...(found[table] ?? []), ...rows.map((row) => row.text)];
    }
  }
  return found;
}

/** Tables with a column for the account. */
export async function tablesOfAccounts(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    order by c.relname`.execute(db);
  return rows.map(({ name }) => name);
}
