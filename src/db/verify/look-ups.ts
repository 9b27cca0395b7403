// Look-ups before a session is opened: the pending session of a number, and the answer that an idempotency key already has. The rows
// are those that `open` writes; its statement decides, these only spare it.

import type { Mode } from '../../core/verify/session.ts';
import type { Queryable } from '../queryable.ts';

const pendingText = `select session_id from pending_number where account_id = $1 and mode = $2 and number = $3 and purpose = $4`;

/** Id of the pending session for the number and purpose. */
export async function pendingSessionOf(
  db: Queryable,
  { accountId, mode, number, purpose }: { accountId: string; mode: Mode; number: string; purpose: string },
): Promise<string | null> {
  const values = [accountId, mode, number, purpose];
  const { rows } = await db.query<{ session_id: string }>({ name: 'pending', text: pendingText, values });
  return rows[0]?.session_id ?? null;
}

const answerText = `select request_hash, answer from idempotency where account_id = $1 and mode = $2 and route = $3 and key = $4`;

export interface IdempotencyKey {
  accountId: string;
  mode: Mode;
  route: string;
  key: string;
}

/** What the call with this idempotency key was answered, and the hash of its request. */
export async function storedAnswer(
  db: Queryable,
  { accountId, mode, route, key }: IdempotencyKey,
): Promise<{ hash: Buffer; answer: unknown } | null> {
  const values = [accountId, mode, route, key];
  type Row = { request_hash: Buffer; answer: unknown };
  const { rows } = await db.query<Row>({ name: 'answer', text: answerText, values });
  return rows[0] ? { hash: rows[0].request_hash, answer: rows[0].answer } : null;
}
