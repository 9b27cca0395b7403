// Transition "open": the session, its first message and its place in pending_number, in one statement for many sends.

import type { Queryable } from '../queryable.ts';
import { type OpenedSessionRow, openedSession, type SavedMessageRow, savedMessage } from './rows.ts';

export interface OpenItem {
  session: OpenedSessionRow;
  messages: SavedMessageRow[];
}

/** `taken`: a pending session of the same number and purpose holds the place; nothing was stored. */
export type OpenResult = { kind: 'opened' } | { kind: 'taken'; sessionId: string };

const stored = openedSession.names.filter((name) => !name.startsWith('idempotency_'));
const messageColumns = savedMessage.names.filter((name) => name !== 'maybe_first' && name !== 'maybe_app_first');

// A repeated Idempotency-Key makes the statement fail on its primary key: the lane isolates the item, the caller
// answers what is stored. That cannot be ON CONFLICT, or a session could be stored without its key or the reverse.
const text = `
with i as materialized (${openedSession.select(1)}),
m as materialized (${savedMessage.select(1 + openedSession.count)}),
place as (
  insert into pending_number (account_id, mode, number, purpose, session_id)
  select account_id, mode, number, purpose, id from i order by account_id, mode, number, purpose
  on conflict do nothing returning session_id
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
select i.id, (place.session_id is not null) as opened, p.session_id as holder
from i left join place on place.session_id = i.id
left join pending_number p on p.account_id = i.account_id and p.mode = i.mode and p.number = i.number and p.purpose = i.purpose`;

export async function openSessions(db: Queryable, items: readonly OpenItem[]): Promise<OpenResult[]> {
  const rows = items.map((item) => item.session);
  const messages = items.flatMap((item) => item.messages);
  const values = [...openedSession.parameters(rows), ...savedMessage.parameters(messages)];
  const result = await db.query<{ id: string; opened: boolean; holder: string | null }>({ name: 'open', text, values });
  const byId = new Map(result.rows.map((row) => [row.id, row]));
  return rows.map((row) => {
    const answer = byId.get(row.id as string);
    // `holder` is null when the other session was opened by this very batch or since: its place is not visible yet.
    return answer?.opened ? { kind: 'opened' } : { kind: 'taken', sessionId: answer?.holder ?? '' };
  });
}
