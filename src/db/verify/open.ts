// Transition "open": the session, its first message, its place in pending_number and the tokens of its number, in one statement for many
// sends. A send that is refused stores nothing, and those beside it do not notice.

import { on } from '../columns.ts';
import { limitColumns, type Spent, tokensFor } from '../limits/number-tokens.ts';
import type { Queryable } from '../queryable.ts';
import { again } from './again.ts';
import { type OpenedSessionRow, openedSession, type SavedMessageRow, savedMessage } from './rows.ts';

export interface OpenItem {
  session: OpenedSessionRow;
  messages: SavedMessageRow[];
}

/** Of what is not `opened` nothing was stored. */
export type OpenResult =
  | { kind: 'opened' }
  /** A pending session of the same number and purpose holds the place; its id, or '' where another send has just opened it. */
  | { kind: 'taken'; sessionId: string }
  /** The number has had as many sends as it may have. */
  | { kind: 'spent'; by: Spent };

const limitNames = Object.keys(limitColumns);
const stored = openedSession.names.filter((name) => !name.startsWith('idempotency_') && !limitNames.includes(name));
const messageColumns = savedMessage.names.filter((name) => name !== 'maybe_first' && name !== 'maybe_app_first');
const place = ['account_id', 'mode', 'number', 'purpose'];

// A repeated Idempotency-Key makes the statement fail on its primary key: the lane isolates the item, the caller
// answers what is stored. That cannot be ON CONFLICT, or a session could be stored without its key or the reverse. Nor can the place, or a
// token could be taken without it: a place that was taken meanwhile makes the statement run again (again.ts).
const openText = (counted: boolean) => `
with i as materialized (${openedSession.select(1)}),
m as materialized (${savedMessage.select(1 + openedSession.count)}),
-- Of several sends for one place in a batch the first one asks for it, and is refused for all of them.
seen as materialized (
  select account_id, id, mode, number, purpose, ${limitNames.join(', ')},
    min(id) over (partition by ${place.join(', ')}) as first,
    (select p.session_id from pending_number p where ${on('p', 'i', ...place)}) as holder
  from i
),
free as materialized (
  select * from seen where holder is null and id = first
),${counted ? `\n${tokensFor('select * from free where per_hour is not null')},` : ''}
place as (
  insert into pending_number (account_id, mode, number, purpose, session_id)
  select account_id, mode, number, purpose, id from free
  ${counted ? 'where per_hour is null or exists (select from granted g where g.id = free.id)' : ''}
  order by ${place.join(', ')} returning session_id
),
opened as (
  insert into verify_session (${stored.join(', ')}, version, status, run, sends, attempts, last_send_at)
  select ${stored.map((name) => `i.${name}`).join(', ')}, 1, 'pending', 1, 1, 0, i.created_at
  from i join place on place.session_id = i.id
),
kept as (
  insert into idempotency (account_id, mode, route, key, request_hash, answer, created_at)
  select i.account_id, i.mode, i.idempotency_route, i.idempotency_key, i.idempotency_hash, i.idempotency_answer, i.created_at
  from i join place on place.session_id = i.id where i.idempotency_key is not null
),
sent as (
  insert into message (${messageColumns.join(', ')})
  select ${messageColumns.map((name) => `m.${name}`).join(', ')} from m join place on place.session_id = m.session_id
)
select seen.id, (place.session_id is not null) as opened, seen.holder, ${counted ? 'spent.by' : 'null'} as spent
from seen left join place on place.session_id = seen.id
${counted ? 'left join spent on spent.id = seen.first' : ''}`;

/** Setting the tokens' parts up is not free: test keys and accounts whose numbers are not counted do without. */
const plain = { name: 'open', text: openText(false) };
const counted = { name: 'open counted', text: openText(true) };

interface Line {
  id: string;
  opened: boolean;
  holder: string | null;
  spent: Spent | null;
}

export async function openSessions(db: Queryable, items: readonly OpenItem[]): Promise<OpenResult[]> {
  const rows = items.map((item) => item.session);
  const messages = items.flatMap((item) => item.messages);
  const values = [...openedSession.parameters(rows), ...savedMessage.parameters(messages)];
  const statement = rows.some((row) => row.per_hour !== null) ? counted : plain;
  const result = await again(() => db.query<Line>({ ...statement, values }));
  const byId = new Map(result.rows.map((row) => [row.id, row]));
  return rows.map((row): OpenResult => {
    const answer = byId.get(row.id as string);
    if (answer?.opened) return { kind: 'opened' };
    if (answer?.spent) return { kind: 'spent', by: answer.spent };
    // `holder` is null when the other session was opened by this very batch.
    return { kind: 'taken', sessionId: answer?.holder ?? '' };
  });
}
