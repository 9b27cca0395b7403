// The statement of a replay: deliveries of a time that are over are made pending again and due, the oldest first. What becomes of them then is
// that of any retry. Each call examines a bounded number of rows and takes a bounded number of them up.

import type { Queryable } from '../queryable.ts';
import { rowsPerPage } from '../verify/list.ts';
import type { Owner } from './endpoints.ts';

export interface ReplaySpan extends Owner {
  endpointId: string;
  /** Event ids, the first exclusive. */
  after: string;
  before: string;
  /** Events of that time, Unix ms: at or after, and before. */
  since: number;
  until: number;
  /** Empty = every type. */
  eventTypes: readonly string[];
  /** Value set `webhook_delivery_status`; null = any. */
  status: string | null;
  /** What was delivered since then is left out: an earlier call of the same replay has taken it up. Unix ms. */
  startedAt: number;
  now: number;
  limit: number;
}

const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;

const spanned = (most: string): string => `
with looked as materialized (
  select event_id, account_id, mode, type, status, created_at, delivered_at from webhook_delivery
  where endpoint_id = $3 and event_id > $4 and event_id < $5 order by event_id limit ${rowsPerPage}
),
picked as materialized (
  select event_id from looked
  where account_id = $1 and mode = $2 and status <> 'pending' and created_at >= ${time(6)} and created_at < ${time(7)}
    and ($8::text[] = '{}' or type = any ($8::text[])) and ($9::text is null or status = $9)
    and (delivered_at is null or delivered_at < ${time(10)})
  order by event_id limit ${most}
)`;

const lookedUntil = (most: string): string => `
  case when (select count(*) from picked) >= ${most} then (select max(event_id) from picked)
    when (select count(*) from looked) >= ${rowsPerPage} then (select max(event_id) from looked) end as looked_until`;

// Deliveries are locked in the order of their ids, each before its retry, as by a mark. One that is pending is on its way already.
const text = `${spanned('$12')},
locked as materialized (
  select endpoint_id, event_id, account_id from webhook_delivery
  where endpoint_id = $3 and event_id = any (array(select event_id from picked)) and status <> 'pending'
  order by event_id for update
),
queued as (
  insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
  select endpoint_id, event_id, account_id, ${time(11)} from locked on conflict do nothing
),
pending as (
  update webhook_delivery d set status = 'pending' from locked l where d.endpoint_id = l.endpoint_id and d.event_id = l.event_id
)
select (select count(*)::integer from locked) as queued,${lookedUntil('$12')}`;

const reachText = `${spanned('$11')}
select ${lookedUntil('$11')}`;

/** Up to which event id a call would come; null = to the end. It takes nothing up. */
export async function reachOfReplay(db: Queryable, span: Omit<ReplaySpan, 'now'>): Promise<string | null> {
  const { accountId, mode, endpointId, after, before, since, until, eventTypes, status, startedAt, limit } = span;
  const values = [accountId, mode, endpointId, after, before, since, until, eventTypes, status, startedAt, limit];
  const { rows } = await db.query<{ looked_until: string | null }>({
    name: 'delivery.replay_reach',
    text: reachText,
    values,
  });
  return rows[0]?.looked_until ?? null;
}

/** `lookedUntil`: the event id after which the next call goes on; null = there is no more. */
export async function replayDeliveries(
  db: Queryable,
  span: ReplaySpan,
): Promise<{ queued: number; lookedUntil: string | null }> {
  const { accountId, mode, endpointId, after, before, since, until, eventTypes, status, startedAt, now, limit } = span;
  const values = [accountId, mode, endpointId, after, before, since, until, eventTypes, status, startedAt, now, limit];
  type Row = { queued: number; looked_until: string | null };
  const { rows } = await db.query<Row>({ name: 'delivery.replay', text, values });
  const { queued = 0, looked_until = null } = rows[0] ?? {};
  return { queued, lookedUntil: looked_until };
}
