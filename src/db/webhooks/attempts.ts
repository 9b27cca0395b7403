// The hot statements of webhook delivery: claims of rows that are due, and marks of their outcomes. One row is one event for one endpoint; it is
// due when `next_at` has passed, and leased by moving `next_at` on and naming its holder. Listing and endpoints have files of their own.

import { type Columns, columns, on } from '../columns.ts';
import { holderOfProcess } from '../fleet/holder.ts';
import type { Queryable } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';

const key = ['account_id', 'event_id', 'endpoint_id'] as const;
const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;
const span = (parameter: number): string => `$${parameter}::double precision * interval '1 millisecond'`;

/** The process that has a delivery, and until when (Unix ms). */
export interface DeliveryLease {
  holder: string;
  leaseUntil: number;
}

export interface ClaimedDelivery {
  accountId: string;
  eventId: string;
  endpointId: string;
  body: string;
  /** Attempts so far. */
  attempts: number;
}

const claimed = record<ClaimedDelivery>()({
  accountId: 'text',
  eventId: 'text',
  endpointId: 'text',
  body: 'text',
  attempts: 'integer',
});

export interface Claim extends DeliveryLease {
  /** Unix ms. */
  now: number;
  limit: number;
  /** Endpoints to pass over. */
  except: readonly string[];
}

const claimText = `
with due as materialized (
  select account_id, event_id, endpoint_id from webhook_delivery
  where next_at <= ${time(1)} and endpoint_id <> all ($3::text[])
  order by next_at limit $4 for update skip locked
)
update webhook_delivery d set next_at = ${time(2)}, holder = $5 from due where ${on('d', 'due', ...key)}
returning ${claimed.names.map((name) => `d.${name}`).join(', ')}`;

/** Leases what has been due longest; the oldest event comes first. */
export async function claimDeliveries(db: Queryable, claim: Claim): Promise<ClaimedDelivery[]> {
  const values = [claim.now, claim.leaseUntil, claim.except, claim.limit, claim.holder];
  const { rows } = await db.query<RowOf<typeof claimed>>({ name: 'webhook.claim', text: claimText, values });
  rows.sort((a, b) => (a.event_id < b.event_id ? -1 : 1)); // ids sort by time
  return rows.map(claimed.fromRow);
}

const releaseText = `
with dead as materialized (
  select ${holderOfProcess('id')} as holder from process
  where lease_until <= now() and lease_until > now() - 2 * ${span(2)}
),
left_behind as materialized (
  select account_id, event_id, endpoint_id from webhook_delivery
  where exists (select from dead) and holder in (select holder from dead)
    and next_at > ${time(1)} and next_at <= ${time(1)} + 2 * ${span(2)}
  order by next_at limit $3 for update skip locked
)
update webhook_delivery d set next_at = least(${time(1)}, d.next_at - ${span(2)}), holder = null from left_behind where ${on('d', 'left_behind', ...key)}`;

/**
 * Makes due what processes had leased that are dead by now, so that it waits for their short lease and not for the row's; due
 * since it was leased, so that it goes before what came later. Only processes that died within twice `leaseMs`, a row's lease, are
 * looked for. Costs next to nothing while there are none. Returns how many rows.
 */
