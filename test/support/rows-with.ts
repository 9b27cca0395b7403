// Everything that a database holds, searched for a phone number in whatever form: what a dump would show.
import { type Kysely, sql } from 'kysely';
import { formsOf } from '../../src/core/erasure/number-forms.ts';

/** Rows that have the number in any form, by table, as text. */
export async function rowsWith(db: Kysely<unknown>, number: string): Promise<Record<string, string[]>> {
  const { pattern } = formsOf(number);
  const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`.execute(db);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t
      where t::text ~ ${pattern}`.execute(db);
    if (rows.length > 0) found[name] = rows.map(({ text }) => text);
  }
  return found;
}
