// Statements over single deliveries: an account's view of them, a redelivery, events that are about no session. None of them is hot.

import type { Mode } from '../../core/verify/session.ts';
import { inside, type Queryable, type Reads } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';
import type { Tx } from '../schema.ts';
import { type ListPage, nextOf, rowsPerPage } from '../verify/list.ts';
import type { Owner } from './endpoints.ts';
import type { DeliveryLease } from './retries.ts';

/** What an account sees of a delivery. */
export interface DeliveryRow {
  eventId: string;
  endpointId: string;
  type: string;
  sessionId: string | null;
  /** Value set `webhook_delivery_status`. */
  status: string;
  attempts: number;
  /** While it waits among the retries, Unix ms; null during an attempt and while it is held. */
  nextAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: number;
  /** When it was last delivered, Unix ms. */
  deliveredAt: number | null;
}

export const delivery = record<Omit<DeliveryRow, 'nextAt'>>()({
  eventId: 'text',
  endpointId: 'text',
  type: 'text',
  sessionId: 'text',
  status: 'text',
  attempts: 'integer',
  lastStatus: 'integer',
  lastError: 'text',
  createdAt: 'ms',
  deliveredAt: 'ms',
});

type Row = RowOf<typeof delivery> & { next_at: Date | null };

const toDelivery = (row: Row): DeliveryRow => ({ ...delivery.fromRow(row), nextAt: row.next_at?.getTime() ?? null });

const listed = delivery.names.join(', ');
const nextAtOf = (row: string) =>
  `(select next_at from webhook_retry r where r.endpoint_id = ${row}.endpoint_id and r.event_id = ${row}.event_id
    and r.holder is null) as next_at`;
const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;

export interface DeliveryKey extends Owner {
  endpointId: string;
  eventId: string;
}

/** Newest first, from `before` (an event id) on; of a bounded number of rows a page, as in verify/list.ts. */
export async function listDeliveries(
  db: Reads,
  owner: Owner,
  endpointId: string,
  page: { limit: number; before: string | null; status: string | null },
): Promise<ListPage<DeliveryRow>> {
  const within = 'endpoint_id = $3 and event_id < $4';
  const text = `with found as materialized (
      select ${listed} from (
        select account_id, mode, ${listed} from webhook_delivery where ${within} order by event_id desc limit ${rowsPerPage}
      ) looked_at
      where account_id = $1 and mode = $2 and ($5::text is null or status = $5) order by event_id desc limit $6
    )
    select found.*, ${nextAtOf('found')}, edge.id as looked_until
    from (select case when (select count(*) from found) < $6 then
        (select event_id from webhook_delivery where ${within} order by event_id desc offset ${rowsPerPage - 1} limit 1)
      end as id) edge
    left join found on true order by event_id desc`;
  const values = [owner.accountId, owner.mode, endpointId, page.before ?? 'evt_~', page.status, page.limit + 1];
  type Found = (Row | { event_id: null }) & { looked_until: string | null };
  const { rows } = await db.query<Found>({ name: 'delivery.list', text, values });
  const found = rows.flatMap((row) => (row.event_id === null ? [] : [toDelivery(row)]));
  return nextOf(found, page.limit, rows[0]?.looked_until ?? null, ({ eventId }) => eventId);
}

export async function getDelivery(db: Reads, key: DeliveryKey): Promise<DeliveryRow | null> {
  const text = `select ${listed}, ${nextAtOf('d')} from webhook_delivery d
    where account_id = $1 and mode = $2 and endpoint_id = $3 and event_id = $4`;
  const values = [key.accountId, key.mode, key.endpointId, key.eventId];
  const { rows } = await db.query<Row>({ name: 'delivery.get', text, values });
  return rows[0] ? toDelivery(rows[0]) : null;
}

