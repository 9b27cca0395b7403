// The table of retries: deliveries that no process has in memory, or that one has claimed. A row is due when `next_at` has passed, and
// leased by moving `next_at` on and naming its holder. First attempts are not in it, but those that were given back.

import { type Columns, columns, on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';

const key = ['endpoint_id', 'event_id'] as const;
const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;

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

// What was dropped with its partition, or delivered by a process that was taken for dead, is not waited for any more.
const claimText = `
with due as materialized (
  select endpoint_id, event_id from webhook_retry
  where next_at <= ${time(1)} and endpoint_id <> all ($3::text[])
  order by next_at, event_id limit $4 for update skip locked
),
found as materialized (
  select due.endpoint_id, due.event_id, d.account_id, d.body, d.attempts
  from due left join webhook_delivery d on ${on('d', 'due', ...key)} and d.status = 'pending'
),
dropped as (
  delete from webhook_retry r using found where found.account_id is null and ${on('r', 'found', ...key)}
),
leased as (
  update webhook_retry r set next_at = ${time(2)}, holder = $5
  from found where found.account_id is not null and ${on('r', 'found', ...key)}
)
select ${claimed.names.join(', ')} from found where account_id is not null`;

/** Leases what has been due longest; the oldest event comes first. */
export async function claimRetries(db: Queryable, claim: Claim): Promise<ClaimedDelivery[]> {
  const values = [claim.now, claim.leaseUntil, claim.except, claim.limit, claim.holder];
  const { rows } = await db.query<RowOf<typeof claimed>>({ name: 'webhook.claim', text: claimText, values });
  rows.sort((a, b) => (a.event_id < b.event_id ? -1 : 1)); // ids sort by time
  return rows.map(claimed.fromRow);
}

const putOff = columns({ endpoint_id: 'text', until: 'ms' });

const putOffText = `
with o as materialized (${putOff.select(3)}),
due as materialized (
  select endpoint_id, event_id from webhook_retry
  where next_at <= ${time(1)} and endpoint_id = any (array(select endpoint_id from o))
  order by next_at, event_id limit $2 for update skip locked
)
update webhook_retry r set next_at = o.until, holder = null
from due join o on o.endpoint_id = due.endpoint_id where ${on('r', 'due', ...key)}`;

/**
 * Puts off what is due for failing endpoints, each until its time (Unix ms). Without it the due rows of one endpoint that hangs for days would be
 * walked over in every claim.
 */
export async function putOffRetries(
  db: Queryable,
  { now, until, limit }: { now: number; until: ReadonlyMap<string, number>; limit: number },
): Promise<number> {
  const rows = [...until].map(([endpoint_id, at]) => ({ endpoint_id, until: at }));
  const values = [now, limit, ...putOff.parameters(rows)];
  const { rowCount } = await db.query({ name: 'webhook.put_off', text: putOffText, values });
  return rowCount ?? 0;
}

const returned = columns({
  event_id: 'text',
  endpoint_id: 'text',
  // Attempts so far: a row that was tried meanwhile is another process's.
  attempts: 'integer',
  at: 'ms',
});

export type Returned = typeof returned extends Columns<infer Row> ? Row : never;

const returnText = `
with i as materialized (${returned.select(2)}),
mine as materialized (
  select d.endpoint_id, d.event_id, d.account_id, i.at from i join webhook_delivery d on ${on('d', 'i', ...key)}
  where d.status = 'pending' and d.attempts = i.attempts
  order by d.event_id, d.endpoint_id
)
insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
select endpoint_id, event_id, account_id, at from mine
on conflict (endpoint_id, event_id) do update set next_at = excluded.next_at, holder = null
where webhook_retry.holder = $1`;

/**
 * Makes due what this process has in memory and can't post: first attempts, and retries that it has leased. What another process has taken
 * over meanwhile stays as it is.
 */
export async function returnDeliveries(db: Queryable, holder: string, items: readonly Returned[]): Promise<void> {
  const values = [holder, ...returned.parameters(items)];
  await db.query({ name: 'webhook.return', text: returnText, values });
}
