// Statements over the webhooks of suspended accounts. What is held is a retry that is due at no time, so no claim walks over it; when its
// account is resumed it is made due again, the oldest first, with its attempts as they were.

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

// The account is locked against `resume`: a statement that comes too late finds it resumed, and holds nothing.
const holdText = `
with i as materialized (${hold.select(2)}),
stopped as materialized (
  select id from account where id in (select account_id from i) and suspended_at is not null order by id for share
),
mine as materialized (
  select d.endpoint_id, d.event_id, d.account_id from i join webhook_delivery d on ${on('d', 'i', ...key)}
  where i.account_id = any (array(select id from stopped)) and d.status = 'pending' and d.attempts = i.attempts
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

/** Whether each was held, in the order of `items`. False where the account is not suspended, or another process has the row. */
export async function holdDeliveries(db: Queryable, holder: string, items: readonly Hold[]): Promise<boolean[]> {
  type Row = { event_id: string; endpoint_id: string; held: boolean };
  const values = [holder, ...hold.parameters(items)];
  const { rows } = await db.query<Row>({ name: 'webhook.hold', text: holdText, values });
  const held = new Set(rows.filter((row) => row.held).map((row) => `${row.event_id} ${row.endpoint_id}`));
  return items.map(({ event_id, endpoint_id }) => held.has(`${event_id} ${endpoint_id}`));
}

const releaseText = `
with one as materialized (
  select id from account where webhooks_held and suspended_at is null order by id limit 1 for no key update skip locked
),
held as materialized (
  select endpoint_id, event_id from webhook_retry
  where next_at is null and account_id = (select id from one) order by event_id limit $2 for update
),
released as (
  update webhook_retry r set next_at = to_timestamp($1::bigint / 1000.0) from held where ${on('r', 'held', ...key)}
),
done as (
  update account set webhooks_held = false where id = (select id from one) and (select count(*) from held) < $2
)
select (select count(*) from one)::integer as accounts`;

/**
 * Makes due what was held for one account that has been resumed, at most `limit` rows. One process at a time does it for an account.
 * Returns whether there was such an account: then there may be more to release.
 */
export async function releaseHolds(db: Queryable, { now, limit }: { now: number; limit: number }): Promise<boolean> {
  const { rows } = await db.query<{ accounts: number }>({
    name: 'webhook.release_holds',
    text: releaseText,
    values: [now, limit],
  });
  return rows[0]?.accounts === 1;
}
