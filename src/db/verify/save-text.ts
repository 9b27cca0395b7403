// The SQL of "save" (save.ts): one statement, made of the parts that a batch needs. Setting the whole of it up costs Postgres more
// than running it for one session, and most batches of a quiet hour need three parts of ten.

import { lockedType } from '../../core/webhooks/event-body.ts';
import { on } from '../columns.ts';
import { tokensFor } from '../limits/number-tokens.ts';
import { counted, lockedBody, onlyIfLocked, refusedChecks } from './failures-text.ts';
import { inputTexts, type SavePart, saveBatches, savedSession } from './save-batches.ts';

const relationOf = (part: SavePart) => saveBatches.find((batch) => batch.part === part)?.relation.names ?? [];
const columnsOf = {
  message: relationOf('messages'),
  receipt: relationOf('receipts'),
  reference: relationOf('references'),
};

const key = ['account_id', 'id'] as const;
const fixedInMessage = ['account_id', 'id', 'session_id', 'run', 'position', 'attempt', 'channel', 'created_at'];
const changing = columnsOf.message.filter((name) => !fixedInMessage.includes(name));
/** Found by, and never changed. */
const fixedInSession = ['account_id', 'id', 'version', 'mode', 'number', 'purpose'];
const plain = [...savedSession.names.filter((name) => !fixedInSession.includes(name)), 'holder'];

/**
 * Names for SQL of what holds the batch's rows: partitions, or whole tables. New rows go to the whole tables, which find their partitions
 * at no cost.
 */
export type SavePlaces = Readonly<Record<'verify_session' | 'message' | 'operator_reference', string>>;

const wholeTables: SavePlaces = {
  verify_session: 'verify_session',
  message: 'message',
  operator_reference: 'operator_reference',
};

export function saveText(parts: ReadonlySet<SavePart>, places = wholeTables): string {
  const has = (part: SavePart, text: string) => (parts.has(part) ? [text] : []);
  const guarded = parts.has('guards');
  const limited = guarded || parts.has('sends');
  const ctes = [
    ...inputTexts(parts),
    looked(limited ? 'looked' : 'mine', places),
    ...has('guards', counted),
    ...has('sends', tokensFor(`select b.* from b join looked l on ${on('l', 'b', ...key)}`)),
    ...(limited ? [mine(parts)] : []),
    saved(places),
    noted,
    ...has('keys', kept),
    ...has('ends', freed),
    // The whole table is locked before a partition of it, as a change of its columns does it.
    ...has('new_messages', sent),
    ...has('messages', changed(places)),
    ...has('receipts', received),
    ...has('references', referred(places)),
    ...has('events', queued(guarded)),
    ...has('operations', resent),
    ...has('queues', `${left},\n${joined}`),
    ...has('unsettled', `${unsettled},\n${settled}`),
  ];
  const answers = [
    `select 'saved' as kind, id as session_id, null as event_id, null as endpoint_id,
  pg_current_xact_id()::text as detail from mine`,
    ...(guarded && parts.has('events') ? [lockEvents] : []),
    ...has('guards', refusedChecks),
    ...has('sends', `select 'spent', s.id, null, null, s.by from spent s`),
  ];
  return `with ${ctes.join(',\n')}\n${answers.join('\nunion all ')}`;
}

// Locking in one order is what keeps two batches from waiting for each other.
const looked = (name: string, places: SavePlaces) => `${name} as materialized (
  select s.account_id, s.id from i join ${places.verify_session} s on ${on('s', 'i', ...key)}
  where s.version = i.version
  order by s.id for update of s
)`;

const mine = (parts: ReadonlySet<SavePart>) => {
  const refused = [
    ...(parts.has('guards') ? ['select from refused r where r.id = l.id'] : []),
    ...(parts.has('sends') ? ['select from spent s where s.id = l.id'] : []),
  ];
  return `mine as materialized (
  select l.account_id, l.id from looked l
  where ${refused.map((rows) => `not exists (${rows})`).join('\n    and ')}
)`;
};

