// Statements over sessions that are not hot: lists, the receipts of one session, the last session of a number.
// How sessions are opened, loaded and saved is in hot/.

import type { Cost } from '../core/cost.ts';
import { lowestId } from '../core/ids.ts';
import type { Mode, Receipt, Session, SessionStatus } from '../core/session.ts';
import type { SessionKey } from './hot/load.ts';
import { type SessionRow, toSession } from './hot/session-row.ts';
import type { Queryable } from './queryable.ts';

/** Times in Unix ms; what is null does not filter. */
export interface SessionFilter {
  accountId: string;
  mode: Mode;
  number: string | null;
  status: SessionStatus | null;
  clientReference: string | null;
  /** At or after. */
  createdFrom: number | null;
  /** Before. */
  createdUntil: number | null;
}

/** A session without messages and timeline, and what its messages cost as far as is known. */
export interface ListedSession {
  session: Session;
  costs: Cost[];
}

/** Ids are made a moment before `created_at` is read: this much is looked at beyond the times asked for, then left out. */
const slackMs = 60_000;
const highestTimeMs = 2 ** 48 - 1;
const idAt = (ms: number): string => lowestId('vrf_', Math.min(Math.max(0, Math.floor(ms)), highestTimeMs));

// Ids are in order of time, so newest first is the primary key read backwards; the other filters are applied on the way. Costs are found
// by the session alone, as messages are in hot/load.ts.
/** With a number its index is used, which holds the ids in order; without, the primary key. */
const listText = (byNumber: boolean) => `
select to_jsonb(s) - 'timeline' as session,
  (select jsonb_agg(m.cost) from message m where m.session_id = s.id and m.cost is not null) as costs
from (
  select * from verify_session
  where account_id = $1 and id < $2 and id >= $3 and mode = $4
    and ${byNumber ? 'number = $5' : '$5::text is null'} and ($6::text is null or status = $6)
    and ($7::text is null or client_reference = $7)
    and ($8::bigint is null or created_at >= to_timestamp($8::bigint / 1000.0))
    and ($9::bigint is null or created_at < to_timestamp($9::bigint / 1000.0))
  order by id desc limit $10
) s order by s.id desc`;

/** Newest first, from `before` (an id) on. */
export async function listSessions(
  db: Queryable,
  filter: SessionFilter,
  page: { limit: number; before: string | null },
): Promise<ListedSession[]> {
  const { accountId, mode, number, status, clientReference, createdFrom, createdUntil } = filter;
  const highest = createdUntil === null ? 'vrf_~' : idAt(createdUntil + slackMs);
  const upper = page.before !== null && page.before < highest ? page.before : highest;
  const lower = createdFrom === null ? 'vrf_' : idAt(createdFrom - slackMs);
  const values = [
    ...[accountId, upper, lower, mode, number, status, clientReference, createdFrom, createdUntil, page.limit],
  ];
  const { rows } = await db.query<{ session: SessionRow['session']; costs: Cost[] | null }>({
    ...{ name: number === null ? 'sessions.list' : 'sessions.of_number', text: listText(number !== null), values },
  });
  return rows.map(({ session, costs }) => ({
    session: { ...toSession({ session, messages: null }), timeline: [] },
    costs: costs ?? [],
  }));
}

/** A receipt as it is stored: what the carrier said of finer states and of money is in its message. */
export type StoredReceipt = Omit<Receipt, 'detail' | 'operatorAmount'>;

interface ReceiptRow {
  id: string;
  message_id: string;
  run: number;
  channel: StoredReceipt['channel'];
  operator: string | null;
  sender_id: string | null;
  status: StoredReceipt['status'];
  provider_status: string | null;
  error_code: string | null;
  operator_timestamp: Date | null;
  received_at: Date;
  provider_message_id: string | null;
  cost: Cost | null;
  raw: string;
}

/** Every receipt of the session's messages, oldest first. */
export async function receiptsOf(db: Queryable, { accountId, id }: SessionKey): Promise<StoredReceipt[]> {
  // Not `account_id = $1`: see hot/load.ts.
  const text = `select * from receipt where account_id || '' = $1 and session_id = $2 order by received_at, id`;
  const { rows } = await db.query<ReceiptRow>({ name: 'sessions.receipts', text, values: [accountId, id] });
  return rows.map((row) => ({
    id: row.id,
    messageId: row.message_id,
    run: row.run,
    channel: row.channel,
    operator: row.operator,
    senderId: row.sender_id,
    status: row.status,
    providerStatus: row.provider_status,
    errorCode: row.error_code,
    operatorTimestamp: row.operator_timestamp?.getTime() ?? null,
    receivedAt: row.received_at.getTime(),
    providerMessageId: row.provider_message_id,
    cost: row.cost,
    raw: row.raw,
  }));
}

/** Sessions of one number looked through for its purpose, the youngest first. */
const lookBackSessions = 1_000;

/** The youngest session of the number and purpose, whatever became of it; null where none is left. */
export async function latestSessionOf(
  db: Queryable,
  place: { accountId: string; mode: Mode; number: string; purpose: string },
): Promise<string | null> {
  const text = `
    select id from (
      select id, mode, purpose from verify_session
      where account_id = $1 and number = $2 order by id desc limit ${lookBackSessions}
    ) recent
    where mode = $3 and purpose = $4 order by id desc limit 1`;
  const { accountId, mode, number, purpose } = place;
  const values = [accountId, number, mode, purpose];
  const { rows } = await db.query<{ id: string }>({ name: 'sessions.latest', text, values });
  return rows[0]?.id ?? null;
}
