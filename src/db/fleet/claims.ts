// Statements of recovery: they find sessions that have something to be done and that no living process looks after, and claim these for a
// process. No index is on a column that a save changes: pending sessions are found by their shards, and those that wait for a route in the
// route's queue. A claim is one statement, so that two processes never send one message.

import { on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';
import type { SessionKey } from '../verify/sessions.ts';
import { heldByDead, holderOfProcess, holderOfRoute, processHolder } from './holder.ts';

const keys = record<SessionKey>()({ accountId: 'text', id: 'text' });
const key = ['account_id', 'id'] as const;

/** A session with something still to be done. */
export interface OpenSession extends SessionKey {
  /** Its deadline, Unix ms; null where none is due. */
  nextAt: number | null;
  /** Who looks after its outgoing messages: this process, or one whose lease has ended; null where neither does. */
  held: 'self' | 'dead' | null;
  /** Messages in the hands of this process, and of dead ones, which will not say what became of theirs. */
  inHand: readonly MessageInHand[];
}

/** A message that is being written or a call that is not over, and the id of the process that knows of it. */
export interface MessageInHand {
  messageId: string;
  holder: string;
}

interface Row {
  account_id: string;
  id: string;
  next_at: number | null;
  held: 'self' | 'dead' | null;
  in_hand: MessageInHand[] | null;
}

// Whole keys lead to each session and message: what is read of a session is a row or two, however many an account has.
const lookText = (found: string) => `
with p as materialized (${found})
select s.account_id, s.id, (extract(epoch from s.next_at) * 1000)::double precision as next_at,
  case when s.holder = $1 then 'self' when ${heldByDead('s.holder')} then 'dead' end as held,
  (select jsonb_agg(jsonb_build_object('messageId', m.id, 'holder', m.holder)) from message m
    where m.session_id = s.id and m.holder is not null and (${holderOfProcess('m.holder')} = $1
      or not exists (select from process live where live.id = m.holder and live.lease_until > now()))) as in_hand
from p join verify_session s on ${on('s', 'p', ...key)}`;

const toOpenSession = ({ account_id, id, next_at, held, in_hand }: Row): OpenSession => ({
  accountId: account_id,
  id,
  nextAt: next_at,
  held,
  inHand: in_hand ?? [],
});

const inShards = 'shard >= $2::integer and shard < $3::integer';
const throughText = lookText(`
  select account_id, session_id as id from pending_number where ${inShards}
  union all select account_id, session_id from unsettled where ${inShards}`);

/** Every session of the shards from `from` up to `to` (exclusive) with something still to be done. */
export async function openSessionsOf(db: Queryable, processId: string, from: number, to: number) {
  const values = [processHolder(processId), from, to];
  const { rows } = await db.query<Row>({ name: 'recovery.through', text: throughText, values });
  return rows.map(toOpenSession);
}

const atText = lookText(keys.select(2));

/** Reads some sessions in the same way, whatever their state. */
export async function openSessionsAt(db: Queryable, processId: string, wanted: readonly SessionKey[]) {
  const values = [processHolder(processId), ...keys.parameters(wanted)];
  const { rows } = await db.query<Row>({ name: 'recovery.at', text: atText, values });
  return rows.map(toOpenSession);
}

// The version is raised: a process that still has the session in memory finds out at its next save.
const taken = (condition = '') => `update verify_session s set holder = $1, version = s.version + 1
  from found f where ${on('s', 'f', ...key)} ${condition} returning s.account_id, s.id`;

const orphansText = `
with k as materialized (${keys.select(2)}),
found as materialized (
  select s.account_id, s.id from k join verify_session s on ${on('s', 'k', ...key)}
  where ${heldByDead('s.holder')} order by s.id for update of s
)
${taken()}`;

/** Claims those of these sessions that are held by processes whose lease has ended. */
export async function claimOrphans(
  db: Queryable,
  processId: string,
  wanted: readonly SessionKey[],
): Promise<SessionKey[]> {
  const values = [processHolder(processId), ...keys.parameters(wanted)];
  const { rows } = await db.query<KeyRow>({ name: 'recovery.orphans', text: orphansText, values });
  return rows.map(toKey);
}

// Sessions and their rows in the queue are locked without waiting, so that claims of several processes take different ones, and so that
// a save, which locks its session first, is never waited for.
const routesText = `
with waiting as materialized (
  select q.route, q.account_id, q.session_id as id from unnest($2::text[]) as wanted(route) cross join lateral (
    select route, account_id, session_id from route_queue where route = wanted.route
    order by session_id limit $3 for update skip locked
  ) q
),
found as materialized (
  select s.account_id, s.id, w.route, s.holder from waiting w join verify_session s on ${on('s', 'w', ...key)}
  order by s.id for update of s skip locked
),
left_queue as (
  delete from route_queue q using found f where q.route = f.route and q.session_id = f.id
),
taken as (${taken(`and f.holder = ${holderOfRoute('f.route')}`)})
select taken.account_id, taken.id, n.waiting
from (select count(*)::integer as waiting from waiting) n left join taken on true`;

/** What a claim took, and whether more may wait in the queues. */
export interface RoutesClaim {
  keys: SessionKey[];
  isMore: boolean;
}

/** Claims sessions that wait for one of the routes, `limit` of each at most, the oldest first. */
export async function claimRoutes(
  db: Queryable,
  processId: string,
  routes: readonly string[],
  limit: number,
): Promise<RoutesClaim> {
  const values = [processHolder(processId), routes, limit];
  type Line = { account_id: string | null; id: string | null; waiting: number };
  const { rows } = await db.query<Line>({ name: 'recovery.routes', text: routesText, values });
  const found = rows.flatMap(({ account_id, id }) => (account_id === null || id === null ? [] : [{ account_id, id }]));
  const waiting = rows[0]?.waiting ?? 0;
  return { keys: found.map(toKey), isMore: waiting >= limit || waiting > found.length };
}

interface KeyRow {
  account_id: string;
  id: string;
}

const toKey = ({ account_id, id }: KeyRow): SessionKey => ({ accountId: account_id, id });
