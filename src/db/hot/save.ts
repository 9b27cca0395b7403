// Transition "save": the next state of many sessions and everything that follows from it, in one statement.
// Compare-and-set on version: a session somebody else has saved since is left alone, and so is all that belongs to it.

import { on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import {
  type SavedEventRow,
  type SavedMessageRow,
  type SavedReceiptRow,
  type SavedReferenceRow,
  type SavedSessionRow,
  savedEvent,
  savedMessage,
  savedReceipt,
  savedReference,
  savedSession,
} from './rows.ts';

export interface SaveItem {
  session: SavedSessionRow;
  messages: SavedMessageRow[];
  receipts: SavedReceiptRow[];
  references: SavedReferenceRow[];
  events: SavedEventRow[];
}

/** One event for one endpoint, leased to this process until the event's `next_at`. */
export interface QueuedDelivery {
  eventId: string;
  endpointId: string;
}

/** `stale`: saved by somebody else since, or the number is locked (see `guarded`); nothing of the item was stored. */
export type SaveResult =
  | { kind: 'saved'; deliveries: QueuedDelivery[]; firstMessageId: string | null }
  | { kind: 'stale' };

/** Failed checks of a number before it is locked, and for how long they count. */
export interface FailureLimit {
  failures: number;
  windowMs: number;
}

const batches = [savedSession, savedMessage, savedReceipt, savedReference, savedEvent];
const firstOf = (index: number) => 1 + batches.slice(0, index).reduce((sum, batch) => sum + batch.count, 0);
const limitAt = firstOf(batches.length);
const windowAt = limitAt + 1;

const key = ['account_id', 'id'] as const;
const messageColumns = savedMessage.names.filter((name) => name !== 'maybe_first');
const fixedInMessage = ['account_id', 'id', 'session_id', 'run', 'position', 'channel', 'created_at'];
const changing = messageColumns.filter((name) => !fixedInMessage.includes(name));
const plain = [
  ...['status', 'status_reason', 'delivery', 'run', 'position', 'sends', 'attempts', 'last_send_at', 'first_send_at'],
  ...['verified_at', 'leg_ends_at', 'next_at', 'event_sequence', 'holder'],
];

const text = `
with i as materialized (${savedSession.select(1)}),
m as materialized (${savedMessage.select(firstOf(1))}),
r as materialized (${savedReceipt.select(firstOf(2))}),
f as materialized (${savedReference.select(firstOf(3))}),
e as materialized (${savedEvent.select(firstOf(4))}),
-- Locking in one order is what keeps two batches from waiting for each other.
mine as materialized (
  select s.account_id, s.id from i join verify_session s on ${on('s', 'i', ...key)}
  where s.version = i.version and not (i.guarded and exists (
    select from number_failure n where ${on('n', 'i', 'account_id', 'mode', 'number')}
      and n.failures >= $${limitAt}::integer and n.window_ends_at > i.now))
  order by s.id for update of s
),
saved as (
  update verify_session s set version = s.version + 1, timeline = s.timeline || i.timeline,
    legs = coalesce(i.legs, s.legs), ${plain.map((name) => `${name} = i.${name}`).join(', ')}
  from mine join i on ${on('i', 'mine', ...key)} where ${on('s', 'mine', ...key)}
),
kept as (
  insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
  select i.account_id, i.mode, i.idempotency_route, i.idempotency_key, i.idempotency_hash, i.idempotency_answer, i.now
  from i join mine on ${on('mine', 'i', ...key)} where i.idempotency_key is not null
),
freed as (
  delete from pending_number p using i join mine on ${on('mine', 'i', ...key)}
  where i.status <> 'pending' and ${on('p', 'i', 'account_id', 'mode', 'number', 'purpose')} and p.session_id = i.id
),
-- On its own, because the planner takes a rare condition for a reason to join by loops: 3 of 9 ms for 128 sessions.
wrong as materialized (select account_id, id, mode, number, failures, now from i where failures > 0),
failed as (
  insert into number_failure as n (account_id, mode, number, failures, window_ends_at)
  select w.account_id, w.mode, w.number, sum(w.failures), max(w.now) + $${windowAt}::double precision * interval '1 millisecond'
  from wrong w join mine on ${on('mine', 'w', ...key)}
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (account_id, mode, number) do update set
    failures = case when n.window_ends_at > now() then n.failures else 0 end + excluded.failures,
    window_ends_at = case when n.window_ends_at > now() then n.window_ends_at else excluded.window_ends_at end
),
first as (
  update account a set sms_first_send_at = m.submitted_at
  from (select distinct on (m.account_id) m.account_id, m.id, m.submitted_at from m
        join mine on mine.account_id = m.account_id and mine.id = m.session_id
        where m.maybe_first order by m.account_id, m.id) m
  where a.id = m.account_id and a.sms_first_send_at is null returning m.id, m.submitted_at
),
sent as (
  insert into message as t (${messageColumns.join(', ')}, first_send_at)
  select ${messageColumns.map((name) => `m.${name}`).join(', ')}, first.submitted_at
  from m join mine on mine.account_id = m.account_id and mine.id = m.session_id left join first on first.id = m.id
  on conflict (account_id, id) do update set
    ${changing.map((name) => `${name} = excluded.${name}`).join(', ')},
    first_send_at = coalesce(t.first_send_at, excluded.first_send_at)
),
received as (
  insert into receipt (${savedReceipt.names.join(', ')})
  select ${savedReceipt.names.map((name) => `r.${name}`).join(', ')}
  from r join mine on mine.account_id = r.account_id and mine.id = r.session_id
),
referred as (
  insert into operator_reference (${savedReference.names.join(', ')})
  select ${savedReference.names.map((name) => `f.${name}`).join(', ')}
  from f join mine on mine.account_id = f.account_id and mine.id = f.session_id
  on conflict do nothing
),
told as (
  insert into webhook_delivery (account_id, event_id, endpoint_id, mode, session_id, type, body, status, next_at, created_at)
  select e.account_id, e.id, w.id, e.mode, e.session_id, e.type, e.body, 'pending', e.next_at, e.created_at
  from e join mine on mine.account_id = e.account_id and mine.id = e.session_id
  join webhook_endpoint w on w.account_id = e.account_id and w.mode = e.mode and w.enabled
    and (w.event_types = '{}' or e.type = any(w.event_types))
  returning session_id, event_id, endpoint_id
)
select id as session_id, null as event_id, null as endpoint_id, null as first_message_id from mine
union all select session_id, event_id, endpoint_id, null from told
union all select m.session_id, null, null, m.id from first join m on m.id = first.id`;

interface Line {
  session_id: string;
  event_id: string | null;
  endpoint_id: string | null;
  first_message_id: string | null;
}

export async function saveSessions(
  db: Queryable,
  items: readonly SaveItem[],
  limit: FailureLimit,
): Promise<SaveResult[]> {
  const values = [
    ...savedSession.parameters(items.map((item) => item.session)),
    ...savedMessage.parameters(items.flatMap((item) => item.messages)),
    ...savedReceipt.parameters(items.flatMap((item) => item.receipts)),
    ...savedReference.parameters(items.flatMap((item) => item.references)),
    ...savedEvent.parameters(items.flatMap((item) => item.events)),
    limit.failures,
    limit.windowMs,
  ];
  const { rows } = await db.query<Line>({ name: 'save', text, values });
  const results = new Map<string, Extract<SaveResult, { kind: 'saved' }>>();
  for (const row of rows) {
    const result = results.get(row.session_id) ?? { kind: 'saved', deliveries: [], firstMessageId: null };
    results.set(row.session_id, result);
    if (row.event_id && row.endpoint_id) result.deliveries.push({ eventId: row.event_id, endpointId: row.endpoint_id });
    result.firstMessageId ??= row.first_message_id;
  }
  return items.map((item) => results.get(item.session.id as string) ?? { kind: 'stale' });
}
