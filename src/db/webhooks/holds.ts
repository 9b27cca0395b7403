// Statements over the webhooks of suspended accounts. A row that is held is due in a thousand years, so no claim walks over it;
// when its account is resumed the row is made due again, the oldest first, with its attempts as they were.

import { type Columns, columns, on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';

const key = ['account_id', 'event_id', 'endpoint_id'] as const;
const far = `interval '1000 years'`;
/** Only what is held is due after this. */
const farOff = `now() + interval '500 years'`;

const hold = columns({
  account_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts so far: a row that was tried meanwhile is another process's.
  attempts: 'integer',
  holder: 'text',
});

export type Hold = typeof hold extends Columns<infer Row> ? Row : never;

// The account is locked against `resume`: a statement that comes too late finds it resumed, and holds nothing.
const holdText = `
with i as materialized (${hold.select(1)}),
stopped as materialized (
  select id from account where id in (select account_id from i) and suspended_at is not null order by id for share
),
-- By an array: joined with the account alone, all rows of it would be read for each.
wanted as materialized (select * from i where account_id = any (array(select id from stopped))),
mine as materialized (
  select d.account_id, d.event_id, d.endpoint_id from wanted i join webhook_delivery d on ${on('d', 'i', ...key)}
  where d.status = 'pending' and d.attempts = i.attempts and d.holder = i.holder
  order by d.event_id, d.endpoint_id for update of d
),
held as (
  update webhook_delivery d set next_at = d.created_at + ${far}, holder = null from mine where ${on('d', 'mine', ...key)}
  returning d.event_id, d.endpoint_id
)
select i.event_id, i.endpoint_id, (held.event_id is not null) as held
from i left join held on ${on('held', 'i', 'event_id', 'endpoint_id')}`;

/** Whether each was held, in the order of `items`. False where the account is not suspended, or another process has the row. */
export async function holdDeliveries(db: Queryable, items: readonly Hold[]): Promise<boolean[]> {
  type Row = { event_id: string; endpoint_id: string; held: boolean };
  const { rows } = await db.query<Row>({ name: 'webhook.hold', text: holdText, values: hold.parameters(items) });
  const held = new Set(rows.filter((row) => row.held).map((row) => `${row.event_id} ${row.endpoint_id}`));
  return items.map(({ event_id, endpoint_id }) => held.has(`${event_id} ${endpoint_id}`));
}

const releaseText = `
with one as materialized (
  select id from account where webhooks_held and suspended_at is null order by id limit 1 for no key update skip locked
),
-- As an expression, or the planner takes the primary key, and with it every row the account ever had.
due as materialized (
  select d.account_id, d.event_id, d.endpoint_id, d.next_at from webhook_delivery d
  where d.next_at > ${farOff} and d.account_id || '' = (select id from one) order by d.next_at limit $2 for update of d
),
lined_up as materialized (
  select account_id, event_id, endpoint_id, row_number() over (order by next_at desc, event_id desc) as before from due
),
released as (
  update webhook_delivery d
  set next_at = to_timestamp($1::bigint / 1000.0) - lined_up.before * interval '1 microsecond'
  from lined_up where ${on('d', 'lined_up', ...key)}
),
done as (
  update account set webhooks_held = false where id = (select id from one) and (select count(*) from due) < $2
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

/** `next_at` as an account may see it: null for what is held, which is due at no known time. */
export const shownNextAt = `case when next_at < ${farOff} then next_at end as next_at`;
