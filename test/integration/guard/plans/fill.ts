// Very many rows like those that a story left: copied inside the database, with the columns changed that must differ.
import pg from 'pg';

const rows = 200_000;

/** Over, or due tomorrow: whatever loops run, they find as much to do as before. */
const n = (column: string) => `left(${column}, length(${column}) - 9) || lpad(n::text, 9, '0')`;
const number = `'+213664' || lpad((n % 100000)::text, 6, '0')`;
const overlong = `lpad(n::text, 12, '0')`;

/** One in a hundred; of fewer the planner's samples would say now this, now that. */
const due = `case when n % 100 = 0 then now() + interval '1 day' + n * interval '1 ms' end`;

interface Copy {
  table: string;
  /** What a row is copied from, where the story leaves none in the table. Default: the table. */
  from?: string;
  count: number;
  /** SQL by column; the other columns stay as in the row that is copied. */
  changed: Record<string, string>;
}

const copies: readonly Copy[] = [
  {
    table: 'verify_session',
    count: rows,
    changed: {
      id: n('id'),
      number,
      status: `case when n % 400 = 7 then 'failed' else 'verified' end`,
      client_reference: `case when n % 10 = 0 then 'login' else 'order-' || n end`,
      next_at: due,
      holder: 'null',
    },
  },
  { table: 'session_timeline', count: rows, changed: { session_id: n('session_id'), entries: `'[]'` } },
  { table: 'message', count: rows, changed: { id: n('id'), session_id: n('session_id'), receipts: `'[]'` } },
  {
    table: 'receipt',
    count: rows,
    changed: { id: n('id'), session_id: n('session_id'), message_id: n('message_id'), raw: `''` },
  },
  {
    table: 'operator_reference',
    count: rows,
    changed: { reference: overlong, message_id: n('message_id'), session_id: n('session_id'), number },
  },
  {
    table: 'webhook_delivery',
    count: rows,
    changed: {
      event_id: n('event_id'),
      session_id: n('session_id'),
      status: `case when n % 400 = 3 then 'failed' else 'delivered' end`,
      holder: 'null',
      body: `'{}'`,
    },
  },
  {
    table: 'webhook_retry',
    count: 50_000,
    changed: { event_id: n('event_id'), next_at: due, holder: 'null' },
  },
  { table: 'idempotency', count: 50_000, changed: { key: overlong, answer: `'{}'` } },
  { table: 'parked_receipt', count: 10_000, changed: { id: n('id'), reference: overlong } },
  {
    table: 'pending_number',
    count: 50_000,
    changed: { shard: 'n % 1024', number, session_id: n('session_id') },
  },
  {
    table: 'unsettled',
    from: `(select 0 as shard, id as session_id, account_id from verify_session)`,
    count: 50_000,
    changed: { shard: 'n % 1024', session_id: n('session_id') },
  },
  {
    // A route that no process has.
    table: 'route_queue',
    from: `(select 'sms/nobody' as route, id as session_id, account_id from verify_session)`,
    count: 50_000,
    changed: { session_id: n('session_id') },
  },
  { table: 'number_failure', count: 50_000, changed: { number } },
  { table: 'rate_bucket', count: 50_000, changed: { key: overlong } },
  { table: 'account', count: 10_000, changed: { id: n('id') } },
  { table: 'account_setting', count: 10_000, changed: { account_id: n('account_id') } },
  { table: 'api_key', count: 20_000, changed: { id: n('id'), account_id: n('account_id') } },
  { table: 'webhook_endpoint', count: 10_000, changed: { id: n('id'), account_id: n('account_id') } },
  { table: 'sender_id', count: 10_000, changed: { id: n('id'), account_id: n('account_id'), name: overlong } },
  { table: 'sender_decision', count: 10_000, changed: { sender_id: n('sender_id') } },
  { table: 'account_autofill', count: 10_000, changed: { account_id: n('account_id') } },
];

/** It would work beside the copies, and see statistics that are true for a moment only. */
const withoutAutovacuum = `do $$ declare name text; begin
  for name in select oid::regclass from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
    execute format('alter table %s set (autovacuum_enabled = false)', name);
  end loop;
end $$`;

/** Two at a time. @throws where the story left no row to copy. */
export async function fill(url: string): Promise<void> {
  const clients = [1, 2].map(() => new pg.Client({ connectionString: url }));
  const each = async (work: (client: pg.Client, table: Copy) => Promise<unknown>) => {
    const left = [...copies];
    const run = async (client: pg.Client) => {
      for (let next = left.shift(); next; next = left.shift()) await work(client, next);
    };
    await Promise.all(clients.map(run));
  };
  try {
    await Promise.all(clients.map((client) => client.connect()));
    // Keys of rows that are copied refer to rows that are copied too, in whatever order.
    await Promise.all(clients.map((client) => client.query(`set session_replication_role = 'replica'`)));
    // Statistics of 300,000 rows are of all of them: a sample would say now this, now that.
    await Promise.all(clients.map((client) => client.query('set default_statistics_target = 1000')));
    await clients[0]?.query(withoutAutovacuum);
    await each(copy);
    // Not before all have committed: what another may still look at is visible to nobody's index-only scan.
    await each((client, { table }) => client.query(`vacuum (analyze) ${table}`));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function copy(client: pg.Client, { table, from = table, count, changed }: Copy): Promise<void> {
  const columns = await columnsOf(client, table);
  const unknown = Object.keys(changed).filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has no column ${unknown.join(', ')}`);
  const values = columns.map((name) => changed[name] ?? `t."${name}"`).join(', ');
  const { rowCount } = await client.query(`insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')})
    select ${values} from (select * from ${from} one limit 1) t, generate_series(1, ${count}) n on conflict do nothing`);
  if ((rowCount ?? 0) < count / 2) throw new Error(`the story left no row of ${table} to copy: ${rowCount} rows`);
}

async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows: found } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
    [table],
  );
  return found.map(({ column }) => column);
}
