// Statements over sessions that are not hot: the receipts of one session, the last session of a number. Lists: list.ts.
// How sessions are opened, loaded and saved: open.ts, load.ts, save.ts.

import type { Mode, StoredReceipt } from '../../core/verify/session.ts';
import type { Reads } from '../queryable.ts';
import type { RowOf } from '../record.ts';
import type { SessionKey } from './load.ts';
import { receipt } from './receipt.record.ts';

/** Every receipt of the session's messages, oldest first. */
export async function receiptsOf(db: Reads, { accountId, id }: SessionKey): Promise<StoredReceipt[]> {
  // Not `account_id = $1`: see load.ts.
  const text = `select * from receipt where account_id || '' = $1 and session_id = $2 order by received_at, id`;
  const query = { name: 'sessions.receipts', text, values: [accountId, id] };
  return (await db.query<RowOf<typeof receipt>>(query)).rows.map(receipt.fromRow);
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
