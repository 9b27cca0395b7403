// Reads of sessions: many by their ids, with their receipts or without, the pending and the youngest session of a number, and the answer stored
// under an Idempotency-Key. Sessions are written in open.ts and save.ts, and listed in list.ts.

import { shardForNumber } from '../../core/ids.ts';
import type { Mode, Session, StoredReceipt } from '../../core/verify/session.ts';
import { on } from '../columns.ts';
import type { Queryable, Reads } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';
import { receipt, type SessionRow, toSession } from './records.ts';

export interface SessionKey {
  accountId: string;
  id: string;
}

const keys = record<SessionKey>()({ accountId: 'text', id: 'text' });

const columns = `to_jsonb(s) as session,
  (select jsonb_agg(to_jsonb(m) order by m.id) from message m where m.session_id = s.id) as messages,
  (select json_agg(t.entries::json order by t.version) from session_timeline t where t.session_id = s.id) as timeline`;
const wantedSessions = `k join verify_session s on ${on('s', 'k', 'account_id', 'id')}`;
const loadText = `with k as materialized (${keys.select(1)}) select ${columns} from ${wantedSessions}`;
const findText = `with k as materialized (${keys.select(1)}) select ${columns},
  (select jsonb_agg(to_jsonb(r) order by r.received_at, r.id) from receipt r
    where r.session_id = s.id and r.account_id = s.account_id) as receipts
from ${wantedSessions}`;

/** A session, and the holder of its outgoing messages. */
export interface Loaded {
  session: Session;
  holder: string | null;
}

/** Sessions with their messages, in the order of `wanted`; null where there is no such session. */
export async function loadSessions(db: Queryable, wanted: readonly SessionKey[]): Promise<(Loaded | null)[]> {
  type Row = SessionRow & { session: { holder: string | null } };
  const { rows } = await db.query<Row>({ name: 'load', text: loadText, values: keys.parameters(wanted) });
  return inOrder(
    wanted,
    rows.map((row) => ({ session: toSession(row), holder: row.session.holder })),
  );
}

/** A session, and every receipt of its messages, as both were at one moment. */
export interface FoundSession {
  session: Session;
  /** Oldest first. */
  receipts: StoredReceipt[];
}

/** Sessions with their messages and receipts, in the order of `wanted`; null where there is no such session. */
export async function findSessions(db: Reads, wanted: readonly SessionKey[]): Promise<(FoundSession | null)[]> {
  type Row = SessionRow & { receipts: RowOf<typeof receipt>[] | null };
  const { rows } = await db.query<Row>({ name: 'sessions.find', text: findText, values: keys.parameters(wanted) });
  return inOrder(
    wanted,
    rows.map((row) => ({ session: toSession(row), receipts: (row.receipts ?? []).map(receipt.fromRow) })),
  );
}

function inOrder<Read extends { session: Session }>(
  wanted: readonly SessionKey[],
  read: readonly Read[],
): (Read | null)[] {
  const byId = new Map(read.map((each) => [each.session.id, each]));
  return wanted.map(({ accountId, id }) => {
    const found = byId.get(id);
    // Callers of several accounts share the statement: one that names another's session gets none.
    return found?.session.accountId === accountId ? found : null;
  });
}

/** Id of the session in which a resend was noted under this id (save.ts); null where none was. */
export async function sessionOfResend(db: Queryable, operation: string): Promise<string | null> {
  const text = 'select entries from session_timeline where session_id = $1 and version = 1';
  const { rows } = await db.query<{ entries: string }>({ name: 'resent', text, values: [operation] });
  const [noted] = rows[0] ? (JSON.parse(rows[0].entries) as unknown[]) : [];
  // The entries of a session that was opened are arrays.
  return typeof noted === 'string' ? noted : null;
}

const pendingText = `select session_id from pending_number
  where account_id = $1 and mode = $2 and number = $3 and purpose = $4 and shard = $5`;

/** Id of the pending session for the number and purpose. The statement of open.ts decides; this one only saves running it in vain. */
export async function pendingSessionOf(
  db: Queryable,
  { accountId, mode, number, purpose }: { accountId: string; mode: Mode; number: string; purpose: string },
): Promise<string | null> {
  const values = [accountId, mode, number, purpose, shardForNumber(number)];
  const { rows } = await db.query<{ session_id: string }>({ name: 'pending', text: pendingText, values });
  return rows[0]?.session_id ?? null;
}

/** The latest sessions of one number among which the purpose is looked for. */
const lookBackSessions = 1_000;

/** The youngest session of the number and purpose, whatever became of it; null where none is left. */
export async function latestSessionOf(
  db: Reads,
  { accountId, mode, number, purpose }: { accountId: string; mode: Mode; number: string; purpose: string },
): Promise<string | null> {
  const text = `
    select id from (
      select id, mode, purpose from verify_session
      where account_id = $1 and number = $2 order by id desc limit ${lookBackSessions}
    ) recent
    where mode = $3 and purpose = $4 order by id desc limit 1`;
  const values = [accountId, number, mode, purpose];
  const { rows } = await db.query<{ id: string }>({ name: 'sessions.latest', text, values });
  return rows[0]?.id ?? null;
}

const answerText = `select request_hash, answer from idempotency where account_id = $1 and mode = $2 and route = $3 and key = $4`;

export interface IdempotencyKey {
  accountId: string;
  mode: Mode;
  route: string;
  key: string;
}

/** An answer, and the hash of its request. */
export interface StoredAnswer {
  hash: Buffer;
  /** undefined = the key is claimed for the request, which has had no effect yet. */
  answer: unknown;
}

/** The answer of the call with this Idempotency-Key. */
export async function storedAnswer(
  db: Queryable,
  { accountId, mode, route, key }: IdempotencyKey,
): Promise<StoredAnswer | null> {
  const values = [accountId, mode, route, key];
  type Row = { request_hash: Buffer; answer: unknown };
  const { rows } = await db.query<Row>({ name: 'answer', text: answerText, values });
  return rows[0] ? { hash: rows[0].request_hash, answer: rows[0].answer } : null;
}