/** The caller can't know whether these were stored, nor with which body. */
const lockEvents = `select 'queued', q.session_id, q.event_id, q.endpoint_id, q.body from queued q where q.type = '${lockedType}'`;

const saved = (places: SavePlaces) => `saved as (
  update ${places.verify_session} s set version = s.version + 1,
    legs = coalesce(i.legs, s.legs), ${plain.map((name) => `${name} = i.${name}`).join(', ')}
  from mine join i on ${on('i', 'mine', ...key)} where ${on('s', 'mine', ...key)}
)`;

const noted = `noted as (
  insert into session_timeline (session_id, version, entries)
  select i.id, i.version + 1, i.timeline from mine join i on ${on('i', 'mine', ...key)} where i.timeline <> '[]'
)`;

const ofMine = (rows: string) => `join mine on mine.account_id = ${rows}.account_id and mine.id = ${rows}.session_id`;

const kept = `kept as (
  insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
  select k.account_id, k.mode, k.route, k.key, k.request_hash, k.answer, k.created_at from k ${ofMine('k')}
)`;

const freed = `freed as (
  delete from pending_number p using i join mine on ${on('mine', 'i', ...key)}
  where i.status <> 'pending' and ${on('p', 'i', 'shard', 'account_id', 'mode', 'number', 'purpose')} and p.session_id = i.id
)`;

const changed = (places: SavePlaces) => `changed as (
  update ${places.message} s set ${changing.map((name) => `${name} = m.${name}`).join(', ')}
  from m ${ofMine('m')} where ${on('s', 'm', 'session_id', 'id')}
)`;

const sent = `sent as (
  insert into message (${columnsOf.message.join(', ')})
  select ${columnsOf.message.map((name) => `n.${name}`).join(', ')} from n ${ofMine('n')}
)`;

const received = `received as (
  insert into receipt (${columnsOf.receipt.join(', ')})
  select ${columnsOf.receipt.map((name) => `r.${name}`).join(', ')} from r ${ofMine('r')}
)`;

// A message that is filed twice under one reference is filed by its own session, whose lock is held: ON CONFLICT would write more.
const referred = (places: SavePlaces) => `referred as (
  insert into operator_reference (${columnsOf.reference.join(', ')})
  select ${columnsOf.reference.map((name) => `f.${name}`).join(', ')} from f ${ofMine('f')}
  where not exists (select from ${places.operator_reference} o where ${on('o', 'f', 'operator', 'reference', 'message_id')})
)`;

const left = `left_queue as (
  delete from route_queue q using i join mine on ${on('mine', 'i', ...key)}
  where i.leaves_queue is not null and q.route = i.leaves_queue and q.session_id = i.id
)`;

const joined = `joined_queue as (
  insert into route_queue (route, session_id, account_id)
  select i.joins_queue, i.id, i.account_id from mine join i on ${on('i', 'mine', ...key)} where i.joins_queue is not null
)`;

const unsettled = `unsettled_now as (
  insert into unsettled (shard, session_id, account_id)
  select i.shard, i.id, i.account_id from mine join i on ${on('i', 'mine', ...key)} where i.unsettled
)`;

const settled = `settled_now as (
  delete from unsettled u using i join mine on ${on('mine', 'i', ...key)}
  where not i.unsettled and u.shard = i.shard and u.session_id = i.id
)`;

// Where a session was opened with the id, or a resend noted under it, the key is taken, and the statement fails as a whole.
const resent = `resent as (
  insert into session_timeline (session_id, version, entries)
  select o.operation, 1, json_build_array(o.session_id)::text from o ${ofMine('o')}
)`;

const queued = (guarded: boolean) => `queued as (
  insert into webhook_delivery (account_id, event_id, endpoint_id, mode, session_id, type, body, status, holder, created_at)
  select e.account_id, e.id, w.id, e.mode, e.session_id, e.type, ${guarded ? lockedBody : 'e.body'}, 'pending',
    e.delivery_holder, e.created_at
  from e ${ofMine('e')} cross join unnest(e.endpoint_ids) w(id)${guarded ? onlyIfLocked : ''}
  ${guarded ? 'returning session_id, event_id, endpoint_id, type, body' : ''}
)`;
