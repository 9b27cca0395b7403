// Every row of one account and mode, table by table, as JSON: what nobody else's call may change.
import { type Kysely, sql } from 'kysely';

/** `last_used_at` tells of the account's own calls, a little later. */
const passedOver = ['last_used_at'];

interface Table {
  name: string;
  columns: string[];
}

/** What is of no mode (the account itself, its WhatsApp account) is in the dump of either. */
export async function dumpOf(db: Kysely<never>, accountId: string, mode: string): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await sql<Table>`
    select c.table_name as name, array_agg(c.column_name::text) as columns from information_schema.columns c
    join pg_class on pg_class.relname = c.table_name and not relispartition and relkind in ('r', 'p')
    where c.table_schema = 'public' group by c.table_name order by c.table_name`.execute(db);
  const dump: Record<string, unknown[]> = {};
  for (const { name, columns } of tables) {
    const condition = conditionOf({ name, columns }, accountId, mode);
    if (!condition) continue;
    const row = sql`to_jsonb(t) - ${passedOver}::text[]`;
    const { rows } = await sql<{ row: unknown }>`
      select ${row} as row from ${sql.table(name)} t where ${condition} order by 1`.execute(db);
    dump[name] = rows.map((each) => each.row);
  }
  return dump;
}

function conditionOf({ name, columns }: Table, accountId: string, mode: string) {
  const ofAccount = sql`t.account_id = ${accountId}`;
  // Only live messages cost anything.
  if (name === 'budget' && mode === 'test') return undefined;
  if (name === 'account') return sql`t.id = ${accountId}`;
  if (columns.includes('sender_id') && !columns.includes('account_id')) {
    return sql`t.sender_id in (select id from sender_id where account_id = ${accountId} and mode = ${mode})`;
  }
  const ofSession = sql`t.session_id in (select id from verify_session where account_id = ${accountId} and mode = ${mode})`;
  if (!columns.includes('account_id')) return columns.includes('session_id') ? ofSession : undefined;
  if (columns.includes('mode')) return sql`${ofAccount} and t.mode = ${mode}`;
  if (columns.includes('endpoint_id')) {
    return sql`t.endpoint_id in (select id from webhook_endpoint where account_id = ${accountId} and mode = ${mode})`;
  }
  if (!columns.includes('session_id')) return ofAccount;
  return sql`${ofAccount} and ${ofSession}`;
}
