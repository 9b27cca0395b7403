// What no process has in memory any more: the first attempts and leases of dead processes, and those of this one whose commit it never heard
// of. They are put among the retries, due. First attempts are found by endpoint and time, from the mark of their holder on: the event id
// before which nothing of that holder waits.

import { on } from '../columns.ts';
import { holderOfProcess } from '../fleet/holder.ts';
import type { Queryable } from '../queryable.ts';

const key = ['endpoint_id', 'event_id'] as const;
const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;
const span = (parameter: number): string => `$${parameter}::double precision * interval '1 millisecond'`;

/** How long a statement of a dead process may still be committed: the statement timeout and a margin. */
const openSpan = `interval '25 seconds'`;
const dead = `(p.id is null or p.lease_until <= now())`;
const closed = `(p.id is null or p.lease_until <= now() - ${openSpan})`;
const processOf = `left join process p on ${holderOfProcess('p.id')} = h.holder`;

/** Due counted at most. */
const mostCounted = 10_000;

const lookText = `
with mark as (
  insert into webhook_holder as h (holder, settled_before) select $1, $2::text where $2 is not null
  on conflict (holder) do update set settled_before = excluded.settled_before, searched_at = null
)
select (select count(*)::integer from (select from webhook_retry where next_at <= ${time(3)} limit ${mostCounted}) due) as due,
  (select next_at from webhook_retry where next_at > ${time(3)} and holder is null order by next_at, event_id limit 1) as next_at,
  exists (select from webhook_retry where next_at is null) as held,
  array(select h.holder from webhook_holder h ${processOf}
    where h.holder <> $1 and ${dead} and (h.searched_at is null or ${closed})) as dead,
  exists (select from webhook_holder where holder = $1 and searched_at is null) as marked`;

export interface Look {
  holder: string;
  /** First attempts of this process with smaller event ids are done, or are retries; null = the mark stays as it is. */
  settledBefore: string | null;
  now: number;
}

/** What there is to do, over all processes. */
export interface Found {
  /** Retries that are due, counted up to 10 000. */
  due: number;
  /** When the next one is due that nobody has leased, Unix ms; null = there is none. */
  nextAt: number | null;
  /** Whether webhooks are held for accounts that were suspended. */
  held: boolean;
  /** Holders whose process is dead, and whose deliveries are to be looked for. */
  dead: string[];
  /** False where this process had no mark before by which others find at once what it leaves: its first, or another process took it for dead. */
  marked: boolean;
}

/** Looks at everything that could be waiting, in one statement, and moves this process's mark. */
export async function lookAround(db: Queryable, { holder, settledBefore, now }: Look): Promise<Found> {
  type Row = Omit<Found, 'nextAt'> & { next_at: Date | null };
  const values = [holder, settledBefore, now];
  const { rows } = await db.query<Row>({ name: 'webhook.look', text: lookText, values });
  const [row] = rows;
  if (!row) throw new Error('the look for webhooks found no row');
  const { next_at, ...found } = row;
  return { ...found, nextAt: next_at?.getTime() ?? null };
}

/** First attempts that wait in no table but their own, for an endpoint `w`. */
const firstAttempts = (holder: string, from: string) => `
    select d.endpoint_id, d.event_id, d.account_id, d.attempts, d.created_at from webhook_delivery d
    where d.endpoint_id = w.id and d.event_id >= ${from} and d.holder = ${holder} and d.status = 'pending'
      and not exists (select from webhook_retry r where ${on('r', 'd', ...key)})`;

// One process at a time does it for a holder. What was leased is due since then: before what came later.
const takeOverText = `
with gone as materialized (
  select h.holder, h.settled_before, ${closed} as closed from webhook_holder h ${processOf}
  where h.holder = any ($1::text[]) and ${dead} for update of h skip locked
),
lost as materialized (
  select d.endpoint_id, d.event_id, d.account_id, d.created_at
  from gone cross join unnest($5::text[]) w(id) cross join lateral (${firstAttempts('gone.holder', 'gone.settled_before')}) d
  limit $4
),
moved as (
  insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
  select endpoint_id, event_id, account_id, least(${time(2)}, created_at) from lost on conflict do nothing
),
leased as materialized (
  select r.endpoint_id, r.event_id from webhook_retry r
  where exists (select from gone) and r.holder = any (array(select holder from gone))
    and r.next_at > ${time(2)} and r.next_at <= ${time(2)} + 2 * ${span(3)}
  order by r.next_at, r.event_id limit $4 for update skip locked
),
released as (
  update webhook_retry r set next_at = least(${time(2)}, r.next_at - ${span(3)}), holder = null
  from leased where ${on('r', 'leased', ...key)}
),
searched as (
  update webhook_holder h set searched_at = now() from gone
  where h.holder = gone.holder and not gone.closed and (select count(*) from lost) < $4 and (select count(*) from leased) < $4
),
finished as (
  delete from webhook_holder h using gone
  where h.holder = gone.holder and gone.closed and (select count(*) from lost) < $4 and (select count(*) from leased) < $4
)
select (select count(*) from lost)::integer as lost, (select count(*) from leased)::integer as leased`;

export interface TakeOver {
  holders: readonly string[];
  /** Every endpoint there is. */
  endpoints: readonly string[];
  now: number;
  /** How long a row in the table of retries is leased for, ms. */
  leaseMs: number;
  limit: number;
}

/** Makes due what dead processes had. `more`: there is more than `limit` of it. */
export async function takeOverDeliveries(
  db: Queryable,
  { holders, endpoints, now, leaseMs, limit }: TakeOver,
): Promise<{ taken: number; more: boolean }> {
  type Row = { lost: number; leased: number };
  const values = [holders, now, leaseMs, limit, endpoints];
  const { rows } = await db.query<Row>({ name: 'webhook.take_over', text: takeOverText, values });
  const { lost = 0, leased = 0 } = rows[0] ?? {};
  return { taken: lost + leased, more: lost >= limit || leased >= limit };
}

const ownText = `
(select r.endpoint_id, r.event_id, d.attempts from webhook_retry r join webhook_delivery d on ${on('d', 'r', ...key)}
  where r.holder = $1 and r.next_at > ${time(4)} and r.next_at <= ${time(5)} limit $6)
union all
(select d.endpoint_id, d.event_id, d.attempts from unnest($7::text[]) w(id) cross join lateral (${firstAttempts('$1', '$2')}
    and d.event_id < $3) d limit $6)`;

export interface Own {
  holder: string;
  /** Every endpoint there is. */
  endpoints: readonly string[];
  /** Event ids, from the first to before the second. */
  from: string;
  until: string;
  /** Of leases that end from now on, and no later than this. Unix ms. */
  now: number;
  leaseUntil: number;
  limit: number;
}

export interface OwnDelivery {
  event_id: string;
  endpoint_id: string;
  attempts: number;
}

/** First attempts and leases of a living process, whether it knows of them or not. */
export async function ownDeliveries(db: Queryable, own: Own): Promise<OwnDelivery[]> {
  const values = [own.holder, own.from, own.until, own.now, own.leaseUntil, own.limit, own.endpoints];
  return (await db.query<OwnDelivery>({ name: 'webhook.own', text: ownText, values })).rows;
}
