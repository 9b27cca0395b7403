// Statements over sessions that are not hot: the receipts of one session, the last session of a number. Lists: session-list.ts.
// How sessions are opened, loaded and saved is in hot/.

import type { Cost } from '../../core/money/cost.ts';
import type { Mode, Receipt } from '../../core/verify/session.ts';
import type { Reads } from '../queryable.ts';
import type { SessionKey } from './load.ts';

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
export async function receiptsOf(db: Reads, { accountId, id }: SessionKey): Promise<StoredReceipt[]> {
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
  db: Reads,
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
