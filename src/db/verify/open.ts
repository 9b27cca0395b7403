// The statement "open": a session, its timeline and first message, its row in pending_number and the tokens of its number, for many sends
// at once. A send that is refused stores nothing, and does not affect the other sends of its batch.

import { shardForNumber } from '../../core/ids.ts';
import type { Session } from '../../core/verify/session.ts';
import { on, together } from '../columns.ts';
import { routeOfHolder, waitsForRoute } from '../fleet/holder.ts';
import { type NumberLimits, noTokens, type Spent, tokensFor, wantedTokens } from '../limits/number-tokens.ts';
import { again, type Queryable } from '../queryable.ts';
import { record } from '../record.ts';
import { message, ofSession, session } from './records.ts';
import { encodeTimeline } from './timeline.ts';

/** The answer to a call with an Idempotency-Key. */
export interface KeptAnswer {
  route: string;
  key: string;
  hash: Buffer;
  answer: unknown;
}

export interface OpenItem {
  session: Session;
  holder: string;
  idempotency: KeptAnswer | null;
  /** null where sends to the number are not counted. */
  limits: NumberLimits | null;
}

/** Nothing is stored of an item whose result is not `opened`. */
export type OpenResult =
  | { kind: 'opened'; transaction?: string }
  /** A pending session of the same number and purpose is in its way; its id, or '' where another send has just opened it. */
  | { kind: 'taken'; sessionId: string }
  /** The number has had as many sends as it may have. */
  | { kind: 'spent'; by: Spent };

// A session that is opened begins with the same values of these; they are in the text.
const opened = session.omit(
  'version',
  'status',
  'statusReason',
  'run',
  'sends',
  'attempts',
  'lastSendAt',
  'firstSendAt',
  'verifiedAt',
);
/** What is stored of a session beside its own fields. */
interface Beside extends Pick<OpenItem, 'holder'> {
  shard: number;
  timeline: string;
}

const held = record<Pick<Beside, 'holder'>>()({ holder: 'text' });
const beside = record<Omit<Beside, 'holder'>>()({ shard: 'integer', timeline: 'text' });
type MaybeKept = { readonly [Field in keyof KeptAnswer]: KeptAnswer[Field] | null };
const answered = record<MaybeKept>()({
  route: ['text', 'idempotency_route'],
  key: ['text', 'idempotency_key'],
  hash: ['bytea', 'idempotency_hash'],
  answer: ['json', 'idempotency_answer'],
});
const notAnswered: MaybeKept = { route: null, key: null, hash: null, answer: null };
const inputs = together(opened, held, beside, answered, wantedTokens);
const stored = together(opened, held).names;

const messages = together(ofSession, message);
/** The primary key of pending_number, whose row reserves it for one session. */
const pendingKey = ['shard', 'account_id', 'mode', 'number', 'purpose'];

