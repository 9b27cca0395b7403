// Statements over single deliveries: an account's view of them, a redelivery, events that are about no session. None of them is hot.

import type { Mode } from '../../core/verify/session.ts';
import { inside, type Queryable, type Reads } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';
import type { Tx } from '../schema.ts';
import { type ListPage, nextOf, rowsPerPage } from '../verify/list.ts';
import type { DeliveryLease } from './attempts.ts';
import type { Owner } from './endpoints.ts';
import { shownNextAt } from './holds.ts';

/** What an account sees of a delivery. */
export interface DeliveryRow {
  eventId: string;
  endpointId: string;
  type: string;
  sessionId: string | null;
  /** Value set `webhook_delivery_status`. */
  status: string;
  attempts: number;
  nextAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: number;
  /** Of the last time it was delivered. */
  deliveredAt: number | null;
}

export const delivery = record<DeliveryRow>()({
  eventId: 'text',
  endpointId: 'text',
  type: 'text',
  sessionId: 'text',
  status: 'text',
  attempts: 'integer',
  nextAt: 'ms',
  lastStatus: 'integer',
  lastError: 'text',
  createdAt: 'ms',
  deliveredAt: 'ms',
});

type Row = RowOf<typeof delivery>;

const listed = delivery.names.map((name) => (name === 'next_at' ? shownNextAt : name)).join(', ');
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
    select found.*, edge.id as looked_until
    from (select case when (select count(*) from found) < $6 then
        (select event_id from webhook_delivery where ${within} order by event_id desc offset ${rowsPerPage - 1} limit 1)
      end as id) edge
    left join found on true order by event_id desc`;
  const values = [owner.accountId, owner.mode, endpointId, page.before ?? 'evt_~', page.status, page.limit + 1];
  type Found = (Row | { event_id: null }) & { looked_until: string | null };
  const { rows } = await db.query<Found>({ name: 'delivery.list', text, values });
  const found = rows.flatMap((row) => (row.event_id === null ? [] : [delivery.fromRow(row)]));
  return nextOf(found, page.limit, rows[0]?.looked_until ?? null, ({ eventId }) => eventId);
}

export async function getDelivery(db: Reads, key: DeliveryKey): Promise<DeliveryRow | null> {
  const text = `select ${listed} from webhook_delivery
    where account_id = $1 and mode = $2 and endpoint_id = $3 and event_id = $4`;
  const values = [key.accountId, key.mode, key.endpointId, key.eventId];
  const { rows } = await db.query<Row>({ name: 'delivery.get', text, values });
  return rows[0] ? delivery.fromRow(rows[0]) : null;
}

/**
 * Makes it pending again, leased to the caller. null where there is nothing to do: no such delivery, or it is on its way
 * already. Attempts go on counting, so a mark of an earlier attempt can't touch the new one.
 */
export async function requeueDelivery(
  db: Queryable,
  key: DeliveryKey,
  { holder, leaseUntil }: DeliveryLease,
): Promise<{ delivery: DeliveryRow; body: string } | null> {
  const text = `update webhook_delivery set status = 'pending', next_at = ${time(5)}, holder = $6
    where account_id = $1 and mode = $2 and endpoint_id = $3 and event_id = $4
      and (status <> 'pending' or next_at > ${time(5)}) returning ${listed}, body`;
  const values = [key.accountId, key.mode, key.endpointId, key.eventId, leaseUntil, holder];
  const { rows } = await db.query<Row & { body: string }>({ name: 'delivery.requeue', text, values });
  return rows[0] ? { delivery: delivery.fromRow(rows[0]), body: rows[0].body } : null;
}

/**
 * Gives up what an endpoint that was switched off still had to get, a bounded number at a time; returns how many.
 * Rows that are being marked at this moment are passed over: they are finished when they come due.
 */
export async function parkDeliveries(db: Queryable, endpointId: string, error: string, limit: number): Promise<number> {
  const text = `with waiting as materialized (
      select account_id, event_id, endpoint_id from webhook_delivery where endpoint_id = $1 and next_at is not null
      limit $3 for update skip locked
    )
    update webhook_delivery d set status = 'failed', next_at = null, holder = null, last_error = coalesce(d.last_error, $2)
    from waiting w where d.account_id = w.account_id and d.event_id = w.event_id and d.endpoint_id = w.endpoint_id`;
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
  /** null: due at once, for the process that sweeps first. */
  lease: DeliveryLease | null;
}

/** Stores one delivery of the event for each endpoint of the account that wants it; returns the ids of these endpoints. */
export async function insertEvent(tx: Tx, event: NewEvent): Promise<string[]> {
  const text = `insert into webhook_delivery
      (account_id, event_id, endpoint_id, mode, type, body, status, next_at, created_at, holder)
    select account_id, $3, id, mode, $4, $5, 'pending', ${time(6)}, ${time(7)}, $8::text from webhook_endpoint
    where account_id = $1 and mode = $2 and enabled and (event_types = '{}' or $4 = any (event_types))
    returning endpoint_id`;
  const { accountId, mode, id, type, body, now, lease } = event;
  const values = [accountId, mode, id, type, body, lease?.leaseUntil ?? now, now, lease?.holder ?? null];
  const { rows } = await inside(tx).query<{ endpoint_id: string }>({ name: 'delivery.event', text, values });
  return rows.map((row) => row.endpoint_id);
}