export async function releaseDeliveries(
  db: Queryable,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<number> {
  const values = [now, leaseMs, limit];
  const { rowCount } = await db.query({ name: 'webhook.release', text: releaseText, values });
  return rowCount ?? 0;
}

const heldText = `
select account_id, event_id, endpoint_id, attempts from webhook_delivery
where holder = $2 and next_at > ${time(1)} and next_at <= ${time(3)} order by next_at limit $4`;

export interface HeldDelivery {
  account_id: string;
  event_id: string;
  endpoint_id: string;
  attempts: number;
}

/** What a holder has leased, `leaseUntil` at the longest; the oldest leases first. */
export async function heldDeliveries(
  db: Queryable,
  { now, holder, leaseUntil, limit }: DeliveryLease & { now: number; limit: number },
): Promise<HeldDelivery[]> {
  const values = [now, holder, leaseUntil, limit];
  return (await db.query<HeldDelivery>({ name: 'webhook.held', text: heldText, values })).rows;
}

const putOffText = `
with failing as materialized (
  select id, least(greatest((${time(1)} - failing_since) / 10, ${span(3)}),
    interval '1 hour') as delay
  from webhook_endpoint where id = any ($2::text[]) and failing_since is not null
),
due as materialized (
  select account_id, event_id, endpoint_id from webhook_delivery
  where next_at <= ${time(1)} and endpoint_id = any (array(select id from failing))
  order by next_at limit $4 for update skip locked
)
update webhook_delivery d set next_at = ${time(1)} + failing.delay, holder = null
from due join failing on failing.id = due.endpoint_id where ${on('d', 'due', ...key)}`;

/**
 * Puts off what failing endpoints have no room for, by a tenth of the time they have been failing (at least `leastMs`, at
 * most an hour). Without it the due rows of one endpoint that hangs for days would be walked over in every claim.
 */
export async function putOffDeliveries(
  db: Queryable,
  { now, endpoints, leastMs, limit }: { now: number; endpoints: readonly string[]; leastMs: number; limit: number },
): Promise<number> {
  const values = [now, endpoints, leastMs, limit];
  const { rowCount } = await db.query({ name: 'webhook.put_off', text: putOffText, values });
  return rowCount ?? 0;
}

const returned = columns({
  account_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts so far: a row that was tried meanwhile is another process's.
  attempts: 'integer',
  holder: 'text',
  at: 'ms',
});

export type Returned = typeof returned extends Columns<infer Row> ? Row : never;

const returnText = `
with i as materialized (${returned.select(1)}),
mine as materialized (
  select d.account_id, d.event_id, d.endpoint_id, i.at from i join webhook_delivery d on ${on('d', 'i', ...key)}
  where d.status = 'pending' and d.attempts = i.attempts and d.holder = i.holder
  order by d.event_id, d.endpoint_id for update of d
)
update webhook_delivery d set next_at = mine.at, holder = null from mine where ${on('d', 'mine', ...key)}`;

/** Makes leased rows due that their holder can't post: they need not wait for the lease to end. */
export async function returnDeliveries(db: Queryable, items: readonly Returned[]): Promise<void> {
  await db.query({ name: 'webhook.return', text: returnText, values: returned.parameters(items) });
}

const mark = columns({
  account_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts before this one.
  attempts: 'integer',
  // False where the row is finished without a request.
  attempted: 'boolean',
  status: 'text',
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
// that it was delivered wins over everything. Rows and endpoints are locked in one order, so that batches never deadlock.
const markText = `
with i as materialized (${mark.select(1)}),
mine as materialized (
  select d.account_id, d.event_id, d.endpoint_id from i join webhook_delivery d on ${on('d', 'i', ...key)}
  where case when i.status = 'delivered' then d.status <> 'delivered'
    else d.status = 'pending' and d.attempts = i.attempts end
  order by d.event_id, d.endpoint_id for update of d
),
stored as (
  update webhook_delivery d set status = i.status, next_at = i.next_at, holder = null, last_error = i.last_error,
    attempts = greatest(d.attempts, i.attempts + i.attempted::integer),
    last_status = case when i.attempted then i.last_status else d.last_status end,
    delivered_at = case when i.status = 'delivered' then i.at else d.delivered_at end
  from mine join i on ${on('i', 'mine', ...key)} where ${on('d', 'mine', ...key)}
  returning d.account_id, d.event_id, d.endpoint_id
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
from i left join stored on ${on('stored', 'i', 'event_id', 'endpoint_id')}
left join health on health.id = i.endpoint_id left join webhook_endpoint w on w.id = i.endpoint_id`;

/** Stores outcomes, and what they say about the endpoints' health; in the order of `items`. */
export async function markDeliveries(db: Queryable, items: readonly Mark[]): Promise<Marked[]> {
  type Row = { event_id: string; endpoint_id: string; stored: boolean; failing_since: Date | null };
  const { rows } = await db.query<Row>({ name: 'webhook.mark', text: markText, values: mark.parameters(items) });
  const byKey = new Map(rows.map((row) => [`${row.event_id} ${row.endpoint_id}`, row]));
  return items.map((item) => {
    const row = byKey.get(`${item.event_id} ${item.endpoint_id}`);
    return { stored: row?.stored ?? false, failingSince: row?.failing_since?.getTime() ?? null };
  });
}

/** What waits in the table and is due: how many (counted up to 10 000) and since when, Unix ms. */
export async function overdueDeliveries(
  db: Queryable,
  now: number,
): Promise<{ count: number; oldestDueAt: number | null }> {
  const text = `select count(*)::integer as count, min(next_at) as oldest from (
    select next_at from webhook_delivery where next_at <= ${time(1)} order by next_at limit 10000) due`;
  const { rows } = await db.query<{ count: number; oldest: Date | null }>({
    name: 'webhook.overdue',
    text,
    values: [now],
  });
  return { count: rows[0]?.count ?? 0, oldestDueAt: rows[0]?.oldest?.getTime() ?? null };
}