// A repeated Idempotency-Key makes the statement fail on its primary key: the lane isolates the item, the caller
// answers what is stored. That cannot be ON CONFLICT, or a session could be stored without its key or the reverse. Nor can the row in
// pending_number, or a token could be taken without it: a row that was inserted meanwhile makes the statement run again (`again` in queryable.ts).
const openText = (counted: boolean) => `
with i as materialized (${inputs.select(1)}),
m as materialized (${messages.select(1 + inputs.count)}),
-- Of several sends of one batch with the same number and purpose only the first is tried; its refusal holds for all of them.
seen as materialized (
  select shard, account_id, id, mode, number, purpose, ${wantedTokens.names.join(', ')},
    min(id) over (partition by ${pendingKey.join(', ')}) as first,
    (select p.session_id from pending_number p where ${on('p', 'i', ...pendingKey)}) as holder
  from i
),
free as materialized (
  select * from seen where holder is null and id = first
),${counted ? `\n${tokensFor('select * from free where per_hour is not null')},` : ''}
reserved as (
  insert into pending_number (${pendingKey.join(', ')}, session_id)
  select ${pendingKey.join(', ')}, id from free
  ${counted ? 'where per_hour is null or exists (select from granted g where g.id = free.id)' : ''}
  order by ${pendingKey.join(', ')} returning session_id
),
opened as (
  insert into verify_session (${stored.join(', ')}, version, status, run, sends, attempts, last_send_at)
  select ${stored.map((name) => `i.${name}`).join(', ')}, 1, 'pending', 1, 1, 0, i.created_at
  from i join reserved on reserved.session_id = i.id
),
noted as (
  insert into session_timeline (session_id, version, entries)
  select i.id, 1, i.timeline from i join reserved on reserved.session_id = i.id
),
queued as (
  insert into route_queue (route, session_id, account_id)
  select ${routeOfHolder('i.holder')}, i.id, i.account_id
  from i join reserved on reserved.session_id = i.id where ${waitsForRoute('i.holder')}
),
kept as (
  insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
  select i.account_id, i.mode, i.idempotency_route, i.idempotency_key, i.idempotency_hash, i.idempotency_answer, i.created_at
  from i join reserved on reserved.session_id = i.id where i.idempotency_key is not null
),
sent as (
  insert into message (${messages.names.join(', ')})
  select ${messages.names.map((name) => `m.${name}`).join(', ')} from m join reserved on reserved.session_id = m.session_id
)
select seen.id, (reserved.session_id is not null) as opened, seen.holder, ${counted ? 'spent.by' : 'null'} as spent,
  pg_current_xact_id()::text as transaction
from seen left join reserved on reserved.session_id = seen.id
${counted ? 'left join spent on spent.id = seen.first' : ''}`;

/** Setting the tokens' parts up is not free: test keys and accounts whose numbers are not counted do without. */
const plain = { name: 'open', text: openText(false) };
const counted = { name: 'open counted', text: openText(true) };

interface Line {
  id: string;
  opened: boolean;
  holder: string | null;
  spent: Spent | null;
  transaction: string;
}

export async function openSessions(db: Queryable, items: readonly OpenItem[]): Promise<OpenResult[]> {
  const sessions = items.map((item) => item.session);
  const values = [
    ...opened.parameters(sessions),
    ...held.parameters(items),
    ...beside.parameters(
      sessions.map(({ to, timeline }) => ({ shard: shardForNumber(to), timeline: encodeTimeline(timeline) })),
    ),
    ...answered.parameters(items.map(({ idempotency }) => idempotency ?? notAnswered)),
    ...wantedTokens.parameters(items.map(({ limits }) => limits ?? noTokens)),
    ...ofSession.parameters(sessions.flatMap((each) => each.messages.map(() => each))),
    ...message.parameters(sessions.flatMap((each) => each.messages)),
  ];
  const statement = items.some(({ limits }) => limits !== null) ? counted : plain;
  const result = await again(() => db.query<Line>({ ...statement, values }));
  const byId = new Map(result.rows.map((row) => [row.id, row]));
  return sessions.map(({ id }): OpenResult => {
    const answer = byId.get(id);
    if (answer?.opened) return { kind: 'opened', transaction: answer.transaction };
    if (answer?.spent) return { kind: 'spent', by: answer.spent };
    // `holder` is null when the other session was opened by this very batch.
    return { kind: 'taken', sessionId: answer?.holder ?? '' };
  });
}

/** True for the error of a statement that would have stored any row a second time. */
export const isRepeated = (error: unknown): boolean => (error as { code?: string }).code === '23505';

/** True for the error of a statement that would have noted a call's id a second time: another process has done the call. */
export const isRepeatedOperation = (error: unknown): boolean =>
  isRepeated(error) && String((error as { constraint?: string }).constraint).startsWith('session_timeline');

/** True for the error of a statement that would have stored a key a second time. */
export const isRepeatedKey = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'idempotency_pkey';
};
