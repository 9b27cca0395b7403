// The mark: what came of an attempt, stored in the row of its delivery, in the table of retries, and in the health of its endpoint. A mark
// changes no column that an index holds, so that the new row lies on the page of the old one (HOT).

import { type Columns, columns, on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';

const key = ['endpoint_id', 'event_id'] as const;

const mark = columns({
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts before this one.
  attempts: 'integer',
  // False where the row is finished without a request.
  attempted: 'boolean',
  status: 'text',
  // Of the next attempt; null where there is none.
  next_at: 'ms',
  last_status: 'integer',
  last_error: 'text',
  at: 'ms',
});

export type Mark = typeof mark extends Columns<infer Row> ? Row : never;

export interface Marked {
  /** False where another mark came first. */
  stored: boolean;
  /** Since when the endpoint has failed without a success in between, Unix ms; null while it works or is gone. */
  failingSince: number | null;
}

// A row may be posted twice (a lease ran out, a process died): then the first mark of an attempt counts, and the word
// that it was delivered wins over everything. Rows and endpoints are locked in one order, that of the batch, so that batches never deadlock;
// a delivery is locked before its retry.
const markText = `
with i as materialized (${mark.select(1)}),
stored as (
  update webhook_delivery d set status = i.status, last_error = i.last_error,
    attempts = greatest(d.attempts, i.attempts + i.attempted::integer),
    last_status = case when i.attempted then i.last_status else d.last_status end,
    delivered_at = case when i.status = 'delivered' then i.at else d.delivered_at end
  from i where ${on('d', 'i', ...key)} and case when i.status = 'delivered' then d.status <> 'delivered'
    else d.status = 'pending' and d.attempts = i.attempts end
  returning d.event_id, d.endpoint_id, d.account_id, i.status, i.next_at
),
later as (
  insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
  select endpoint_id, event_id, account_id, next_at from stored where status = 'pending'
  on conflict (endpoint_id, event_id) do update set next_at = excluded.next_at, holder = null
),
done as (
  delete from webhook_retry r using stored where stored.status <> 'pending' and ${on('r', 'stored', ...key)}
),
tried as materialized (
  select endpoint_id, bool_or(status = 'delivered') as works, min(at) as at from i where attempted group by endpoint_id
),
turned as materialized (
  select w.id, t.works, t.at from tried t join webhook_endpoint w on w.id = t.endpoint_id
  where (w.failing_since is null) <> t.works order by w.id for update of w
),
health as (
  update webhook_endpoint w set failing_since = case when turned.works then null else turned.at end
  from turned where w.id = turned.id returning w.id, w.failing_since
)
select i.event_id, i.endpoint_id, (stored.event_id is not null) as stored,
  case when health.id is null then w.failing_since else health.failing_since end as failing_since
from i left join stored on ${on('stored', 'i', ...key)}
left join health on health.id = i.endpoint_id left join webhook_endpoint w on w.id = i.endpoint_id`;

const inOrder = (a: Mark, b: Mark): number => compare(a.event_id, b.event_id) || compare(a.endpoint_id, b.endpoint_id);
const compare = (a: string | null, b: string | null): number => {
  const [one, other] = [a ?? '', b ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** Stores outcomes, and what they say about the endpoints' health; answers in the order of `items`. */
export async function markDeliveries(db: Queryable, items: readonly Mark[]): Promise<Marked[]> {
  type Row = { event_id: string; endpoint_id: string; stored: boolean; failing_since: Date | null };
  const values = mark.parameters(items.toSorted(inOrder));
  const { rows } = await db.query<Row>({ name: 'webhook.mark', text: markText, values });
  const byKey = new Map(rows.map((row) => [`${row.event_id} ${row.endpoint_id}`, row]));
  return items.map((item) => {
    const row = byKey.get(`${item.event_id} ${item.endpoint_id}`);
    return { stored: row?.stored ?? false, failingSince: row?.failing_since?.getTime() ?? null };
  });
}
