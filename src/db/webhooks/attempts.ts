// The mark: what came of an attempt, stored in the row of its delivery and in the table of retries. A mark changes no column that an index
// holds, so that the new row lies on the page of the old one (HOT).

import { type Columns, columns, on } from '../columns.ts';
import { inPlace, PlacedStatements } from '../partitions/places.ts';
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

/** As many as the column holds; a client may redeliver as often as it likes. */
const mostAttempts = 32_767;

// A row may be posted twice (a lease ran out, a process died): then the first mark of an attempt counts, and the word
// that it was delivered wins over everything. Rows are locked in one order, that of the batch, so that batches never deadlock; a delivery is
// locked before its retry.
/** `deliveries`: a name for SQL of what holds the rows: a partition, or the whole table. */
export const markText = (deliveries: string) => `
with i as materialized (${mark.select(1)}),
stored as (
  update ${deliveries} d set status = i.status, last_error = i.last_error,
    attempts = least(${mostAttempts}, greatest(d.attempts, i.attempts + i.attempted::integer)),
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
)
select event_id, endpoint_id from stored`;

const statements = new PlacedStatements();

const inOrder = (a: Mark, b: Mark): number => compare(a.event_id, b.event_id) || compare(a.endpoint_id, b.endpoint_id);
const compare = (a: string | null, b: string | null): number => {
  const [one, other] = [a ?? '', b ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** Whether each outcome was stored, in the order of `items`: false where another mark came first. */
export async function markDeliveries(db: Queryable, items: readonly Mark[]): Promise<boolean[]> {
  type Row = { event_id: string; endpoint_id: string };
  const values = mark.parameters(items.toSorted(inOrder));
  const { rows } = await inPlace(db, (placeOf) => {
    const place = placeOf(
      'webhook_delivery',
      items.map(({ event_id }) => event_id ?? ''),
    );
    const statement = statements.get('webhook.mark', { webhook_delivery: place }, () => markText(place));
    return db.query<Row>({ ...statement, values });
  });
  const stored = new Set(rows.map((row) => `${row.event_id} ${row.endpoint_id}`));
  return items.map((item) => stored.has(`${item.event_id} ${item.endpoint_id}`));
}
