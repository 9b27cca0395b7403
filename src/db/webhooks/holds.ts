// Statements over the webhooks of suspended accounts. What is held is a retry that is due at no time, so no claim walks over it; when its
// account is resumed it is made due again, the oldest first, with its attempts as they were. Which accounts are suspended is known at home, and
// what is held where the deliveries are: the process that looks around there asks home whether any of these accounts has been resumed.

import { type Columns, columns, on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';

const key = ['endpoint_id', 'event_id'] as const;

const hold = columns({
  account_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts so far: a row that was tried meanwhile is another process's.
  attempts: 'integer',
});

export type Hold = typeof hold extends Columns<infer Row> ? Row : never;

/** The ids of these accounts that are suspended. */
export async function suspendedAccounts(home: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const text = 'select id from account where id = any ($1::text[]) and suspended_at is not null';
  const { rows } = await home.query<{ id: string }>({ name: 'webhook.suspended', text, values: [ids] });
  return new Set(rows.map(({ id }) => id));
}

const holdText = `
with i as materialized (${hold.select(2)}),
mine as materialized (
  select d.endpoint_id, d.event_id, d.account_id from i join webhook_delivery d on ${on('d', 'i', ...key)}
  where d.status = 'pending' and d.attempts = i.attempts
  order by d.event_id, d.endpoint_id
),
held as (
  insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
  select endpoint_id, event_id, account_id, null from mine
  on conflict (endpoint_id, event_id) do update set next_at = null, holder = null where webhook_retry.holder = $1
  returning event_id, endpoint_id
)
select i.event_id, i.endpoint_id, (held.event_id is not null) as held
from i left join held on ${on('held', 'i', ...key)}`;

/** Whether each was held, in the order of `items`. False where another process has the row. */
export async function holdDeliveries(db: Queryable, holder: string, items: readonly Hold[]): Promise<boolean[]> {
  type Row = { event_id: string; endpoint_id: string; held: boolean };
  const values = [holder, ...hold.parameters(items)];
  const { rows } = await db.query<Row>({ name: 'webhook.hold', text: holdText, values });
  const held = new Set(rows.filter((row) => row.held).map((row) => `${row.event_id} ${row.endpoint_id}`));
  return items.map(({ event_id, endpoint_id }) => held.has(`${event_id} ${endpoint_id}`));
}

// One look into the index for each account, however much it has.
const heldText = `
with recursive held(account_id) as (
  (select account_id from webhook_retry where next_at is null and account_id > $1 order by account_id limit 1)
  union all
  select (select r.account_id from webhook_retry r where r.next_at is null and r.account_id > held.account_id order by r.account_id limit 1)
  from held where held.account_id is not null
)
select account_id from held where account_id is not null limit $2`;

/** Accounts for which something is held here, a page of those behind `after`, in their order. */
export async function heldAccounts(
  db: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const values = [after, limit];
  const { rows } = await db.query<{ account_id: string }>({ name: 'webhook.held', text: heldText, values });
  return rows.map(({ account_id }) => account_id);
}

const releaseText = `
with held as materialized (
  select endpoint_id, event_id from webhook_retry
  where next_at is null and account_id = $3 order by event_id limit $2 for update skip locked
)
update webhook_retry r set next_at = to_timestamp($1::bigint / 1000.0) from held where ${on('r', 'held', ...key)}`;

/** Makes due what is held for an account, at most `limit` rows, the oldest first. Returns how many. */
export async function releaseHolds(
  db: Queryable,
  accountId: string,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const values = [now, limit, accountId];
  const { rowCount } = await db.query({ name: 'webhook.release_holds', text: releaseText, values });
  return rowCount ?? 0;
}
