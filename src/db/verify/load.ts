// Reads of many sessions with their messages, for processes that do not hold them in memory.

import type { Session } from '../../core/verify/session.ts';
import { on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';
import { type SessionRow, toSession } from './session.record.ts';

export interface SessionKey {
  accountId: string;
  id: string;
}

const keys = record<SessionKey>()({ accountId: 'text', id: 'text' });

// Messages by their session alone, whose id is nobody else's: told the account too, the planner may take the primary key for it, while a
// partition is young, and read all messages of the account for each session.
const text = `
with k as materialized (${keys.select(1)})
select to_jsonb(s) as session,
  (select jsonb_agg(to_jsonb(m) order by m.id) from message m where m.session_id = s.id) as messages
from k join verify_session s on ${on('s', 'k', 'account_id', 'id')}`;

/** A session and who looks after its outgoing messages. */
export interface Loaded {
  session: Session;
  holder: string | null;
}

/** In the order of `wanted`; null where there is no such session. */
export async function loadSessions(db: Queryable, wanted: readonly SessionKey[]): Promise<(Loaded | null)[]> {
  type Row = SessionRow & { session: { holder: string | null } };
  const { rows } = await db.query<Row>({ name: 'load', text, values: keys.parameters(wanted) });
  const byId = new Map(rows.map((row) => [row.session.id, { session: toSession(row), holder: row.session.holder }]));
  return wanted.map(({ id }) => byId.get(id) ?? null);
}