// Waiting: among the retries, and in no process's memory. The delivery is locked before its retry, as a mark does.
const requeueText = `
with asked as materialized (
  select ${listed}, account_id, body from webhook_delivery
  where account_id = $1 and mode = $2 and endpoint_id = $3 and event_id = $4 for update
),
queued as (
  insert into webhook_retry (endpoint_id, event_id, account_id, next_at, holder)
  select endpoint_id, event_id, account_id, ${time(5)}, $6 from asked where status <> 'pending'
    or exists (select from webhook_retry r where r.endpoint_id = $3 and r.event_id = $4 and r.holder is null)
  on conflict (endpoint_id, event_id) do update set next_at = excluded.next_at, holder = excluded.holder
  where webhook_retry.holder is null
  returning next_at
),
pending as (
  update webhook_delivery set status = 'pending' where endpoint_id = $3 and event_id = $4 and exists (select from queued)
)
select ${delivery.names.map((name) => (name === 'status' ? `'pending' as status` : `asked.${name}`)).join(', ')}, body, next_at
from asked cross join queued`;

/**
 * Makes it pending again, leased to the caller. null where there is nothing to do: no such delivery, or it is on its way
 * already. Attempts go on counting, so a mark of an earlier attempt can't touch the new one.
 */
export async function requeueDelivery(
  db: Queryable,
  key: DeliveryKey,
  { holder, leaseUntil }: DeliveryLease,
): Promise<{ delivery: DeliveryRow; body: string } | null> {
  const values = [key.accountId, key.mode, key.endpointId, key.eventId, leaseUntil, holder];
  const { rows } = await db.query<Row & { body: string }>({ name: 'delivery.requeue', text: requeueText, values });
  return rows[0] ? { delivery: toDelivery(rows[0]), body: rows[0].body } : null;
}

/**
 * Gives up what waits for an endpoint that was switched off, a bounded number at a time; returns how many.
 * Rows that are being marked at this moment are passed over: they are finished when they come due.
 */
export async function parkDeliveries(db: Queryable, endpointId: string, error: string, limit: number): Promise<number> {
  const text = `with waiting as materialized (
      select d.endpoint_id, d.event_id from webhook_retry r
      join webhook_delivery d on d.endpoint_id = r.endpoint_id and d.event_id = r.event_id
      where r.endpoint_id = $1 limit $3 for update of d skip locked
    ),
    given_up as (
      update webhook_delivery d set status = 'failed', last_error = coalesce(d.last_error, $2)
      from waiting w where d.endpoint_id = w.endpoint_id and d.event_id = w.event_id and d.status = 'pending'
    )
    delete from webhook_retry r using waiting w where r.endpoint_id = w.endpoint_id and r.event_id = w.event_id`;
  const { rowCount } = await db.query({ name: 'delivery.park', text, values: [endpointId, error, limit] });
  return rowCount ?? 0;
}

export interface NewEvent {
  accountId: string;
  mode: Mode;
  id: string;
  type: string;
  body: string;
  now: number;
  /** The process that posts it at once; null: it is a retry from the start, due at once for the process that looks first. */
  holder: string | null;
}

/** Stores one delivery of the event for each endpoint of the account that wants it; returns the ids of these endpoints. */
export async function insertEvent(tx: Tx, event: NewEvent): Promise<string[]> {
  const text = `with stored as (
      insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at, holder)
      select account_id, $3, id, mode, $4, $5, 'pending', ${time(6)}, $7::text from webhook_endpoint
      where account_id = $1 and mode = $2 and enabled and (event_types = '{}' or $4 = any (event_types))
      returning endpoint_id, event_id, account_id, created_at
    ),
    waiting as (
      insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
      select endpoint_id, event_id, account_id, created_at from stored where $7 is null
    )
    select endpoint_id from stored`;
  const { accountId, mode, id, type, body, now, holder } = event;
  const values = [accountId, mode, id, type, body, now, holder];
  const { rows } = await inside(tx).query<{ endpoint_id: string }>({ name: 'delivery.event', text, values });
  return rows.map((row) => row.endpoint_id);
}
